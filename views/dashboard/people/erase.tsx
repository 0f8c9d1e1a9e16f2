import type { Erasure } from "../../../db/people/erase";
import type { Overview } from "../../../db/people/overview";
import { Fact } from "../../components/fact";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Check, Field, type Input, labelsOf } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { number, plural } from "../../components/list";
import { exact } from "../../components/time";
import { Who } from "../../components/who";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { countsOf, peoplesData, personPath } from "./stored";

type EraseProps = {
  frame: Frame;
  overview: Overview;
  isManager: boolean;
  inputs: Record<"request" | "typed", Input>;
  values?: Record<string, string | undefined>;
  errors?: FieldError[];
};

const scopeLabel = "What to erase";
const everything = { subscription: "yes", messages: "yes", suppression: "yes" };

/** The question before a person's data is erased. */
export const ErasePage = ({ frame, overview, isManager, inputs, values = everything, errors = [] }: EraseProps) => (
  <>
    <Crumb href={personPath(overview.email)}>{overview.email}</Crumb>
    <Head title="Erase a person’s data" lead={`Stored under ${overview.email}: ${countsOf(overview)}.`} />
    <section class="card narrow" aria-label="Erase">
      <div class="body">
        <Form action={`${paths.people}/erase`} token={frame.token} class="stack" plain>
          <ErrorSummary errors={errors} labels={{ ...labelsOf(inputs), scope: scopeLabel }} scope="erase" />
          <input type="hidden" name="address" value={overview.email} />
          {isManager && <p>A manager has this address. Their account and what they did as a manager stay.</p>}
          <Scope overview={overview} values={values} errors={errors} />
          <Field
            scope="erase"
            {...inputs.request}
            value={values.request}
            errors={errors}
            autocomplete="off"
            autofocus={errors[0]?.field === "request"}
          />
          <Field
            scope="erase"
            {...inputs.typed}
            label={`Enter ${overview.email} to confirm`}
            value={values.typed}
            errors={errors}
            required
            autocomplete="off"
            autofocus={errors[0]?.field === "typed"}
          />
          <p>
            Existing backups are not changed, but restoring one does not bring this person back. This cannot be undone.
          </p>
          <div class="row">
            <a class="btn" href={personPath(overview.email)}>
              Cancel
            </a>
            <button type="submit" class="btn danger">
              Erase
            </button>
          </div>
        </Form>
      </div>
    </section>
  </>
);

const Scope = ({ overview, values, errors }: Required<Pick<EraseProps, "overview" | "values" | "errors">>) => {
  const problem = errors.find(({ field }) => field === "scope")?.message;
  return (
    <fieldset class="stack" id="erase-scope" aria-describedby={problem ? "erase-scope-error" : undefined}>
      <legend>{scopeLabel}</legend>
      <Check
        scope="erase"
        name="subscription"
        label="The subscription, with its emails, activity and outcomes"
        checked={values.subscription === "yes"}
        autofocus={problem !== undefined}
        hint="Broadcast totals are kept. The audit log keeps what was done, without the address."
      />
      {overview.messages.total > 0 ? (
        <Check
          scope="erase"
          name="messages"
          label={`${plural(overview.messages.total, "message")} in all folders`}
          checked={values.messages === "yes"}
        />
      ) : (
        <input type="hidden" name="messages" value="yes" />
      )}
      <Check
        scope="erase"
        name="suppression"
        label="Suppress the address afterwards"
        checked={values.suppression === "yes"}
        hint="It cannot be imported or added again. The person can subscribe again with the form."
      />
      {problem && (
        <p class="error" id="erase-scope-error">
          {problem}
        </p>
      )}
    </fieldset>
  );
};

type ProofProps = {
  erasure: Erasure & { isWaiting: boolean };
  /** Whether the database is a file, which is searched afterwards. */
  hasFile: boolean;
  /** Whether the last search of it failed. */
  hasFailed: boolean;
  frame: Frame;
};

const kinds: Record<keyof Erasure["counts"], string> = {
  subscriptions: "Subscriptions",
  events: "Activity entries",
  emails: "Single emails",
  broadcasts: "Outcomes of broadcasts",
  messages: "Messages",
  reports: "Reports of the email provider",
  webhookCalls: "Webhook calls",
  auditEntries: "Audit log entries",
};

const parts = { subscription: "Subscription", messages: "messages", suppression: "address suppressed" };

/** The proof that a person's data was erased, for printing. It does not say whose. */
export const ProofPage = (proof: ProofProps) => (
  <>
    <Crumb href={paths.people}>{peoplesData}</Crumb>
    <Head title="Proof of erasure" lead="Print this page or save it as a PDF. It does not contain the address." />
    {proof.erasure.isWaiting && (
      <p class="note" role="status">
        One email to this person was handed to the provider, and its outcome is not known yet. Its address is kept to
        repeat exactly that email, and is erased with it within 23 hours.
      </p>
    )}
    <Proof {...proof} />
  </>
);

/** What was erased. Until the database is searched for it, an open page asks for it again. */
export const Proof = ({ erasure, hasFile, hasFailed, frame }: ProofProps) => (
  <section
    class="card narrow"
    aria-label="Proof"
    id="proof"
    data-topic="erasures"
    data-poll={
      hasFile && erasure.finishedAt && !erasure.checkedAt ? `${paths.people}/erasures/${erasure.id}` : undefined
    }
  >
    <dl class="body facts">
      <Fact name="Erased">{exact(erasure.at, "UTC")} UTC</Fact>
      <Fact name="By">
        <Who actor={erasure.by} names={frame.names} />
      </Fact>
      <Fact name="Reason">{erasure.request ?? <span class="none">None</span>}</Fact>
      <Fact name="Scope">{erasure.scope.map((part) => parts[part]).join(", ")}</Fact>
      {Object.entries(kinds).map(([kind, name]) => (
        <Fact name={name}>{number(erasure.counts[kind as keyof typeof kinds])}</Fact>
      ))}
      <Fact name={hasFile ? "Database file" : "Database"}>
        <RemnantCheck erasure={erasure} hasFile={hasFile} hasFailed={hasFailed} />
      </Fact>
      <Fact name="ID">
        <span class="mono wrap">{erasure.id}</span>
      </Fact>
      <Fact name="Hash of the address">
        <span class="mono wrap">{erasure.hash}</span>
      </Fact>
    </dl>
  </section>
);

const RemnantCheck = ({ erasure, hasFile, hasFailed }: Omit<ProofProps, "frame">) => {
  const { checkedAt, remnants, finishedAt, scope } = erasure;
  if (!finishedAt) return <>Erasing was interrupted. It continues when the service is started again.</>;
  if (!hasFile) return <>PostgreSQL removes deleted rows when it vacuums.</>;
  if (!checkedAt && hasFailed)
    return <>The search failed, and is repeated within an hour. The reason is in the service’s log.</>;
  if (!checkedAt) return <>Not searched yet. The result appears here automatically.</>;
  if (remnants === null && scope.includes("subscription") && scope.includes("messages"))
    return <>The address is no longer known and cannot be searched for. What was deleted was overwritten.</>;
  if (remnants === null) return <>Log emptied</>;
  return remnants === 0 ? (
    <>The address was not found in it afterwards.</>
  ) : (
    <>
      The characters of the address are still in it {number(remnants)} times, for example in a longer address, a
      manager’s account, a post or unused space.
    </>
  );
};

import type { Erasure } from "../../../db/people/erase";
import { Fact } from "../../components/fact";
import { number } from "../../components/list";
import type { Frame } from "../../components/frame";
import { exact } from "../../components/time";
import { Who } from "../../components/who";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";

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
export const ProofPage = ({ erasure, hasFile, hasFailed, frame }: ProofProps) => (
  <>
    <Crumb href={paths.newsletter}>Newsletter</Crumb>
    <Head title="Proof of erasure" lead="Print this page or save it as a PDF. It does not contain the address." />
    {erasure.isWaiting && (
      <p class="note" role="status">
        One email to this person was handed to the provider, and its outcome is not known yet. Its address is kept to
        repeat exactly that email, and is erased with it within 23 hours.
      </p>
    )}
    <section class="card narrow" aria-label="Proof">
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
          <Check erasure={erasure} hasFile={hasFile} hasFailed={hasFailed} />
        </Fact>
        <Fact name="ID">
          <span class="mono wrap">{erasure.id}</span>
        </Fact>
        <Fact name="Hash of the address">
          <span class="mono wrap">{erasure.hash}</span>
        </Fact>
      </dl>
    </section>
  </>
);

const Check = ({ erasure, hasFile, hasFailed }: Omit<ProofProps, "frame">) => {
  const { checkedAt, remnants, finishedAt, scope } = erasure;
  if (!finishedAt) return <>Erasing was interrupted. It continues when the service is started again.</>;
  if (!hasFile) return <>PostgreSQL removes deleted rows when it vacuums.</>;
  if (!checkedAt && hasFailed)
    return <>The search failed, and is repeated within an hour. The reason is in the service’s log.</>;
  if (!checkedAt) return <>Not searched yet. Reload this page in a moment.</>;
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

import type { Overview } from "../../../db/people/overview";
import { Check } from "../../components/forms/check";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { plural } from "../../components/list";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { countsOf, personPath } from "./stored";

type EraseProps = {
  frame: Frame;
  overview: Overview;
  isManager: boolean;
  values?: Record<string, string | undefined>;
  errors?: FieldError[];
};

const labels = { scope: "What to erase", request: "Reason (optional)", typed: "Email address" };
const everything = { subscription: "yes", messages: "yes", suppression: "yes" };

/** The question before a person's data is erased. */
export const ErasePage = ({ frame, overview, isManager, values = everything, errors = [] }: EraseProps) => (
  <>
    <Crumb href={personPath(overview.email)}>{overview.email}</Crumb>
    <Head title="Erase a person’s data" lead={`Stored under ${overview.email}: ${countsOf(overview)}.`} />
    <section class="card narrow" aria-label="Erase">
      <div class="body">
        <Form action={`${paths.people}/erase`} token={frame.token} class="stack" plain>
          <ErrorSummary errors={errors} labels={labels} scope="erase" />
          <input type="hidden" name="address" value={overview.email} />
          {isManager && <p>A manager has this address. Their account and what they did as a manager stay.</p>}
          <Scope overview={overview} values={values} errors={errors} />
          <Field
            scope="erase"
            name="request"
            label={labels.request}
            value={values.request}
            errors={errors}
            maxlength={200}
            autocomplete="off"
            hint="Kept with the proof. Leave names and addresses out."
            autofocus={errors[0]?.field === "request"}
          />
          <Field
            scope="erase"
            name="typed"
            label={`Enter ${overview.email} to confirm`}
            value={values.typed}
            errors={errors}
            required
            maxlength={200}
            autocomplete="off"
            autofocus={errors[0]?.field === "typed"}
          />
          <p>
            Backups made before are not changed, but restoring one does not bring this person back. This cannot be
            undone.
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
      <legend>{labels.scope}</legend>
      <Check
        scope="erase"
        name="subscription"
        label="The subscription, with its emails, activity and outcomes"
        checked={values.subscription === "yes"}
        autofocus={problem !== undefined}
        hint="Figures of broadcasts stay. The audit log keeps what was done, without the address."
      />
      <Check
        scope="erase"
        name="messages"
        label={`${plural(overview.messages.total, "message")} from every box`}
        checked={values.messages === "yes"}
      />
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

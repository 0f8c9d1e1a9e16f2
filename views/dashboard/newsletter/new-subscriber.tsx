import { DialogFooter } from "../../components/dialog";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";
import { Check } from "../../components/forms/check";

type NewSubscriberProps = {
  frame: Frame;
  values?: Record<string, string | undefined>;
  errors?: FieldError[];
};

const labels = { email: "Email address", name: "Name (optional)", source: "Source" };

/** Adds one subscriber by hand. */
export const NewSubscriberForm = ({ frame, values = {}, errors = [] }: NewSubscriberProps) => (
  <Form action={paths.newsletter} token={frame.token} class="stack">
    <ErrorSummary errors={errors} labels={labels} scope="new" />
    <Field
      scope="new"
      name="email"
      label={labels.email}
      type="email"
      value={values.email}
      errors={errors}
      required
      maxlength={200}
      autocomplete="off"
      autofocus
    />
    <Field
      scope="new"
      name="name"
      label={labels.name}
      value={values.name}
      errors={errors}
      maxlength={100}
      autocomplete="off"
    />
    <Field
      scope="new"
      name="source"
      label={labels.source}
      value={values.source ?? "dashboard"}
      errors={errors}
      maxlength={100}
      hint="How this person found you, for your own statistics."
    />
    <Check
      scope="new"
      name="welcome"
      label="Send the welcome email"
      checked={values.welcome === "yes"}
      hint="Only add people who asked you to."
    />
    <DialogFooter cancel={paths.newsletter}>Add subscriber</DialogFooter>
  </Form>
);

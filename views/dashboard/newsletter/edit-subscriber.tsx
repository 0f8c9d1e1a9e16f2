import { DialogFooter } from "../../components/dialog";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

type EditSubscriberProps = {
  frame: Frame;
  id: string;
  values: Record<string, string | undefined>;
  errors?: FieldError[];
};

const labels = { name: "Name (optional)", source: "Source" };

/** Edits the name and source of a subscriber. The address identifies the person, so it cannot be changed. */
export const EditSubscriberForm = ({ frame, id, values, errors = [] }: EditSubscriberProps) => (
  <Form action={`${paths.newsletter}/${id}/edit`} token={frame.token} class="stack">
    <ErrorSummary errors={errors} labels={labels} scope="edit" />
    <Field
      scope="edit"
      name="name"
      label={labels.name}
      value={values.name}
      errors={errors}
      maxlength={100}
      autocomplete="off"
      autofocus
    />
    <Field
      scope="edit"
      name="source"
      label={labels.source}
      value={values.source}
      errors={errors}
      maxlength={100}
      autocomplete="off"
      hint="How this person found you, for your own statistics."
    />
    <DialogFooter cancel={`${paths.newsletter}/${id}`}>Save</DialogFooter>
  </Form>
);

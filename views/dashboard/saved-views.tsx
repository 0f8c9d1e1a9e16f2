import { DialogFooter } from "./dialog";
import { ErrorSummary, type FieldError } from "../components/forms/field-errors";
import { Field } from "../components/forms/field";
import { Form } from "../components/forms/form";
import type { Frame } from "../components/frame";

type ViewFormProps = {
  frame: Frame;
  action: string;
  /** The list, and the query of its URL. */
  fields: Record<string, string>;
  name: string;
  errors?: FieldError[];
  cancel: string;
  verb: string;
};

const labels = { name: "Name" };

/** The name of a view, for saving and renaming it. */
export const ViewForm = ({ frame, action, fields, name, errors = [], cancel, verb }: ViewFormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <ErrorSummary errors={errors} labels={labels} scope="view" />
    {Object.entries(fields).map(([field, value]) => (
      <input type="hidden" name={field} value={value} />
    ))}
    <Field
      scope="view"
      name="name"
      label={labels.name}
      value={name}
      errors={errors}
      hint="Shown above the list, to you alone. It keeps the search, the filters and the order."
      required
      maxlength={60}
      autocomplete="off"
      autofocus
    />
    <DialogFooter cancel={cancel}>{verb}</DialogFooter>
  </Form>
);

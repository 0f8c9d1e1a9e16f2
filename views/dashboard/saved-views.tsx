import { DialogFooter } from "./dialog";
import { ErrorSummary, type FieldError } from "../components/forms/field-errors";
import { Field, type Input, labelsOf } from "../components/forms/fields";
import { Form } from "../components/forms/form";
import type { Frame } from "../components/frame";

type ViewFormProps = {
  frame: Frame;
  action: string;
  /** The list, and the query of its URL. */
  fields: Record<string, string>;
  input: Input;
  name: string;
  errors?: FieldError[];
  cancel: string;
  verb: string;
};

/** The name of a view, for saving and renaming it. */
export const ViewForm = ({ frame, action, fields, input, name, errors = [], cancel, verb }: ViewFormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <ErrorSummary errors={errors} labels={labelsOf({ input })} scope="view" />
    {Object.entries(fields).map(([field, value]) => (
      <input type="hidden" name={field} value={value} />
    ))}
    <Field scope="view" {...input} value={name} errors={errors} autocomplete="off" autofocus />
    <DialogFooter cancel={cancel}>{verb}</DialogFooter>
  </Form>
);

import { DialogFooter } from "../dialog";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { ConflictChoice, ConflictNote, type Theirs } from "../conflict";
import { path } from "./section";

export type CustomView = {
  key: string;
  value: string;
  /** The state when the form was opened; "none" for a new key. */
  stamp: string;
  errors?: FieldError[];
  theirs?: Theirs | undefined;
};

const labels = { key: "Key", value: "Value" };

/** The form for one custom key. */
export const CustomForm = ({ frame, custom }: { frame: Frame; custom: CustomView }) => {
  const { key, value, stamp, errors = [], theirs } = custom;
  const isNew = stamp === "none" && !theirs;
  return (
    <Form action={`${path}/custom`} token={frame.token} class="stack">
      <input type="hidden" name="stamp" value={stamp} />
      <ErrorSummary errors={errors} labels={labels} scope="custom" />
      {theirs && <ConflictNote />}
      {isNew ? (
        <Field
          name="key"
          label={labels.key}
          scope="custom"
          value={key}
          errors={errors}
          hint="Letters, digits, dots, hyphens and underscores. Must start with a letter."
          required
          maxlength={64}
          autocomplete="off"
          autofocus
        />
      ) : (
        <input type="hidden" name="key" value={key} />
      )}
      {theirs ? (
        <ConflictChoice name="value" label={key} mine={value} theirs={theirs} frame={frame} />
      ) : (
        <Field
          name="value"
          label={labels.value}
          scope="custom"
          value={value}
          errors={errors}
          lines={3}
          required
          maxlength={2_000}
          autofocus={!isNew}
        />
      )}
      <div class="note">
        <Icon name="triangle-alert" />
        <p>Anyone with an API key can read this value. Keep passwords and keys in environment variables instead.</p>
      </div>
      <DialogFooter cancel={`${path}#custom`}>{isNew ? "Add key" : "Save"}</DialogFooter>
    </Form>
  );
};

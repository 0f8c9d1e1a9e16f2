import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../icon";
import { Choice, type ChoiceProps } from "./choices";
import { ErrorSummary, type FieldError } from "./field-errors";
import { Field, type FieldProps } from "./field";

/** A field of a form as its subject declares it. */
export type Input = Pick<FieldProps, "name" | "label" | "type" | "hint" | "required" | "maxlength"> & {
  /** The values to choose from, for a field that is a select. */
  options?: ChoiceProps["options"] | undefined;
};

/** What was typed into a form, and what was wrong with it. */
export type FormState = {
  inputs: Record<string, Input>;
  values?: Record<string, string | null | undefined>;
  errors?: FieldError[];
};

type FieldsProps = FormState & {
  scope: string;
  /** What is above the first field. */
  children?: Child;
};

/** The fields of a form about someone else, so browsers fill none of them in. */
export const Fields = ({ inputs, values = {}, errors = [], scope, children }: FieldsProps) => (
  <>
    <ErrorSummary errors={errors} labels={labelsOf(inputs)} scope={scope} />
    {children}
    {Object.values(inputs).map(({ options, ...input }, at) =>
      options ? (
        <Choice
          scope={scope}
          name={input.name}
          label={input.label}
          hint={input.hint}
          value={values[input.name] ?? ""}
          options={options}
          errors={errors}
        />
      ) : (
        <Field
          scope={scope}
          {...input}
          value={values[input.name]}
          errors={errors}
          autocomplete="off"
          autofocus={at === 0}
        />
      ),
    )}
  </>
);

/** The labels of these fields, by name. */
export const labelsOf = (inputs: FormState["inputs"]): Record<string, string> =>
  Object.fromEntries(Object.values(inputs).map(({ name, label }) => [name, label]));

type FileFieldProps = {
  /** The ID of the input, which is also its name in the form. */
  id: string;
  label: string;
  /** File extensions and media types, comma-separated. */
  accept: string;
  multiple?: boolean;
  /** What was wrong with the previous choice. */
  problem: string | undefined;
  /** Describes the file. */
  children: Child;
};

/** Chooses files on this computer; the form is sent as multipart/form-data. */
export const FileField = ({ id, label, accept, multiple, problem, children }: FileFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      class="input"
      type="file"
      id={id}
      name={id}
      accept={accept}
      multiple={multiple}
      required
      aria-describedby={problem ? `${id}-error ${id}-hint` : `${id}-hint`}
      aria-invalid={problem ? "true" : undefined}
    />
    {problem && (
      <p class="error" id={`${id}-error`} role="alert">
        <Icon name="circle-alert" />
        {problem}
      </p>
    )}
    <p class="hint" id={`${id}-hint`}>
      {children}
    </p>
  </div>
);

import type { Child } from "../../jsx/jsx-runtime";
import { Choice, type ChoiceProps } from "./choices";
import { Field, type FieldProps } from "./field";
import { ErrorSummary, type FieldError } from "./field-errors";

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

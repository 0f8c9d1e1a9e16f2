import type { Child } from "../../jsx/jsx-runtime";
import { type HelpTopic, Labelled } from "../help";
import { ErrorLine, errorOf, type FieldError } from "./field-errors";

export type ChoiceProps = {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  hint?: Child;
  help?: HelpTopic | undefined;
  errors?: FieldError[];
  scope?: string;
  /** The ID of its form, if that is elsewhere. */
  form?: string;
};

/** A select of a few values. */
export function Choice({ name, label, value, options, hint, help, errors = [], scope = "f", form }: ChoiceProps) {
  const error = errorOf(errors, name, label);
  const id = `${scope}-${name}`;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <Labelled help={help}>
        <label for={id}>{label}</label>
      </Labelled>
      <select
        class="input"
        id={id}
        name={name}
        form={form}
        aria-describedby={described}
        aria-invalid={error ? "true" : undefined}
        {...(error && { "data-focus": true })}
      >
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && <ErrorLine id={`${id}-error`} error={error} />}
    </div>
  );
}

type CheckProps = {
  name: string;
  label: Child;
  value?: string;
  checked?: boolean;
  hint?: Child;
  scope?: string;
  autofocus?: boolean;
};

/** A checkbox. */
export const Check = ({ name, label, value = "yes", checked, hint, scope = "f", autofocus }: CheckProps) => (
  <div class="check">
    <input type="checkbox" id={`${scope}-${name}`} name={name} value={value} checked={checked} autofocus={autofocus} />
    <label for={`${scope}-${name}`}>
      {label}
      {hint && <span class="hint">{hint}</span>}
    </label>
  </div>
);

import type { Child } from "../../jsx/jsx-runtime";

type ChoiceProps = {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  hint?: Child;
  scope?: string;
  /** The id of the form that it belongs to, where that is elsewhere. */
  form?: string;
};

/** One of a few values. */
export const Choice = ({ name, label, value, options, hint, scope = "f", form }: ChoiceProps) => (
  <div class="field">
    <label for={`${scope}-${name}`}>{label}</label>
    <select
      class="input"
      id={`${scope}-${name}`}
      name={name}
      form={form}
      aria-describedby={hint ? `${scope}-${name}-hint` : undefined}
    >
      {options.map(([option, text]) => (
        <option value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
    {hint && (
      <p class="hint" id={`${scope}-${name}-hint`}>
        {hint}
      </p>
    )}
  </div>
);

type CheckProps = { name: string; label: Child; value?: string; checked?: boolean; hint?: Child; scope?: string };

/** Yes or no. */
export const Check = ({ name, label, value = "yes", checked, hint, scope = "f" }: CheckProps) => (
  <div class="check">
    <input type="checkbox" id={`${scope}-${name}`} name={name} value={value} checked={checked} />
    <label for={`${scope}-${name}`}>
      {label}
      {hint && <span class="hint">{hint}</span>}
    </label>
  </div>
);

import type { Child } from "../../jsx/jsx-runtime";

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

import type { Child } from "../../jsx/jsx-runtime";
import { errorOf, type FieldError } from "./field-errors";
import { ErrorLine } from "./error-line";

type FormProps = {
  action: string;
  token: string;
  id?: string;
  class?: string;
  label?: string;
  /** Not through htmx: for answers that are files, or lead to another page. */
  plain?: boolean;
  encoding?: "multipart/form-data";
  /** Leaving with unsaved words asks first. */
  guard?: boolean;
  /** The page's script saves what is typed, before it is sent: every ten seconds, or soon after typing stops. */
  autosave?: boolean | "soon";
  children?: Child;
};

/** A form that changes something: works without JavaScript, and through htmx when it is there. */
export const Form = ({ action, token, id, class: className, label, plain, encoding, children, ...rest }: FormProps) => (
  <form
    method="post"
    action={action}
    id={id}
    class={className}
    aria-label={label}
    enctype={encoding}
    {...(rest.guard && { "data-guard": true })}
    {...(rest.autosave && { "data-autosave": rest.autosave })}
    {...(plain ? {} : { "hx-post": action, "hx-sync": "this:drop", ...(encoding && { "hx-encoding": encoding }) })}
  >
    <input type="hidden" name="_token" value={token} />
    {children}
  </form>
);

type FieldProps = {
  name: string;
  label: string;
  value?: string | null | undefined;
  type?: "text" | "email" | "url" | "password" | "number" | "search" | "date" | "datetime-local";
  hint?: Child;
  errors?: FieldError[];
  required?: boolean;
  lines?: number;
  maxlength?: number;
  minlength?: number;
  autocomplete?: string;
  inputmode?: "numeric" | "email" | "url";
  autofocus?: boolean;
  /** Tells fields of the same name in one document apart. */
  scope?: string;
  /** The control's id, where it is known by one. */
  id?: string;
  /** The id of a datalist. */
  list?: string;
};

/** Label, control, hint and error, tied together for everybody. */
export function Field({
  name,
  label,
  value,
  type = "text",
  hint,
  errors = [],
  lines,
  scope = "f",
  id = `${scope}-${name}`,
  ...rest
}: FieldProps) {
  const error = errorOf(errors, name, label);
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const common = {
    id,
    name,
    class: "input",
    "aria-describedby": described,
    "aria-invalid": error ? "true" : undefined,
    ...rest,
    ...(error && { "data-focus": true }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines ? (
        <textarea {...common} rows={String(lines)}>
          {value ?? ""}
        </textarea>
      ) : (
        <input {...common} type={type} value={value ?? undefined} />
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && <ErrorLine id={`${id}-error`} error={error} />}
    </div>
  );
}

import { asset } from "../../assets";
import type { Child } from "../../jsx/jsx-runtime";
import { type HelpTopic, Labelled } from "../help";
import { errorOf, type FieldError, ErrorLine } from "./field-errors";

export type FieldProps = {
  name: string;
  label: string;
  value?: string | null | undefined;
  type?: "text" | "email" | "url" | "password" | "number" | "search" | "date" | "time" | "datetime-local" | undefined;
  hint?: Child;
  help?: HelpTopic | undefined;
  errors?: FieldError[];
  required?: boolean;
  lines?: number;
  /** Written in the editor of texts, if the page has its script; its pictures are uploaded to this folder. */
  mdxFolder?: string | undefined;
  maxlength?: number | undefined;
  minlength?: number;
  autocomplete?: string;
  inputmode?: "numeric" | "email" | "url";
  autofocus?: boolean;
  placeholder?: string;
  /** Distinguishes fields of the same name in one document. */
  scope?: string;
  /** The control's ID, if something refers to it. */
  id?: string;
  /** The ID of a datalist. */
  list?: string;
  /** Next to the control, within its label's field. */
  beside?: Child;
};

const Hint = ({ id, children }: { id: string; children: Child }) => (
  <p class="hint" id={`${id}-hint`}>
    {children}
  </p>
);

const Joined = ({ to, children }: { to: Child; children: Child }) =>
  to ? (
    <div class="joined">
      {children}
      {to}
    </div>
  ) : (
    <>{children}</>
  );

/** Label, control, hint and error, connected for assistive technology. */
export function Field({
  name,
  label,
  value,
  type = "text",
  hint,
  help,
  errors = [],
  lines,
  mdxFolder,
  scope = "f",
  id = `${scope}-${name}`,
  beside,
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
    ...(errors.length > 0 && { autofocus: error !== undefined }), // as the page opens; data-focus is for what htmx puts in
    ...(error && { "data-focus": true }),
  };
  return (
    <div class="field">
      <Labelled help={help}>
        <label for={id}>{label}</label>
      </Labelled>
      {lines ? (
        <textarea
          {...common}
          rows={String(lines)}
          {...(mdxFolder && { "data-mdx": true, "data-folder": mdxFolder, "data-uploader": asset("storage.js") })}
        >
          {value ?? ""}
        </textarea>
      ) : (
        <Joined to={beside}>
          <input {...common} type={type} value={value ?? undefined} />
        </Joined>
      )}
      {hint && <Hint id={id}>{hint}</Hint>}
      {error && <ErrorLine id={`${id}-error`} error={error} />}
    </div>
  );
}

import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../icon";
import { ErrorLine, errorOf, ErrorSummary, type FieldError } from "./field-errors";
import { type HelpTopic, Labelled } from "../help";

type FieldProps = {
  name: string;
  label: string;
  /** The page shows what the field is. */
  isLabelUnseen?: boolean;
  value?: string | null | undefined;
  type?: "text" | "email" | "url" | "password" | "number" | "search" | "date" | "time" | "datetime-local" | undefined;
  hint?: Child;
  help?: HelpTopic | undefined;
  errors?: FieldError[];
  required?: boolean;
  lines?: number;
  maxlength?: number | undefined;
  minlength?: number;
  autocomplete?: string;
  inputmode?: "numeric" | "email" | "url";
  autofocus?: boolean;
  placeholder?: string;
  /** What is typed is kept nowhere in the browser. */
  "data-secret"?: boolean | undefined;
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

type LabelProps = { of: string; text: string; isUnseen: boolean | undefined; help: HelpTopic | undefined };

const Label = ({ of: id, text, isUnseen, help }: LabelProps) => (
  <Labelled help={help}>
    <label class={isUnseen ? "sr" : undefined} for={id}>
      {text}
    </label>
  </Labelled>
);

/** Label, control, hint and error, connected for assistive technology. */
export function Field({
  name,
  label,
  isLabelUnseen,
  value,
  type = "text",
  hint,
  help,
  errors = [],
  lines,
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
      <Label of={id} text={label} isUnseen={isLabelUnseen} help={help} />
      {lines ? (
        <textarea {...common} rows={String(lines)}>
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

/** What a select offers, below the heading of its group if it has one. */
export type Option = readonly [value: string, label: string, group?: string];

export const Options = ({ of: options, value }: { of: readonly Option[]; value: string }) => (
  <>
    {[...Map.groupBy(options, ([, , group]) => group)].map(([group, entries]) => {
      const choices = entries.map(([option, text]) => (
        <option value={option} selected={option === value}>
          {text}
        </option>
      ));
      return group ? <optgroup label={group}>{choices}</optgroup> : choices;
    })}
  </>
);

type ChoiceProps = {
  name: string;
  label: string;
  value: string;
  options: readonly Option[];
  hint?: Child;
  help?: HelpTopic | undefined;
  errors?: FieldError[];
  scope?: string;
};

/** A select of a few values. */
export function Choice({ name, label, value, options, hint, help, errors = [], scope = "f" }: ChoiceProps) {
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
        aria-describedby={described}
        aria-invalid={error ? "true" : undefined}
        {...(error && { "data-focus": true })}
      >
        <Options of={options} value={value} />
      </select>
      {hint && <Hint id={id}>{hint}</Hint>}
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
    <Hint id={id}>{children}</Hint>
  </div>
);

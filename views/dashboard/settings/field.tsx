import { Choice } from "../../components/forms/choices";
import type { FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import type { Frame } from "../../components/frame";
import { ConflictChoice, type Theirs } from "../conflict";

export type FieldView = {
  key: string;
  label: string;
  hint?: string;
  type?: "text" | "email" | "url";
  rows?: number;
  maxlength: number;
  autocomplete?: string;
  inputmode?: "numeric";
  /** The only valid values; the first is the default. */
  options?: [value: string, label: string][];
  value: string;
  stamp: string;
  theirs?: Theirs | undefined;
};
export type SectionView = {
  id: string;
  title: string;
  about: string;
  isForOwners: boolean;
  fields: FieldView[];
  errors: FieldError[];
  lastChange?: { by: string | null; at: Date } | undefined;
};

/** The default is not stored, unless someone has stored it. */
const withDefault = (options: NonNullable<FieldView["options"]>, value: string) =>
  options.map(([key, label], i) => [i === 0 && value !== key ? "" : key, label] as const);

export function SettingField({ field, section, frame }: { field: FieldView; section: SectionView; frame: Frame }) {
  const { key, value, stamp, theirs, rows, options, ...rest } = field;
  return (
    <>
      <input type="hidden" name={`${key}.stamp`} value={stamp} />
      {theirs ? (
        <ConflictChoice name={key} label={field.label} mine={value} theirs={theirs} frame={frame} />
      ) : options ? (
        <Choice {...rest} name={key} scope={section.id} value={value} options={withDefault(options, value)} />
      ) : (
        <Field
          name={key}
          scope={section.id}
          value={value}
          errors={section.errors}
          {...(rows && { lines: rows })}
          {...rest}
        />
      )}
    </>
  );
}

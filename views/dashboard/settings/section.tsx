import { Choice, Field, type Option } from "../../components/forms/fields";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { EnterButton, Form } from "../../components/forms/form";
import type { HelpTopic } from "../../components/help";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { By, OwnersNote } from "../../components/who";
import { defaultBrand } from "../../brand";
import { paths } from "../../paths";
import { ChoosePicture } from "../posts/pictures";
import { ConflictChoice, ConflictNote, type Theirs } from "../conflict";

export type FieldView = {
  key: string;
  label: string;
  /** The page shows what the field is. */
  isLabelUnseen?: boolean;
  hint?: string;
  help?: HelpTopic;
  type?: "text" | "email" | "url";
  rows?: number;
  /** Whether it is the path of a picture in Storage. */
  isPicture?: boolean;
  isColor?: boolean;
  maxlength?: number | undefined;
  autocomplete?: string;
  inputmode?: "numeric";
  /** What holds while the field is empty. */
  placeholder?: string;
  /** What the number counts, beside it. */
  unit?: string;
  /** The only valid values; the first is the default. */
  options?: Option[];
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

/** The default is not stored, unless someone has stored it. What is stored is offered, whatever it is. */
function withDefault(options: Option[], value: string): Option[] {
  const all = !value || options.some(([key]) => key === value) ? options : [...options, [value, value] as const];
  return all.map(([key, ...rest], i) => [i === 0 && value !== key ? "" : key, ...rest]);
}

/** A field with what it was before; or the choice between two values. */
export function SettingField({ field, section, frame }: { field: FieldView; section: SectionView; frame: Frame }) {
  const { key, value, stamp, theirs, rows, options, isPicture, isColor, unit, ...rest } = field;
  return (
    <>
      <input type="hidden" name={`${key}.stamp`} value={stamp} />
      {theirs ? (
        <ConflictChoice name={key} label={field.label} mine={value} theirs={theirs} frame={frame} />
      ) : options ? (
        <Choice
          name={key}
          scope={section.id}
          value={value}
          errors={section.errors}
          options={withDefault(options, value)}
          {...rest}
        />
      ) : (
        <Field
          name={key}
          scope={section.id}
          value={value}
          errors={section.errors}
          {...(rows && { lines: rows })}
          {...(isColor && { beside: <ColorPicker label={field.label} value={value} /> })}
          {...(unit && { beside: <span class="unit">{unit}</span> })}
          {...rest}
        />
      )}
      {isPicture && !theirs && (
        <div class="row">
          <ChoosePicture id={`picture-in-${key}`} wanted={`${section.id}-${key}`} back={`${path}/${section.id}`} />
        </div>
      )}
    </>
  );
}

/** Writes into the field beside it, by the script of its page. */
const ColorPicker = ({ label, value }: { label: string; value: string }) => (
  <input type="color" class="with-script swatch" aria-label={`${label}: choose`} value={value || defaultBrand.fill} />
);

export const changeMail =
  "change these values, because they control where email goes, whose name is in it, and what is held back";

/** The section for people who may not change it. */
export const SectionFacts = ({ section, frame }: { section: SectionView; frame: Frame }) => (
  <div class="card">
    <div class="body">
      <OwnersNote what={changeMail} />
      <dl class="facts">
        {section.fields.map(({ label, value, placeholder = "Not set" }) => (
          <>
            <dt>{label}</dt>
            <dd>{value || <span class="none">{placeholder}</span>}</dd>
          </>
        ))}
      </dl>
      <LastChange change={section.lastChange} frame={frame} />
    </div>
  </div>
);

export const LastChange = ({ change, frame }: { change: SectionView["lastChange"]; frame: Frame }) =>
  change ? (
    <p class="hint">
      Last changed <Time at={change.at} clock={frame} />
      {change.by && (
        <>
          {" "}
          <By actor={change.by} names={frame.names} />
        </>
      )}
      {frame.may(paths.audit) && (
        <>
          . <a href={`${paths.audit}?action=setting`}>All changes of settings</a>
        </>
      )}
    </p>
  ) : null;

export const path = paths.settings;

type FormView = {
  section: SectionView;
  frame: Frame;
};

/** One section. After saving, it replaces itself. */
export const SectionForm = ({ section, frame }: FormView) => (
  <Form
    action={`${path}/${section.id}`}
    token={frame.token}
    id={`form-${section.id}`}
    label={section.title}
    class="card"
    guard
  >
    <div class="body">
      <ErrorSummary
        errors={section.errors}
        labels={Object.fromEntries(section.fields.map(({ key, label }) => [key, label]))}
        scope={section.id}
      />
      <EnterButton />
      {section.fields.some(({ theirs }) => theirs) && <ConflictNote />}
      {section.fields.map((field) => (
        <SettingField field={field} section={section} frame={frame} />
      ))}
      <div class="save">
        <button type="submit" class="btn" id={`save-${section.id}`}>
          Save
        </button>
        <LastChange change={section.lastChange} frame={frame} />
      </div>
    </div>
  </Form>
);

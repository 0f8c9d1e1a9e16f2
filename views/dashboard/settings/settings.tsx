import { ErrorSummary, type FieldError } from "../../components/field-errors";
import { Field, Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { Appearance, type ZonesView } from "./appearance";
import { Mail, type MailView } from "./mail";
import { ConflictChoice, ConflictNote, type Theirs } from "../conflict";
import { OwnersNote } from "../owners-note";
import { Head } from "../shell";
import { paths } from "../../paths";

export const path = paths.settings;
export const changeMail =
  "change these values, because they control where email goes, whose name is in it, and what is held back";

export type FieldView = {
  key: string;
  label: string;
  hint?: string;
  type?: "text" | "email" | "url";
  rows?: number;
  maxlength: number;
  autocomplete?: string;
  inputmode?: "numeric";
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

type PageProps = {
  frame: Frame;
  sections: SectionView[];
  limits: SectionView;
  mail: MailView;
  zones: ZonesView;
  children?: Child;
};

/** @param children the custom keys */
export const SettingsPage = ({ frame, sections, limits, mail, zones, children }: PageProps) => (
  <>
    <Head
      title="Settings"
      lead={
        <>
          Whoever has an API key can read every value of the first four sections: <code>GET /api/v1/settings</code>
        </>
      }
    />
    {sections.map((section) => (
      <FieldSection section={section} frame={frame} />
    ))}
    <Section
      id="custom"
      title="Custom keys"
      about="More values for your sites to read. A key named postalAddress stands at the end of welcome mails."
    >
      {children}
    </Section>
    <FieldSection section={limits} frame={frame} />
    <Section id="mail" title="E-mail" about="How mail leaves. These values come from the environment.">
      <Mail mail={mail} frame={frame} />
    </Section>
    <Section id="appearance" title="Appearance" about="How this dashboard looks and behaves for you alone.">
      <Appearance frame={frame} zones={zones} />
    </Section>
  </>
);

const Section = ({ id, title, about, children }: { id: string; title: string; about: string; children?: Child }) => (
  <section class="setting" id={id} aria-labelledby={`${id}-title`}>
    <div>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="hint">{about}</p>
    </div>
    {children}
  </section>
);

const FieldSection = ({ section, frame }: { section: SectionView; frame: Frame }) => (
  <Section id={section.id} title={section.title} about={section.about}>
    {section.isForOwners && frame.manager.role !== "owner" ? (
      <SectionFacts section={section} frame={frame} />
    ) : (
      <SectionForm section={section} frame={frame} />
    )}
  </Section>
);

/** One section. After saving it replaces itself. */
export const SectionForm = ({ section, frame }: { section: SectionView; frame: Frame }) => (
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

/** The same for whoever may not change it. */
const SectionFacts = ({ section, frame }: { section: SectionView; frame: Frame }) => (
  <div class="card">
    <div class="body">
      <OwnersNote what={changeMail} />
      <dl class="facts">
        {section.fields.map(({ label, value }) => (
          <>
            <dt>{label}</dt>
            <dd>{value || <span class="none">Not set</span>}</dd>
          </>
        ))}
      </dl>
      <LastChange change={section.lastChange} frame={frame} />
    </div>
  </div>
);

const LastChange = ({ change, frame }: { change: SectionView["lastChange"]; frame: Frame }) =>
  change ? (
    <p class="hint">
      Last changed <Time at={change.at} clock={frame} />
      {change.by && ` by ${change.by}`}
    </p>
  ) : null;

function SettingField({ field, section, frame }: { field: FieldView; section: SectionView; frame: Frame }) {
  const { key, value, stamp, theirs, rows, ...rest } = field;
  return (
    <>
      <input type="hidden" name={`${key}.stamp`} value={stamp} />
      {theirs ? (
        <ConflictChoice name={key} label={field.label} mine={value} theirs={theirs} frame={frame} />
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

import { ErrorSummary } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { ConflictNote } from "../conflict";
import { type SectionView, SettingField } from "./field";
import { LastChange } from "./section-facts";

export const path = paths.settings;

type FormView = {
  section: SectionView;
  frame: Frame;
  /** Saved with a page load, because more than the form changes. */
  isPlain?: boolean;
  /** Next to the button. */
  children?: Child;
};

/** One section. After saving, it replaces itself. */
export const SectionForm = ({ section, frame, isPlain, children }: FormView) => (
  <Form
    action={`${path}/${section.id}`}
    token={frame.token}
    id={`form-${section.id}`}
    label={section.title}
    class="card"
    plain={Boolean(isPlain)}
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
        {children}
        <LastChange change={section.lastChange} frame={frame} />
      </div>
    </div>
  </Form>
);

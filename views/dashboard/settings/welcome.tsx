import { DialogLink } from "../../components/buttons";
import { ErrorSummary } from "../../components/forms/field-errors";
import { EnterButton, Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Help } from "../../components/help";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { ConflictNote } from "../conflict";
import {
  BodyField,
  CopyOffer,
  type MergeNames,
  SaveButton,
  type TextLength,
  ViewButtons,
  WritingBar,
} from "../posts/editor/tools";
import { Crumb, Head } from "../shell";
import { type FieldView, LastChange, SettingField, type SectionView } from "./section";

type WelcomeProps = {
  frame: Frame;
  section: SectionView;
  words: Record<"subject" | "text" | "links", FieldView>;
  length: TextLength;
  /** Whether anything differs from the default. */
  isChanged: boolean;
  /** What is worth knowing about the text. */
  checks: { sentence: string; line?: number }[];
  /** The sequence from which it is edited, whose first email it is. */
  sequence?: { id: string; name: string } | undefined;
};

const path = paths.welcome;
const formId = "form-welcome";
const previewName = "welcome-preview";
const merge: MergeNames = { fields: [], topics: [] };

/** The text of the welcome email. The preview is a frame to which the form is sent, so no script is needed. */
export const WelcomePage = (view: WelcomeProps) => (
  <div id="welcome" class="editor writing">
    <EnterButton form={formId} />
    <div class="write-bar">
      {view.sequence ? (
        <Crumb href={paths.sequence(view.sequence.id)}>{view.sequence.name}</Crumb>
      ) : (
        <Crumb href={paths.newsletterSettings}>Settings</Crumb>
      )}
      <Head title="Welcome email" />
      <Buttons />
    </div>
    {view.checks.map((check) => (
      <div class="note">
        <Icon name="triangle-alert" />
        <p>
          {check.line && `Line ${check.line}: `}
          {check.sentence}
        </p>
      </div>
    ))}
    <CopyOffer />
    <div class="write" data-shown="write" data-beside="preview">
      <ViewButtons id="view" label="Show" views={["write", "preview"]} current="write" />
      <TextForm {...view} />
      <WritingBar
        of={`${view.section.id}-${view.words.text.key}`}
        length={view.length}
        merge={merge}
        help={<Help of="mergeFields" />}
      />
      <Preview />
    </div>
  </div>
);

const Buttons = () => (
  <div class="row" id="save-buttons">
    <button
      type="submit"
      form={formId}
      class="btn"
      formaction={`${path}/preview`}
      formtarget={previewName}
      data-plain
      data-view="preview"
    >
      Preview
    </button>
    <SaveButton form={formId} isPrimary>
      changes
    </SaveButton>
  </div>
);

const TextForm = ({ frame, section, words: { subject, text, links }, isChanged }: WelcomeProps) => (
  <Form
    action={path}
    token={frame.token}
    id={formId}
    label={section.title}
    class="post-form words"
    guard
    autosave="browser"
  >
    <input type="hidden" name="zone" value={frame.preferences.timeZone} />
    <ErrorSummary
      errors={section.errors}
      labels={Object.fromEntries(section.fields.map(({ key, label }) => [key, label]))}
      scope={section.id}
    />
    {section.fields.some(({ theirs }) => theirs) && <ConflictNote />}
    <p class="hint">What new subscribers receive. With double opt-in, they get it once they have confirmed.</p>
    <SettingField field={{ ...subject, isLabelUnseen: true, rows: 1 }} section={section} frame={frame} />
    {text.theirs ? (
      <SettingField field={text} section={section} frame={frame} />
    ) : (
      <>
        <input type="hidden" name={`${text.key}.stamp`} value={text.stamp} />
        <BodyField
          id={`${section.id}-${text.key}`}
          name={text.key}
          label={text.label}
          content={text.value}
          errors={section.errors}
          merge={merge}
          back={path}
          folder="emails"
        />
      </>
    )}
    <SettingField field={links} section={section} frame={frame} />
    <div class="row">
      <LastChange change={section.lastChange} frame={frame} />
      {isChanged && (
        <DialogLink class="btn sm quiet" id="reset-welcome" href={`${path}/reset`}>
          Reset…
        </DialogLink>
      )}
    </div>
  </Form>
);

const Preview = () => (
  <div class="beside">
    <section class="letter-preview" data-pane="preview" aria-label="Preview">
      <p class="hint">Shown without a name; the unsubscribe link is a placeholder.</p>
      <iframe name={previewName} src={`${path}/preview`} sandbox="" title="Preview of the welcome email" tabindex="0" />
    </section>
  </div>
);

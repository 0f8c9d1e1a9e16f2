import { asset } from "../../../assets";
import { Field, type Input } from "../../../components/forms/fields";
import { errorOf, type FieldError } from "../../../components/forms/field-errors";
import { Icon } from "../../../components/icon";
import { capitalized, plural } from "../../../components/list";
import type { Frame } from "../../../components/frame";
import { timeOfDay } from "../../../components/time";
import type { Child, JSX } from "../../../jsx/jsx-runtime";
import { ChoosePicture, ChooseWithoutScript } from "../pictures";
import { type FocalPoint, focalClass } from "../../storage/picture";
import { path } from "../state";
import { PreviewPane, ProblemList, Widths } from "./preview";

/** `opens`: the ID of what asks for more first. */
type Tool = { tool: string; icon: string; name: string; key?: string; opens?: string };

const tools: Tool[] = [
  { tool: "bold", icon: "bold", name: "Bold", key: "B" },
  { tool: "italic", icon: "italic", name: "Italic", key: "I" },
  { tool: "heading", icon: "heading", name: "Heading" },
  { tool: "link", icon: "link", name: "Link", key: "K", opens: "menu-link" },
  { tool: "quote", icon: "quote", name: "Quote" },
  { tool: "code", icon: "code", name: "Code" },
  { tool: "list", icon: "list", name: "List" },
];
const mergeField: Tool = { tool: "field", icon: "braces", name: "Merge field" };

/** What a text may say of its reader besides the name: fields by their keys, and links to topics. */
export type MergeNames = {
  fields: readonly string[];
  topics: readonly (readonly [slug: string, name: string])[];
};

const hasNames = (merge: MergeNames | undefined): merge is MergeNames =>
  merge !== undefined && merge.fields.length + merge.topics.length > 0;

/** Opens the menu of merge fields, which is beside the toolbar: arrow keys of that do not lead into it. */
const MergeButton = () => (
  <button
    type="button"
    class="btn sm icon-only quiet"
    id="tool-field"
    popovertarget="menu-merge"
    aria-label={mergeField.name}
    title={mergeField.name}
    tabindex="-1"
  >
    <Icon name={mergeField.icon} />
  </button>
);

const MergeMenu = ({ fields, topics }: MergeNames) => (
  <div class="menu" id="menu-merge" popover="auto">
    {["name", ...fields].map((key) => (
      <MergeChoice tool={key === "name" ? "field" : `field:${key}`}>{key}</MergeChoice>
    ))}
    {topics.map(([slug, name]) => (
      <MergeChoice tool={`topic:${slug}`}>Link to the topic {name}</MergeChoice>
    ))}
  </div>
);

const MergeChoice = ({ tool, children }: { tool: string; children?: Child }) => (
  <button type="button" class="btn quiet" data-tool={tool} popovertarget="menu-merge" popovertargetaction="hide">
    {children}
  </button>
);

/** The form of a link, beside the toolbar too. It belongs to no form: public/editor/link.ts puts the link into the text. */
const LinkForm = () => (
  <div class="menu link-form" id="menu-link" popover="auto" role="group" aria-label="Link">
    <label for="link-words">Link text</label>
    <input class="input" id="link-words" form="" autocomplete="off" />
    <label for="link-address">Address</label>
    <input class="input" id="link-address" form="" inputmode="url" autocomplete="off" placeholder="https://" />
    <button type="button" class="btn" id="insert-link">
      Insert link
    </button>
  </div>
);

/** Buttons for the Markdown syntax. One tab stop; arrow keys move within it. */
const Toolbar = ({ of: field, merge }: { of: string; merge: MergeNames | undefined }) => (
  <div class="tools with-script" role="toolbar" id="toolbar" aria-label="Formatting" aria-controls={field}>
    {(merge && !hasNames(merge) ? [...tools, mergeField] : tools).map(({ tool, icon, name, key, opens }, i) => (
      <button
        type="button"
        class="btn sm icon-only quiet"
        id={`tool-${tool}`}
        data-tool={opens ? undefined : tool}
        popovertarget={opens}
        aria-label={name}
        title={key ? `${name} (Ctrl or ⌘ ${key})` : name}
        aria-keyshortcuts={key ? `Control+${key} Meta+${key}` : undefined}
        tabindex={i ? "-1" : "0"}
      >
        <Icon name={icon} />
      </button>
    ))}
    {hasNames(merge) && <MergeButton />}
    <button
      type="button"
      class="btn sm icon-only quiet"
      id="tool-image"
      aria-label="Picture"
      title="Picture"
      tabindex="-1"
      hx-get={`${path}/pictures?for=${field}`}
      hx-target="#dialog"
    >
      <Icon name="image" />
    </button>
    <button
      type="button"
      class="btn sm icon-only quiet"
      id="tool-full"
      aria-label="Full screen"
      title="Full screen (Escape leaves)"
      aria-pressed="false"
      tabindex="-1"
    >
      <Icon name="maximize" />
    </button>
  </div>
);

/** Width and height of pictures in pixels, by the ID of the file. */
export type Dimensions = ReadonlyMap<string, { width: number; height: number }>;

const sizesOf = (pictures: Dimensions) => [...pictures].map(([id, { width, height }]) => [id, width, height]);

type BodyProps = {
  /** Its ID, and its name in the form. */
  id?: string;
  name?: string;
  label: string;
  content: string;
  errors: FieldError[];
  /** What the text may contain besides the name; without it, no merge fields at all. */
  merge?: MergeNames;
  /** Where the form is sent. */
  back: string;
  /** Known before they load, so that nothing moves when they do. */
  pictures?: Dimensions;
  /** For new pictures. */
  folder?: string;
};

/** The text field, whose tools are in the WritingBar. Tab leaves it, but in lists and tables. */
export function BodyField({ id = "content", name = id, label, content, errors, merge, ...more }: BodyProps) {
  const error = errorOf(errors, name, label);
  const { back, pictures, folder = "posts" } = more;
  return (
    <div class="field body-field">
      <label class="sr" for={id}>
        {label}
      </label>
      <textarea
        class="input"
        id={id}
        name={name}
        rows="20"
        spellcheck="true"
        data-mdx
        data-merge={merge && JSON.stringify(merge)}
        data-pictures={pictures?.size ? JSON.stringify(sizesOf(pictures)) : undefined}
        data-folder={folder}
        data-uploader={asset("storage.js")}
        aria-describedby={error ? `${id}-error content-hint` : "content-hint"}
        aria-invalid={error ? "true" : undefined}
      >
        {content}
      </textarea>
      <ChooseWithoutScript wanted={id} back={back} />
      {error && (
        <p class="error" id={`${id}-error`}>
          <Icon name="circle-alert" />
          {error}
        </p>
      )}
    </div>
  );
}

/** How many words a text has, and how long reading it takes. */
export type TextLength = { words: number; minutes: number };

type BarProps = {
  /** The ID of the text's field. */
  of?: string;
  length: TextLength;
  /** What the text may contain besides the name, as in its field. */
  merge?: MergeNames;
  /** Explains what is special about the text. */
  help?: Child;
  /** What else is known of the text, at the end. */
  children?: Child;
};

/** Below the text, and in sight while it scrolls: the tools, how long the text is, and what is known of it. */
export const WritingBar = ({ of: field = "content", length, merge, help, children }: BarProps) => (
  <div class="save-bar">
    <Toolbar of={field} merge={merge} />
    {hasNames(merge) && <MergeMenu {...merge} />}
    <LinkForm />
    <p class="hint" id="content-hint">
      <Length {...length} isEmail={merge !== undefined} />
      <span class="without-script">{merge ? "Markdown" : "Markdown with components (MDX)"}</span> {help}
    </p>
    <p id="saved" role="status" class="hint" />
    {children}
  </div>
);

/** public/editor/fields.ts lets it follow the text. A phone and the bar of an email have no room for the minutes. */
const Length = ({ words, minutes, isEmail }: TextLength & { isEmail: boolean }) => (
  <span id="word-count" class="with-script">
    {plural(words, "word")}
    {!isEmail && <span class="on-wide">{words > 0 && ` · ${minutes} min read`}</span>}
  </span>
);

type SaveProps = { form: string; isPrimary?: boolean; verb?: string; children: string };

/** What it saves is not said on a phone, where there is no room for it. */
export const SaveButton = ({ form, isPrimary, verb = "Save", children }: SaveProps) => (
  <button type="submit" form={form} class={isPrimary ? "btn primary" : "btn"} id="save" name="do" value="save">
    <span>
      {verb}
      <span class="on-wide"> {children}</span>
    </span>
  </button>
);

type CoverProps = Input & { id: string; value: string; errors: FieldError[]; back: string };

/** A picture from Storage, a new upload, or any URL. */
export const CoverField = ({ back, ...field }: CoverProps) => (
  <div class="cover">
    <Field {...field} hint="Picture from Storage, or a URL. Its alternative text is on its page, under Pictures." />
    <ChoosePicture id="choose-cover" wanted="cover-image" back={back} />
  </div>
);

/** Pictures in Storage are shown, others are not: their host would learn who is writing. */
const isOwn = (src: string) => src.startsWith("/media/");

/** Nothing wider is shown. public/editor/fields.ts does the same. */
const sized = (src: string) => (/[?#]/.test(src) ? src : `${src}?w=1600`);

type AboveProps = { src: string; focus: FocalPoint; back: string; /** The ID of its field. */ wanted?: string };

/** The cover as it stands above the title. editor.ts lets it follow the field among the details. */
export const CoverAbove = ({ src, focus, back, wanted = "cover-image" }: AboveProps) => (
  <div class="cover-above with-script" id="cover-above">
    <img src={isOwn(src) ? sized(src) : undefined} alt="" hidden={!isOwn(src)} class={focalClass(focus)} />
    <ChoosePicture id="change-cover" wanted={wanted} back={back}>
      <span>{src ? "Change cover…" : "Add cover…"}</span>
    </ChoosePicture>
  </div>
);

/** Unsaved text in this browser. The script shows it if there is any. */
export const CopyOffer = () => (
  <div class="note info" id="copy-offer" hidden>
    <Icon name="history" />
    <p>
      This browser has unsaved text from <span data-when />.
    </p>
    <button type="button" class="btn sm" data-copy-choice="restore">
      Restore it
    </button>
    <button type="button" class="btn sm quiet" data-copy-choice="discard">
      Discard
    </button>
  </div>
);

type ViewButtonsProps<View extends string> = { id: string; label: string; views: readonly View[]; current: View };

/** Buttons that choose what is shown of an editor; public/editor/views.ts does what they say. */
export const ViewButtons = <View extends string>({ id, label, views, current }: ViewButtonsProps<View>) => (
  <div class="segments with-script" role="group" aria-label={label} id={id}>
    {views.map((view) => (
      <button type="button" id={`${id}-${view}`} data-view={view} aria-pressed={view === current ? "true" : "false"}>
        {capitalized(view)}
      </button>
    ))}
  </div>
);

type PanesProps = {
  errors: FieldError[];
  /** The fields beside the text's column; errors of the others are shown with the details. */
  withText: readonly string[];
  /** What is read: the cover, the title and the text. */
  words: JSX.Element;
  bar: Pick<BarProps, "of" | "length">;
  preview: Parameters<typeof PreviewPane>[0];
  /** What else is known of it. */
  details: JSX.Element;
};

/** A text for the sites and its bar, and beside it a preview and the details; on a narrow screen one of the three. */
export const WritingPanes = ({ errors, withText, words, bar, preview, details }: PanesProps) => {
  const beside = errors.some(({ field }) => !withText.includes(field)) ? "details" : undefined;
  return (
    <div class="write" data-shown={beside ?? "write"} data-beside={beside}>
      <ViewButtons id="view" label="Show" views={["write", "preview", "details"]} current={beside ?? "write"} />
      {words}
      <WritingBar {...bar}>
        <ProblemList />
      </WritingBar>
      <div class="beside">
        <div class="row">
          <ViewButtons
            id="beside"
            label="Beside the text"
            views={["preview", "details"]}
            current={beside ?? "preview"}
          />
          <Widths />
        </div>
        <PreviewPane {...preview} />
        {details}
      </div>
    </div>
  );
};

/** A part of the page that changes when the text is saved. What is being typed stays untouched. */
export const Piece = ({ id, children }: { id: string; children?: Child }) => (
  <hx-partial hx-target={`#${id}`} hx-swap="outerHTML">
    {children}
  </hx-partial>
);

/** Says in the bar when the text was saved. */
export const SavedNow = ({ frame }: { frame: Frame }) => (
  <hx-partial hx-target="#saved" hx-swap="innerHTML">
    Saved {timeOfDay(frame.now, frame.preferences)}
  </hx-partial>
);

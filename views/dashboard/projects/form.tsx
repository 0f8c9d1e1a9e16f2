import { Badge } from "../../components/badge";
import { Check, Choice, Field, type Input } from "../../components/forms/fields";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { EnterButton, Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/lists/row-actions";
import { paths } from "../../paths";
import { ConflictChoice, ConflictNote } from "../conflict";
import {
  BodyField,
  CopyOffer,
  CoverAbove,
  type Dimensions,
  Piece,
  SaveButton,
  SavedNow,
  type TextLength,
  WritingPanes,
} from "../posts/editor/tools";
import { ChoosePicture } from "../posts/pictures";
import { Crumb, Head } from "../shell";
import type { FocalPoint } from "../storage/picture";
import { path, statusNames } from "./row";

type Props = { view: ProjectFormView; frame: Frame };
type Name = keyof ProjectDraft;
type TextName = Exclude<Name, "featured" | "status">;

const labels: Record<Name, string> = {
  title: "Title",
  slug: "Slug",
  description: "Description",
  imageUrl: "Picture",
  liveUrl: "Live URL",
  githubUrl: "Source code URL",
  tech: "Tech stack",
  author: "Author",
  featured: "Featured",
  status: "Status",
};

type TextProps = Props & { name: TextName } & Omit<Parameters<typeof Field>[0], "name" | "label">;

/** Whether someone else changed it too, so that it is a choice between two values, above the text. */
const isContested = ({ theirs }: ProjectFormView, name: Name) => theirs?.differing.includes(name) ?? false;

const Text = ({ view, frame: _frame, name, ...field }: TextProps) =>
  isContested(view, name) ? (
    <></>
  ) : (
    <Field
      {...view.inputs[name]}
      label={labels[name]}
      value={view.draft[name]}
      scope="project"
      errors={view.errors ?? []}
      {...field}
    />
  );

const actionOf = ({ id }: ProjectFormView) => (id ? `${path}/${id}` : path);

/** What someone else saved in the meantime, beside what was typed here. */
function Choices({ view, frame }: Props) {
  const { draft, was, theirs } = view;
  if (!theirs) return <></>;
  return (
    <>
      <ConflictNote />
      {theirs.differing.map((name) => (
        <ConflictChoice
          name={name}
          label={labels[name]}
          mine={draft[name]}
          theirs={{ value: was[name], at: theirs.at }}
          prefer={theirs.touched.includes(name) ? "mine" : "theirs"}
          frame={frame}
        />
      ))}
    </>
  );
}

/** What is read: the cover, the title and the text. */
const Words = (props: Props) => {
  const { id, draft, errors = [], coverFocus, pictures } = props.view;
  return (
    <div class="words">
      <ErrorSummary errors={errors} labels={labels} scope="project" />
      <Choices {...props} />
      <CoverAbove src={draft.imageUrl} focus={coverFocus} back={actionOf(props.view)} wanted="project-imageUrl" />
      <Text {...props} name="title" isLabelUnseen lines={1} placeholder="Title" autofocus={!id} />
      {!isContested(props.view, "description") && (
        <BodyField
          id="project-description"
          name="description"
          label={labels.description}
          content={draft.description}
          errors={errors}
          back={actionOf(props.view)}
          pictures={pictures}
          folder="projects"
        />
      )}
    </div>
  );
};

/** What else is known of it. Whether it is published comes first, because it is decided most often. */
const Details = (props: Props) => (
  <section class="about" data-pane="details" aria-label="Details">
    {!isContested(props.view, "status") && <StatusField {...props.view} />}
    {!isContested(props.view, "featured") && (
      <Check
        name="featured"
        label="Featured"
        hint="Shown before all other projects."
        checked={props.view.draft.featured === "yes"}
        scope="project"
      />
    )}
    <Text {...props} name="liveUrl" type="url" hint="Where visitors are sent. Clicks are counted." />
    <Text {...props} name="githubUrl" type="url" />
    <Text {...props} name="tech" hint="Separate entries with commas: SVG, htmx." />
    <div class="cover">
      <Text {...props} name="imageUrl" hint="Picture from Storage, or a URL." />
      {!props.view.theirs && <ChoosePicture id="choose-image" wanted="project-imageUrl" back={actionOf(props.view)} />}
    </div>
    <SlugField {...props} />
    <Text {...props} name="author" />
  </section>
);

/** The status, which is updated if a button changed it. */
const StatusField = ({ draft }: Pick<ProjectFormView, "draft">) => (
  <div id="status-field">
    <Choice
      name="status"
      label={labels.status}
      value={draft.status}
      scope="project"
      options={(["DRAFT", "PUBLISHED", "ARCHIVED"] as const).map((status) => [status, statusNames[status]] as const)}
      hint="Only published projects appear on your sites."
    />
  </div>
);

/** The slug, which is updated if saving changed it. */
const SlugField = (props: Props) => (
  <div id="slug-field">
    <Text {...props} name="slug" hint="Used in URLs. Leave empty to create it from the title." />
  </div>
);

const formId = "project-form";

export const ProjectPage = ({ view, frame }: Props) => (
  <div id="editor" class="editor writing">
    <EnterButton form={formId} name="do" value="save" />
    <div class="write-bar">
      <Crumb href={path}>Projects</Crumb>
      <ProjectHead view={view} frame={frame} />
      <SaveButtons {...view} />
    </div>
    <CopyOffer />
    <ProjectForm view={view} frame={frame} />
    <p class="sr" role="status" id="problems-said" />
  </div>
);

const ProjectHead = ({ view: { id, was }, frame }: Props) => (
  <Head
    title={id ? was.title : "New project"}
    isTitleUnseen
    lead={
      <span class="post-line">
        <Badge tone={was.status === "PUBLISHED" ? "good" : "off"}>
          {id ? statusNames[was.status] : "Not saved yet"}
        </Badge>
      </span>
    }
  >
    {id && <Actions id={id} liveUrl={was.liveUrl} frame={frame} />}
  </Head>
);

const SaveButtons = ({ id, was }: Pick<ProjectFormView, "id" | "was">) => (
  <div class="row" id="save-buttons">
    <button
      type="submit"
      form={formId}
      class="btn without-script"
      formaction={`${path}/preview`}
      formtarget="_blank"
      formnovalidate
    >
      Preview
    </button>
    <SaveButton form={formId} isPrimary={was.status !== "DRAFT"} verb={id ? "Save" : "Create"}>
      {id ? "changes" : "project"}
    </SaveButton>
    {was.status === "DRAFT" && (
      <button type="submit" form={formId} class="btn primary" id="publish" name="do" value="publish">
        Publish
      </button>
    )}
  </div>
);

type ActionsProps = { id: string; liveUrl: string; frame: Frame };

/** What can be done with a project besides editing it. */
const Actions = ({ id, liveUrl, frame }: ActionsProps) => (
  <Form action={`${path}/${id}/duplicate`} token={frame.token} class="row" label="This project" plain>
    <a class="btn quiet on-wide" href={paths.clicksOf(id)} id="clicks">
      <Icon name="chart-column" />
      Clicks
    </a>
    <Menu id={id} label="More actions for this project">
      <a class="btn quiet on-phone" href={paths.clicksOf(id)} id="menu-clicks">
        <Icon name="chart-column" />
        Clicks
      </a>
      {liveUrl && (
        <a class="btn quiet" href={liveUrl} rel="noreferrer" target="_blank">
          <Icon name="external-link" />
          View live
        </a>
      )}
      <button type="submit" class="btn quiet">
        <Icon name="copy" />
        Duplicate
      </button>
      <button type="submit" class="btn quiet" formaction={`${path}/${id}/trash`} data-hotkey="#">
        <Icon name="trash-2" />
        Delete
      </button>
    </Menu>
  </Form>
);

/** Kept in this browser until it is saved. */
const ProjectForm = ({ view, frame }: Props) => {
  const { id, length, errors = [] } = view;
  return (
    <Form
      action={actionOf(view)}
      token={frame.token}
      id={formId}
      label={id ? "Project" : "New project"}
      class="post-form"
      guard
      autosave="browser"
    >
      <Basis {...view} />
      <input type="hidden" name="zone" value={frame.preferences.timeZone} />
      <WritingPanes
        errors={errors}
        withText={["title", "description"]}
        words={<Words view={view} frame={frame} />}
        bar={{ of: "project-description", length }}
        preview={{ path, form: formId }}
        details={<Details view={view} frame={frame} />}
      />
    </Form>
  );
};

/** What the next save is based on. */
const Basis = ({ version, was }: Pick<ProjectFormView, "version" | "was">) => (
  <div id="project-basis" hidden>
    <input type="hidden" name="version" value={String(version)} />
    <input type="hidden" name="was" value={JSON.stringify(was)} />
  </div>
);

type SavedProps = Props & { isNew: boolean; /** Whether it has another status than before. */ isRestated: boolean };

/** The parts of the page that change when the project is saved. What is being typed stays untouched. */
export const SavedPieces = ({ view, frame, isNew, isRestated }: SavedProps) => (
  <>
    <title>{`${view.was.title} · ${frame.siteTitle}`}</title>
    <Piece id="project-basis">
      <Basis {...view} />
    </Piece>
    <Piece id="head">
      <ProjectHead view={view} frame={frame} />
    </Piece>
    {(isNew || isRestated) && (
      <Piece id="save-buttons">
        <SaveButtons {...view} />
      </Piece>
    )}
    {view.draft.status !== view.was.status && (
      <Piece id="status-field">
        <StatusField draft={view.was} />
      </Piece>
    )}
    {view.draft.slug !== view.was.slug && (
      <Piece id="slug-field">
        <SlugField view={{ ...view, draft: view.was }} frame={frame} />
      </Piece>
    )}
    <SavedNow frame={frame} />
  </>
);

/** A project as its form has it. */
export type ProjectDraft = {
  title: string;
  slug: string;
  description: string;
  imageUrl: string;
  liveUrl: string;
  githubUrl: string;
  tech: string;
  author: string;
  featured: "yes" | "";
  status: keyof typeof statusNames;
};

export type ProjectFormView = {
  inputs: Record<TextName, Input>;
  length: TextLength;
  /** The dimensions of the pictures in the text, by ID. */
  pictures: Dimensions;
  /** The focal point of the cover, if it has one. */
  coverFocus: FocalPoint;
  /** Undefined for a new one. */
  id?: string | undefined;
  draft: ProjectDraft;
  /** The version that is being edited, and its values. */
  version: number;
  was: ProjectDraft;
  errors?: FieldError[] | undefined;
  /** `was`: what someone else saved in the meantime; `touched`: the fields changed here; `differing`: those that are not as saved. */
  theirs?: { at: Date; touched: Name[]; differing: Name[] } | undefined;
};

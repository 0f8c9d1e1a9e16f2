import { Check, Choice, Field, type Input } from "../../components/forms/fields";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { EnterButton, Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/lists/row-actions";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { ConflictChoice, ConflictNote } from "../conflict";
import { CopyOffer, isOwn, sized } from "../posts/editor/tools";
import { ChoosePicture } from "../posts/pictures";
import { Crumb, Head } from "../shell";
import { path, statusNames } from "./row";

type Props = { view: ProjectFormView; frame: Frame };
type Name = keyof ProjectDraft;
type TextName = Exclude<Name, "featured" | "status">;

const labels: Record<Name, string> = {
  title: "Title",
  slug: "Slug",
  description: "Description",
  imageUrl: "Image",
  liveUrl: "Live URL",
  githubUrl: "Source code URL",
  tech: "Tech stack",
  author: "Author",
  featured: "Featured",
  status: "Status",
};

type TextProps = Props & { name: TextName } & Omit<Parameters<typeof Field>[0], "name" | "label">;

/** A field, or the choice between two values if someone else changed it too. */
function OrConflict({ view, frame, name, children }: Props & { name: Name; children: Child }) {
  const { draft, was, theirs } = view;
  if (!theirs || draft[name] === was[name]) return <>{children}</>;
  const prefer = theirs.touched.includes(name) ? "mine" : "theirs";
  const saved = { value: was[name], at: theirs.at };
  return (
    <ConflictChoice name={name} label={labels[name]} mine={draft[name]} theirs={saved} prefer={prefer} frame={frame} />
  );
}

const Text = ({ view, frame, name, ...field }: TextProps) => (
  <OrConflict view={view} frame={frame} name={name}>
    <Field
      {...view.inputs[name]}
      label={labels[name]}
      value={view.draft[name]}
      scope="project"
      errors={view.errors ?? []}
      {...field}
    />
  </OrConflict>
);

const actionOf = ({ id }: ProjectFormView) => (id ? `${path}/${id}` : path);

const Fields = (props: Props) => (
  <>
    <Text {...props} name="title" />
    <Text {...props} name="slug" hint="Used in URLs. Leave empty to create it from the title." />
    <div class="cover">
      <Text {...props} name="description" lines={4} mdxFolder="projects" />
      {!props.view.theirs && (
        <ChoosePicture id="picture-in-text" wanted="project-description" back={actionOf(props.view)}>
          Add an image…
        </ChoosePicture>
      )}
    </div>
    <div class="pair">
      <Text
        {...props}
        name="liveUrl"
        type="url"

        hint="Where visitors are sent. Clicks are counted."
      />
      <Text {...props} name="githubUrl" type="url" />
    </div>
    <div class="cover">
      <Text {...props} name="imageUrl" hint="Image from Storage, or a URL." />
      {!props.view.theirs && <ChoosePicture id="choose-image" wanted="project-imageUrl" back={actionOf(props.view)} />}
    </div>
    <div class="pair">
      <Text {...props} name="tech" hint="Separate entries with commas: SVG, htmx." />
      <Text {...props} name="author" />
    </div>
    <Status {...props} />
    <Featured {...props} />
  </>
);

const Status = (props: Props) => (
  <OrConflict {...props} name="status">
    <Choice
      name="status"
      label={labels.status}
      value={props.view.draft.status}
      scope="project"
      options={(["DRAFT", "PUBLISHED", "ARCHIVED"] as const).map((status) => [status, statusNames[status]] as const)}
      hint="Only published projects appear on your sites."
    />
  </OrConflict>
);

const Featured = (props: Props) => (
  <OrConflict {...props} name="featured">
    <Check
      name="featured"
      label="Featured"
      hint="Shown before all other projects."
      checked={props.view.draft.featured === "yes"}
      scope="project"
    />
  </OrConflict>
);

export const ProjectPage = ({ view, frame }: Props) => (
  <>
    <Crumb href={path}>Projects</Crumb>
    <Head title={view.id ? view.was.title : "New project"}>{view.id && <Actions id={view.id} frame={frame} />}</Head>
    <CopyOffer />
    <div class="project-page">
      <ProjectForm view={view} frame={frame} />
      <ProjectCard of={view.draft} />
    </div>
  </>
);

/** A project as sites may show it: public/project.ts lets it follow what is typed. */
const ProjectCard = ({ of: { title, description, imageUrl, tech } }: { of: ProjectDraft }) => (
  <section class="card project-card" id="project-card" aria-labelledby="project-card-title">
    <header>
      <h2 id="project-card-title">Preview</h2>
    </header>
    <img src={isOwn(imageUrl) ? sized(imageUrl) : undefined} alt="" hidden={!isOwn(imageUrl)} data-of="imageUrl" />
    <div class="body">
      <p class="name" data-of="title" data-none="Untitled">
        {title || "Untitled"}
      </p>
      <p class="gist" data-of="description">
        {description}
      </p>
      <p class="hint" data-of="tech">
        {tech}
      </p>
    </div>
  </section>
);

/** What can be done with a project besides editing it. */
const Actions = ({ id, frame }: { id: string; frame: Frame }) => (
  <>
    <a class="btn" href={paths.clicksOf(id)} id="clicks">
      <Icon name="chart-column" />
      Clicks
    </a>
    <Form action={`${path}/${id}/duplicate`} token={frame.token} class="row" label="This project" plain>
      <Menu id={id} label="More actions for this project">
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
  </>
);

export function ProjectForm({ view, frame }: Props) {
  const { id, version, was, errors = [], theirs } = view;
  return (
    <Form
      action={actionOf(view)}
      token={frame.token}
      id="project-form"
      label={id ? "Project" : "New project"}
      class="card narrow project-form"
      guard
      autosave="browser"
    >
      <EnterButton />
      <input type="hidden" name="zone" value={frame.preferences.timeZone} />
      <input type="hidden" name="version" value={String(version)} />
      <input type="hidden" name="was" value={JSON.stringify(was)} />
      <div class="body">
        <ErrorSummary errors={errors} labels={labels} scope="project" />
        {theirs && <ConflictNote />}
        <Fields view={view} frame={frame} />
        <div class="save">
          <button type="submit" class="btn primary" id="save-project">
            {id ? "Save" : "Create project"}
          </button>
          <a class="btn" href={path}>
            Cancel
          </a>
        </div>
      </div>
    </Form>
  );
}

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
  /** Undefined for a new one. */
  id?: string | undefined;
  draft: ProjectDraft;
  /** The version that is being edited, and its values. */
  version: number;
  was: ProjectDraft;
  errors?: FieldError[] | undefined;
  /** `was`: what someone else saved in the meantime; `touched`: the fields changed here. */
  theirs?: { at: Date; touched: string[] } | undefined;
};

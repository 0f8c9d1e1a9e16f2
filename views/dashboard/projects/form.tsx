import { Check, Choice, ErrorSummary, Field, type FieldError, Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { ConflictChoice, ConflictNote } from "../conflict";
import { ChoosePicture } from "../posts/pictures";
import { Crumb, Head } from "../shell";
import { path, statusNames } from "./row";

/** A project as a form has it. */
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
  /** None yet for a new one. */
  id?: string | undefined;
  draft: ProjectDraft;
  /** The version that is being edited, and what it says. */
  version: number;
  was: ProjectDraft;
  errors?: FieldError[] | undefined;
  /** `was` is what somebody else saved meanwhile; `touched` are the fields that were changed here. */
  theirs?: { at: Date; touched: string[] } | undefined;
};

type Props = { view: ProjectFormView; frame: Frame };
type Name = keyof ProjectDraft;

const labels: Record<Name, string> = {
  title: "Title",
  slug: "Slug",
  description: "Description",
  imageUrl: "Image",
  liveUrl: "Live address",
  githubUrl: "Source code",
  tech: "Tech",
  author: "Author",
  featured: "Featured",
  status: "Status",
};

export const ProjectPage = ({ view, frame }: Props) => (
  <>
    <Crumb href={path}>Projects</Crumb>
    <Head title={view.id ? view.was.title : "New project"} />
    <ProjectForm view={view} frame={frame} />
  </>
);

export function ProjectForm({ view, frame }: Props) {
  const { id, version, was, errors = [], theirs } = view;
  return (
    <Form
      action={id ? `${path}/${id}` : path}
      token={frame.token}
      id="project-form"
      label={id ? "Project" : "New project"}
      class="card narrow project-form"
      guard
    >
      <input type="hidden" name="version" value={String(version)} />
      <input type="hidden" name="was" value={JSON.stringify(was)} />
      <div class="body">
        <ErrorSummary errors={errors} scope="project" />
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

/** A field, or the choice between two values of it when somebody else changed it too. */
function Fields({ view: { draft, was, errors = [], theirs }, frame }: Props) {
  const or = (name: Name, field: ReturnType<typeof Field>) => {
    const [mine, other] = [draft[name], was[name]];
    if (!theirs || mine === other) return field;
    const prefer = theirs.touched.includes(name) ? "mine" : "theirs";
    const saved = { value: other, at: theirs.at };
    return <ConflictChoice name={name} label={labels[name]} mine={mine} theirs={saved} prefer={prefer} frame={frame} />;
  };
  const text = (
    name: Exclude<Name, "featured" | "status">,
    more: Omit<Parameters<typeof Field>[0], "name" | "label">,
  ) =>
    or(name, <Field name={name} label={labels[name]} value={draft[name]} scope="project" errors={errors} {...more} />);
  return (
    <>
      {text("title", { required: true, maxlength: 200 })}
      {text("slug", { maxlength: 100, hint: "Its name in addresses. Left empty, it is made from the title." })}
      {text("description", { lines: 4, maxlength: 2_000 })}
      <div class="pair">
        {text("liveUrl", {
          type: "url",
          maxlength: 2_000,
          hint: "Where its visitors are led; their clicks are counted.",
        })}
        {text("githubUrl", { type: "url", maxlength: 2_000 })}
      </div>
      <div class="cover">
        {text("imageUrl", { maxlength: 2_000, hint: "An image of Storage, or an address." })}
        {!theirs && <ChoosePicture id="choose-image" wanted="project-imageUrl" />}
      </div>
      <div class="pair">
        {text("tech", { hint: "Separated by commas: SVG, htmx." })}
        {text("author", { maxlength: 100 })}
      </div>
      {or(
        "status",
        <Choice
          name="status"
          label={labels.status}
          value={draft.status}
          scope="project"
          options={(["DRAFT", "PUBLISHED", "ARCHIVED"] as const).map(
            (status) => [status, statusNames[status]] as const,
          )}
          hint="Your sites show what is published, and nothing else."
        />,
      )}
      {or(
        "featured",
        <Check
          name="featured"
          label="Featured"
          hint="Stands before all others."
          checked={draft.featured === "yes"}
          scope="project"
        />,
      )}
    </>
  );
}

import { z } from "zod";
import { joinNames, lengthOf, slugOf, splitNames } from "../../../db/lib/text";
import * as projects from "../../../db/projects/projects";
import { dimensionsIn, filesIn } from "../../../db/storage/pictures";
import type { AssetName } from "../../../views/assets";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Notice } from "../../../views/components/frame";
import { ToastPartial } from "../../../views/components/toast";
import {
  type ProjectDraft,
  type ProjectFormView,
  ProjectPage,
  SavedPieces,
} from "../../../views/dashboard/projects/form";
import { image, link, techEntry } from "../../content/project-fields";
import { withStoredLines } from "../../content/stored-lines";
import { inputsOf } from "../../fields/field";
import { fragment } from "../../http/response";
import { line, oneLine, typedSource } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import { withChosenPicture } from "../chosen-picture";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { notThere, seeOther, show, showDialog } from "../responses";
import { showPreview } from "../posts/preview";
import { openToNodes } from "../storage/pages";
import { path } from "./projects";

const extras: AssetName[] = ["editor.css", "editor.js", "link.js", "mdx.js"];

/** The page of a project: its text, and what else is known of it. */
export const projectForm = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/new", ({ request }) => answer(deps, request, { draft: noDraft, was: noDraft, version: 0 }))
    .post("/", ({ request, body }) => create(deps, request, body))
    .post("/preview", ({ request, body }) => {
      const { title, tech, imageUrl: image, description: text } = Typed.parse(body);
      return showPreview(deps, request, { title, below: splitNames(tech).join(" · "), image, text });
    })
    .get("/:id", ({ request, params: { id } }) => edit(deps, request, id))
    .post("/:id", ({ request, params: { id }, body }) => save(deps, request, id, body));

/** What the page is made of, besides what is looked up for it. */
type Edit = Pick<ProjectFormView, "id" | "draft" | "was" | "version" | "errors" | "theirs">;

async function create(deps: Deps, request: Request, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const draft = Typed.parse(waiting ?? body);
  const view = { draft, was: noDraft, version: 0 };
  if (waiting) return answer(deps, request, view);
  const { input, errors } = readForm(ProjectForm, asAsked(draft, body));
  if (errors) return answer(deps, request, { ...view, errors }, 422);
  const made = await projects.create(deps.db, input, actorOf(request), deps.now());
  if (made.outcome !== "saved")
    return answer(deps, request, { ...view, errors: made.outcome === "taken" ? [slugTaken(made.by)] : [] }, 422);
  const { project } = made;
  if (!isPartial(request))
    return toList(request, project, isPublished(project, draft.status) ? "published" : "created");
  return pieces(deps, request, project, { draft, previous: noDraft.status, isNew: true });
}

async function edit(deps: Deps, request: Request, id: string) {
  const project = await projects.byId(deps.db, id);
  if (!project || project.deletedAt) return gone(deps, request);
  const draft = draftOf(project);
  return answer(deps, request, { id, draft, was: draft, version: project.version });
}

async function save(deps: Deps, request: Request, id: string, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const { version, was, confirmed } = Circumstances.parse(body);
  const before = readBasis(was);
  const draft = applyChoices(Typed.parse(waiting ?? body), before, body);
  const view = { id, draft, was: { ...noDraft, ...before }, version };
  if (waiting) return answer(deps, request, view);
  const { input, errors } = readForm(ProjectForm, asAsked(draft, body));
  if (errors) return answer(deps, request, { ...view, errors }, 422);

  const current = await projects.byId(deps.db, id);
  const hides = current?.status === "PUBLISHED" && input.status !== "PUBLISHED";
  if (hides && current.version === version && confirmed !== "yes")
    return askFirst(deps, request, id, draft, { ...draft, version: String(version), was });

  if (current) input.description = withStoredLines(current.description, input.description);
  const result = await projects.change(deps.db, { id, version, fields: input }, actorOf(request), deps.now());
  if (result.outcome === "gone") return gone(deps, request);
  if (result.outcome === "taken") return answer(deps, request, { ...view, errors: [slugTaken(result.by)] }, 422);
  if (result.outcome !== "saved") return answer(deps, request, conflict(view, result.theirs, before), 409);
  const { project } = result;
  const previous = current?.status;
  const what = isPublished(project, previous) ? "published" : "saved";
  if (!isPartial(request)) return toList(request, project, result.changed.length > 0 && what);
  if (confirmed !== "yes" && !hasChoices(body))
    return pieces(deps, request, project, { draft, previous, isNew: false });
  const saved = { ...draftOf(project), description: draft.description };
  return answer(deps, request, { id, draft: saved, was: draftOf(project), version: project.version }, 200);
}

/** @param status of what replaces the page that htmx has; without one, it is a page of its own */
async function answer(deps: Deps, request: Request, edit: Edit, status?: 200 | 409 | 422) {
  const [frame, view] = await Promise.all([frameOf(deps, request), viewOf(deps, edit)]);
  if (status && isPartial(request))
    return fragment(<ProjectPage view={view} frame={frame} />, status, {
      "hx-retarget": "#editor",
      "hx-reswap": "outerHTML",
    });
  const title = view.id ? view.was.title : "New project";
  await openToNodes(deps, request); // images are uploaded from here
  return show({ frame, title, extras, ...(status && { status }) }, <ProjectPage view={view} frame={frame} />);
}

/** What the page shows besides what was typed. */
async function viewOf({ db }: Deps, edit: Edit): Promise<ProjectFormView> {
  const { description, imageUrl } = edit.draft;
  const [[cover], pictures] = await Promise.all([filesIn(db, imageUrl), dimensionsIn(db, description)]);
  const coverFocus = { focalX: cover?.x ?? null, focalY: cover?.y ?? null };
  return { ...edit, inputs, coverFocus, pictures, length: lengthOf(description) };
}

/** Whether it was published by what was just saved. */
const isPublished = ({ status }: projects.Project, previous: Status | undefined) =>
  status === "PUBLISHED" && previous !== status;

type Status = ProjectDraft["status"];
type Saved = { draft: ProjectDraft; previous: Status | undefined; isNew: boolean };

/** What changes on the page of a project when it is saved. */
async function pieces(deps: Deps, request: Request, project: projects.Project, { draft, previous, isNew }: Saved) {
  const { id, version } = project;
  const [frame, view] = await Promise.all([
    frameOf(deps, request),
    viewOf(deps, { id, draft, was: draftOf(project), version }),
  ]);
  return fragment(
    <>
      <SavedPieces view={view} frame={frame} isNew={isNew} isRestated={previous !== project.status} />
      {isPublished(project, previous) && <ToastPartial notice={noticeOf(project, "published")} token={frame.token} />}
    </>,
    200,
    isNew ? { "hx-replace-url": `${path}/${id}` } : {},
  );
}

const gone = async (deps: Deps, request: Request) =>
  notThere(await frameOf(deps, request), "This project is in the trash or has been deleted.", path);

type What = "created" | "saved" | "published" | false;

/** What was done; with a link to what it is about, if visitors see it from now on. */
const noticeOf = ({ title, liveUrl }: projects.Project, what: What): Notice => ({
  kind: "good",
  text: what ? `“${title}” ${what}.` : "No changes to save.",
  ...(what === "published" && liveUrl && { live: liveUrl }),
});

const toList = (request: Request, project: projects.Project, what: What) =>
  seeOther(request, path, noticeOf(project, what));

/** Asks before a project is unpublished, keeping everything that was typed. */
async function askFirst(deps: Deps, request: Request, id: string, draft: ProjectDraft, fields: Record<string, string>) {
  const frame = await frameOf(deps, request);
  const verb = draft.status === "ARCHIVED" ? "Archive" : "Unpublish";
  return showDialog(request, {
    frame,
    status: 202, // nothing is saved yet: public/editor.ts goes on keeping what was typed
    title: `${verb} “${draft.title}”?`,
    children: (
      <Confirm
        frame={frame}
        action={`${path}/${id}`}
        verb={`Save and ${verb.toLowerCase()}`}
        cancel={`${path}/${id}`}
        fields={fields}
        isHarmless
      >
        <p>
          Your sites will stop showing it immediately, and clicks are no longer counted. You can publish it again later.
        </p>
      </Confirm>
    ),
  });
}

/** Shows the form again on top of what someone else saved, with a choice wherever the two differ. */
function conflict(view: Edit, theirs: projects.Project, before: Partial<ProjectDraft>): Edit {
  const was = draftOf(theirs);
  const differingFrom = (saved: Partial<ProjectDraft>) =>
    Typed.keyof().options.filter((name) => view.draft[name] !== saved[name]);
  const differences = { touched: differingFrom(before), differing: differingFrom(was) };
  return { ...view, was, version: theirs.version, theirs: { at: theirs.updatedAt, ...differences } };
}

const slugTaken = ({ title, deletedAt }: projects.Project): FieldError => ({
  field: "slug",
  message: `This slug is already used by “${title}”${deletedAt ? " (in the trash)" : ""}. Choose another.`,
});

/** Whether the form asked to choose between two versions. */
const hasChoices = (body: unknown) => Object.keys(textFields.parse(body)).some((name) => name.endsWith(".keep"));

/** "SVG, htmx, " are two entries. */
const tech = z
  .string()
  .transform((text) => [...new Set(splitNames(text))])
  .pipe(z.array(techEntry).max(30, "must have at most 30 entries"));

const ProjectFields = z.object({
  title: oneLine({ min: 1, max: 200 }),
  slug: line({ max: 100 }),
  description: typedSource({ max: 2_000 }).transform((text) => (text.trim() ? text : "")),
  imageUrl: image,
  liveUrl: link,
  githubUrl: link,
  featured: z.enum(["yes", ""]).transform((ticked) => ticked === "yes"),
  status: z.enum(["DRAFT", "PUBLISHED", "ARCHIVED"]),
  tech,
  author: line({ max: 100 }),
});
const inputs = inputsOf(ProjectFields);

/** The form's values for the database. Without a slug, one is made from the title. */
const ProjectForm = ProjectFields.transform(({ slug, ...fields }, { addIssue }): projects.Fields => {
  const address = slugOf(slug || fields.title);
  if (!address) addIssue({ code: "custom", path: ["slug"], message: "must contain a letter or digit" });
  return { ...fields, slug: address };
});

const text = z.string().catch("");
/** The same as typed, to be shown again. */
const Typed = z.object({
  title: text,
  slug: text,
  description: text,
  imageUrl: text,
  liveUrl: text,
  githubUrl: text,
  tech: text,
  author: text,
  featured: z.enum(["yes", ""]).catch(""),
  status: z.enum(["DRAFT", "PUBLISHED", "ARCHIVED"]).catch("DRAFT"),
});

/** What else the form sends: the version it is based on, what that version contained, and answers to questions. */
const Circumstances = z.object({
  version: z.coerce.number().int().catch(0),
  was: text,
  confirmed: text,
  do: text,
});

/** The draft as it is to be saved: a button publishes it. */
const asAsked = (draft: ProjectDraft, body: unknown): ProjectDraft =>
  Circumstances.parse(body).do === "publish" ? { ...draft, status: "PUBLISHED" } : draft;

const draftOf = ({ tech: entries, featured, ...project }: projects.Fields): ProjectDraft => ({
  ...Typed.parse(project),
  tech: joinNames(entries),
  featured: featured ? "yes" : "",
});

const noDraft: ProjectDraft = Typed.parse({});

/** Returns what the form contained when it was shown; empty if that cannot be read. */
function readBasis(was: string): Partial<ProjectDraft> {
  try {
    return Typed.parse(JSON.parse(was));
  } catch {
    return {};
  }
}

/**
 * The draft after a choice between two versions: fields for which the manager keeps someone else's value get that
 * value.
 */
function applyChoices(draft: ProjectDraft, theirs: Partial<ProjectDraft>, body: unknown): ProjectDraft {
  const sent = textFields.parse(body);
  const kept = Object.entries(theirs).filter(([name]) => sent[`${name}.keep`] === "theirs");
  return { ...draft, ...Object.fromEntries(kept) };
}

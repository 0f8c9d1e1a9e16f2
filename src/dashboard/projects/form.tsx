import { z } from "zod";
import { joinNames, slugOf, splitNames } from "../../../db/lib/text";
import * as projects from "../../../db/projects/projects";
import type { AssetName } from "../../../views/assets";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import {
  type ProjectDraft,
  ProjectForm as Form,
  type ProjectFormView,
  ProjectPage,
} from "../../../views/dashboard/projects/form";
import { image, link, techEntry } from "../../content/project-fields";
import { inputsOf } from "../../fields/field";
import { fragment } from "../../http/response";
import { line, lines } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import { withChosenPicture } from "../chosen-picture";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { notThere, seeOther, show, showDialog } from "../responses";
import { openToNodes } from "../storage/pages";
import { path } from "./projects";

const extras: AssetName[] = ["content.css", "editor.css", "editor.js", "mdx.js", "project.js"];

/** The form for adding and editing a project. */
export const projectForm = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/new", ({ request }) => answer(deps, request, { inputs, draft: noDraft, was: noDraft, version: 0 }))
    .post("/", ({ request, body }) => create(deps, request, body))
    .get("/:id", ({ request, params: { id } }) => edit(deps, request, id))
    .post("/:id", ({ request, params: { id }, body }) => save(deps, request, id, body));

async function create(deps: Deps, request: Request, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const draft = Typed.parse(waiting ?? body);
  const view = { inputs, draft, was: noDraft, version: 0 };
  if (waiting) return answer(deps, request, view);
  const { input, errors } = readForm(ProjectForm, draft);
  if (errors) return answer(deps, request, { ...view, errors }, 422);
  const made = await projects.create(deps.db, input, actorOf(request), deps.now());
  if (made.outcome === "saved") return saved(request, made.project, "created");
  return answer(deps, request, { ...view, errors: made.outcome === "taken" ? [slugTaken(made.by)] : [] }, 422);
}

async function edit(deps: Deps, request: Request, id: string) {
  const project = await projects.byId(deps.db, id);
  if (!project || project.deletedAt) return gone(deps, request);
  const draft = draftOf(project);
  return answer(deps, request, { id, inputs, draft, was: draft, version: project.version });
}

async function save(deps: Deps, request: Request, id: string, body: unknown) {
  const waiting = await withChosenPicture(deps, body);
  const { version, was, confirmed } = Circumstances.parse(body);
  const before = readBasis(was);
  const draft = applyChoices(Typed.parse(waiting ?? body), before, body);
  const view = { id, inputs, draft, was: { ...noDraft, ...before }, version };
  if (waiting) return answer(deps, request, view);
  const { input, errors } = readForm(ProjectForm, draft);
  if (errors) return answer(deps, request, { ...view, errors }, 422);

  const current = await projects.byId(deps.db, id);
  const hides = current?.status === "PUBLISHED" && input.status !== "PUBLISHED";
  if (hides && current.version === version && confirmed !== "yes")
    return askFirst(deps, request, id, draft, { ...draft, version: String(version), was });

  const result = await projects.change(deps.db, { id, version, fields: input }, actorOf(request), deps.now());
  if (result.outcome === "gone") return gone(deps, request);
  if (result.outcome === "taken") return answer(deps, request, { ...view, errors: [slugTaken(result.by)] }, 422);
  if (result.outcome === "saved") return saved(request, result.project, result.changed.length > 0 && "saved");
  return answer(deps, request, conflict(view, result.theirs, before), 409);
}

async function answer(deps: Deps, request: Request, view: ProjectFormView, status?: 409 | 422) {
  const frame = await frameOf(deps, request);
  if (status && isPartial(request))
    return fragment(<Form view={view} frame={frame} />, status, {
      "hx-retarget": "#project-form",
      "hx-reswap": "outerHTML",
    });
  const title = view.id ? view.was.title : "New project";
  await openToNodes(deps, request); // images are uploaded from here
  return show({ frame, title, extras, ...(status && { status }) }, <ProjectPage view={view} frame={frame} />);
}

const gone = async (deps: Deps, request: Request) =>
  notThere(await frameOf(deps, request), "This project is in the trash or has been deleted.", path);

const saved = (request: Request, { title }: projects.Project, what: "created" | "saved" | false) =>
  seeOther(request, path, { kind: "good", text: what ? `“${title}” ${what}.` : "No changes to save." });

/** Asks before a project is unpublished, keeping everything that was typed. */
async function askFirst(deps: Deps, request: Request, id: string, draft: ProjectDraft, fields: Record<string, string>) {
  const frame = await frameOf(deps, request);
  const verb = draft.status === "ARCHIVED" ? "Archive" : "Unpublish";
  return showDialog(request, {
    frame,
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
function conflict(view: ProjectFormView, theirs: projects.Project, before: Partial<ProjectDraft>): ProjectFormView {
  const touched = Typed.keyof().options.filter((name) => view.draft[name] !== before[name]);
  return { ...view, was: draftOf(theirs), version: theirs.version, theirs: { at: theirs.updatedAt, touched } };
}

const slugTaken = ({ title, deletedAt }: projects.Project): FieldError => ({
  field: "slug",
  message: `This slug is already used by “${title}”${deletedAt ? " (in the trash)" : ""}. Choose another.`,
});

/** "SVG, htmx, " are two entries. */
const tech = z
  .string()
  .transform((text) => [...new Set(splitNames(text))])
  .pipe(z.array(techEntry).max(30, "must have at most 30 entries"));

const ProjectFields = z.object({
  title: line({ min: 1, max: 200 }),
  slug: line({ max: 100 }),
  description: lines({ max: 2_000 }),
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
});

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

import { z } from "zod";
import { joined, split } from "../../../db/lib/name-list";
import type { Fields } from "../../../db/projects/edit";
import { slugOf } from "../../../db/lib/slug";
import { image, link, techEntry } from "../../content/project-fields";
import { inputsOf } from "../../fields/field";
import { line, lines } from "../../platform/text/schemas";
import type { ProjectDraft } from "../../../views/dashboard/projects/form";

/** "SVG, htmx, " are two entries. */
const tech = z
  .string()
  .transform((text) => [...new Set(split(text))])
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
export const inputs = inputsOf(ProjectFields);

/** The form's values for the database. Without a slug, one is made from the title. */
export const ProjectForm = ProjectFields.transform(({ slug, ...fields }, { addIssue }): Fields => {
  const address = slugOf(slug || fields.title);
  if (!address) addIssue({ code: "custom", path: ["slug"], message: "must contain a letter or digit" });
  return { ...fields, slug: address };
});

const text = z.string().catch("");
/** The same as typed, to be shown again. */
export const Typed = z.object({
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
export const Circumstances = z.object({
  version: z.coerce.number().int().catch(0),
  was: text,
  confirmed: text,
});

export const draftOf = ({ tech: entries, featured, ...project }: Fields): ProjectDraft => ({
  ...Typed.parse(project),
  tech: joined(entries),
  featured: featured ? "yes" : "",
});

export const noDraft: ProjectDraft = Typed.parse({});

/** Returns what the form contained when it was shown; empty if that cannot be read. */
export function shownBefore(was: string): Partial<ProjectDraft> {
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
export function chosen(draft: ProjectDraft, theirs: Partial<ProjectDraft>, body: unknown): ProjectDraft {
  const said = z.record(z.string(), z.string()).catch({}).parse(body);
  const kept = Object.entries(theirs).filter(([name]) => said[`${name}.keep`] === "theirs");
  return { ...draft, ...Object.fromEntries(kept) };
}

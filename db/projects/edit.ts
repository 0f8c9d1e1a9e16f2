import { and, eq, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditVerb } from "../audit";
import { lastPlace } from "./order";
import { emitUpdated, find, type Project } from "./projects";
import { projects } from "../schema/projects";

/** The fields a manager enters. */
export type Fields = Pick<
  Project,
  "title" | "slug" | "description" | "imageUrl" | "liveUrl" | "githubUrl" | "featured" | "status" | "tech" | "author"
>;

export const byId = (db: Db, id: string) => db.read((orm) => find(orm, id));

type Saved =
  | { outcome: "saved"; project: Project; changed: string[] }
  /** Someone else saved in the meantime; nothing was changed. */
  | { outcome: "conflict"; theirs: Project }
  | { outcome: "taken"; by: Project }
  | { outcome: "gone" };

/** Creates a project, last in its group. */
export const create = (db: Db, fields: Fields, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Saved> => {
    const taken = await ownerOfSlug(orm, fields.slug);
    if (taken) return { outcome: "taken", by: taken };
    const displayOrder = await lastPlace(orm, fields.featured);
    const project = await orm
      .insert(projects)
      .values({ ...fields, displayOrder, createdAt: now, updatedAt: now })
      .returning()
      .get();
    await recordEvent(orm, { verb: "create", project }, by, now);
    return { outcome: "saved", project, changed: Object.keys(fields) };
  });

/** Updates a project, if its version is still the one that was edited. Unchanged projects are not written. */
export const change = (
  db: Db,
  { id, version, fields }: { id: string; version: number; fields: Fields },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<Saved> => {
    const current = await find(orm, id);
    if (!current || current.deletedAt) return { outcome: "gone" };
    const changed = differing(current, fields);
    if (!changed.length) return { outcome: "saved", project: current, changed: [] };
    if (current.version !== version) return { outcome: "conflict", theirs: current };
    const taken = await ownerOfSlug(orm, fields.slug, id);
    if (taken) return { outcome: "taken", by: taken };
    const project = await write(orm, current, fields, now);
    await recordEvent(orm, { verb: "change", project, details: { fields: changed.join(", ") } }, by, now);
    return { outcome: "saved", project, changed };
  });

/** Returns the names of the fields that differ. */
const differing = (one: Fields, other: Fields): (keyof Fields)[] =>
  (Object.keys(other) as (keyof Fields)[]).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));

/** A project that changes group is placed last in the new one. */
async function write(
  orm: Orm,
  { id, version, featured, displayOrder }: Project,
  fields: Fields,
  now: Date,
): Promise<Project> {
  const place = featured === fields.featured ? displayOrder : await lastPlace(orm, fields.featured);
  return orm
    .update(projects)
    .set({ ...pickFields(fields), displayOrder: place, version: version + 1, updatedAt: now })
    .where(eq(projects.id, id))
    .returning()
    .get();
}

/** Picks the fields, dropping everything else. */
const pickFields = (fields: Fields): Fields => ({
  title: fields.title,
  slug: fields.slug,
  description: fields.description,
  imageUrl: fields.imageUrl,
  liveUrl: fields.liveUrl,
  githubUrl: fields.githubUrl,
  featured: fields.featured,
  status: fields.status,
  tech: fields.tech,
  author: fields.author,
});

/** Creates a draft with the same fields, at the end of its group. Returns undefined if the project does not exist. */
export const duplicate = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Project | undefined> => {
    const original = await find(orm, id);
    if (!original || original.deletedAt) return;
    const slug = await freeSlug(orm, `${first(original.slug, 90)}-copy`);
    const title = `${first(original.title, 193)} (copy)`; // the form allows 200 characters, and 100 for a slug
    const displayOrder = await lastPlace(orm, original.featured);
    const copy = { ...pickFields(original), title, slug, status: "DRAFT" as const, displayOrder };
    const project = await orm
      .insert(projects)
      .values({ ...copy, createdAt: now, updatedAt: now })
      .returning()
      .get();
    await recordEvent(orm, { verb: "duplicate", project, details: { of: original.title } }, by, now);
    return project;
  });

const first = (text: string, characters: number) => [...text].slice(0, characters).join("");

async function freeSlug(orm: Orm, wanted: string): Promise<string> {
  let slug = wanted;
  for (let n = 2; await ownerOfSlug(orm, slug); n++) slug = `${wanted}-${n}`;
  return slug;
}

/** Returns the project with this slug, including in the trash, from which it may be restored. */
const ownerOfSlug = (orm: Orm, slug: string, not = ""): Promise<Project | undefined> =>
  orm
    .select()
    .from(projects)
    .where(and(eq(projects.slug, slug), sql`${projects.id} <> ${not}`))
    .get();

async function recordEvent(
  orm: Orm,
  { verb, project, details = {} }: { verb: AuditVerb<"project">; project: Project; details?: Record<string, string> },
  by: audit.Actor,
  now: Date,
) {
  const { id, title } = project;
  await audit.record(orm, { ...by, action: `project.${verb}`, targetId: id, target: title, details }, now);
  await emitUpdated(orm, [project], now);
}

import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import * as audit from "../audit";
import type { AuditVerb } from "../audit";
import { type Db, type Orm, prepared } from "../engine/open";
import { emitAll } from "../events/webhook-events";
import { countRows } from "../lib/rows";
import { composed, formerSlugOf } from "../lib/text";
import { isPublishedProject, projects } from "../schema/projects";

export type Project = typeof projects.$inferSelect;
/** The position of a project, after which a list continues. */
export type Position = Pick<Project, "featured" | "displayOrder" | "createdAt" | "id">;
type Page = { featured?: boolean | undefined; limit: number; after?: Position | undefined };

/** The columns of a list item (spec part 2), and those it is sorted by. */
const listed = {
  id: projects.id,
  slug: projects.slug,
  title: projects.title,
  description: projects.description,
  imageUrl: projects.imageUrl,
  liveUrl: projects.liveUrl,
  githubUrl: projects.githubUrl,
  featured: projects.featured,
  status: projects.status,
  clicks: projects.clicks,
  tech: projects.tech,
  author: projects.author,
  createdAt: projects.createdAt,
  updatedAt: projects.updatedAt,
  displayOrder: projects.displayOrder,
};

/** Returns published projects, featured ones first, and their total number. `next` is set if the list continues. */
export const listPublished = (db: Db, { featured, limit, after }: Page) =>
  db.read(async (orm) => {
    const where = and(isPublishedProject, featured === undefined ? undefined : eq(projects.featured, featured));
    const items = await orm
      .select(listed)
      .from(projects)
      .where(and(where, after && isAfter(after)))
      .orderBy(desc(projects.featured), asc(projects.displayOrder), desc(projects.createdAt), asc(projects.id))
      .limit(limit + 1)
      .all();
    const page = items.slice(0, limit);
    const total = await countRows(orm, projects, where);
    return { projects: page, total, next: items.length > limit ? page.at(-1) : undefined };
  });

const isAfter = ({ featured, displayOrder, createdAt, id }: Position) =>
  sql`(-${projects.featured}, ${projects.displayOrder}, -${projects.createdAt}, ${projects.id})
    > (${-Number(featured)}, ${displayOrder}, ${-createdAt.getTime()}, ${id})`;

/** In any status, including the trash. */
export const find = (orm: Orm, id: string): Promise<Project | undefined> =>
  orm.select().from(projects).where(eq(projects.id, id)).get();

/** Returns the published project; undefined for any other status and for unknown slugs alike. */
export const bySlug = (db: Db, slug: string) => db.read((orm) => onePublished(orm).get({ slug: composed(slug) }));

const onePublished = prepared((orm) =>
  orm
    .select(listed)
    .from(projects)
    .where(and(eq(projects.slug, sql.placeholder("slug")), isPublishedProject))
    .prepare(),
);

export type NewProject = Pick<Project, "slug" | "title"> &
  Partial<Omit<Project, "id" | "deletedAt" | "updatedAt" | "version">>;

/**
 * Inserts the project, or updates the one with this slug; missing fields keep their values. `clicks` and `createdAt`
 * apply to new projects only. A project in the trash is restored.
 */
export const save = (
  db: Db,
  { clicks = 0, createdAt, ...project }: NewProject,
  now: Date,
  record?: (orm: Orm) => Promise<void>,
) =>
  db.write(async (orm): Promise<Project> => {
    await record?.(orm);
    const slug = (await formerSlugIn(orm, project)) ?? project.slug;
    const saved: Project = await orm
      .insert(projects)
      .values({ ...project, slug, clicks, createdAt: createdAt ?? now, updatedAt: now })
      .onConflictDoUpdate({
        target: projects.slug,
        set: { ...project, slug, deletedAt: null, updatedAt: now, version: sql`${projects.version} + 1` },
      })
      .returning()
      .get();
    await emitUpdated(orm, [saved], now);
    return saved;
  });

/** Returns the slug that an earlier release gave to the project of this title, if that differs and nothing has its own. */
async function formerSlugIn(orm: Orm, { slug, title }: NewProject): Promise<string | undefined> {
  const former = formerSlugOf(slug);
  if (former === slug) return;
  const some = await orm
    .select(slugAndTitle)
    .from(projects)
    .where(inArray(projects.slug, [slug, former]))
    .all();
  return some.length === 1 && some[0]?.title === title ? some[0].slug : undefined;
}
const slugAndTitle = { slug: projects.slug, title: projects.title };

/** Reports changed projects to webhooks, whatever their status. */
export const emitUpdated = (orm: Orm, changed: Project[], now: Date) =>
  emitAll(
    orm,
    changed.map(({ id, slug, title, status }) => ({ type: "project.updated", data: { id, slug, title, status } })),
    now,
  );

/** Adds clicks to projects without changing their `updatedAt`. @param clicks project ID to additional clicks */
export async function addClicks(orm: Orm, clicks: Map<string, number>): Promise<void> {
  for (const [id, n] of clicks) await orm.run(sql`update ${projects} set clicks = clicks + ${n} where id = ${id}`);
}

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

/** A project's place: its group, and its position within the group, from 1. */
export type Place = { featured: boolean; position: number; of: number };
/** `stale`: the list on the screen was outdated; nothing was changed. */
export type ReorderResult =
  { outcome: "moved"; project: Project; from: Place; to: Place } | { outcome: "stale" } | { outcome: "gone" };

/** The order of the public list (spec 4.5). The ID breaks ties, as everywhere (D23). */
export const publicOrder = [
  desc(projects.featured),
  asc(projects.displayOrder),
  desc(projects.createdAt),
  asc(projects.id),
] as const;

type Ordered = Pick<Project, "id" | "featured">;

/** Returns everything outside the trash, in public order; drafts and archived projects have a place too. */
export const inOrder = (orm: Orm): Promise<Ordered[]> =>
  orm
    .select({ id: projects.id, featured: projects.featured })
    .from(projects)
    .where(isNull(projects.deletedAt))
    .orderBy(...publicOrder)
    .all();

/** Identifies this order. Clicks do not change it, so that projects on a busy site can still be reordered. */
export const stampOf = (order: Ordered[]) =>
  createHash("sha256")
    .update(order.map(({ id, featured }) => `${id}${Number(featured)}`).join())
    .digest("base64url")
    .slice(0, 22);

/** The order of one group on the screen after a drop. */
type OrderChange = { ids: string[]; stamp: string; moved: string };

/**
 * Reorders the projects of a group, if the list still has this stamp (otherwise `stale`). Projects on other pages keep
 * their places.
 */
export const reorder = (db: Db, { ids, stamp, moved }: OrderChange, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ReorderResult> => {
    const order = await inOrder(orm);
    const project = await find(orm, moved);
    if (!project || project.deletedAt) return { outcome: "gone" };
    const group = order.filter(({ featured }) => featured === project.featured).map(({ id }) => id);
    const visible = new Set(ids);
    const isWhole = visible.size === ids.length && visible.has(moved) && ids.every((id) => group.includes(id));
    if (stamp !== stampOf(order) || !isWhole) return { outcome: "stale" };
    const next = ids.values();
    return saveOrder(
      orm,
      { project, before: group, after: group.map((id) => (visible.has(id) ? (next.next().value ?? id) : id)) },
      by,
      now,
    );
  });

type Step = "up" | "down" | number;

/** Moves one project within its group: by one step, or to a position (the last one if there are fewer). */
export const move = (db: Db, { id, step }: { id: string; step: Step }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<ReorderResult> => {
    const project = await find(orm, id);
    if (!project || project.deletedAt) return { outcome: "gone" };
    const group = (await inOrder(orm)).filter(({ featured }) => featured === project.featured).map((one) => one.id);
    const here = group.indexOf(id);
    const wanted = step === "up" ? here - 1 : step === "down" ? here + 1 : step - 1;
    const there = Math.max(0, Math.min(group.length - 1, wanted));
    return saveOrder(orm, { project, before: group, after: group.toSpliced(here, 1).toSpliced(there, 0, id) }, by, now);
  });

/** Saves the positions, from 1, where they changed. `updatedAt` stays, because the project itself is unchanged. */
async function saveOrder(
  orm: Orm,
  { project, before, after }: { project: Project; before: string[]; after: string[] },
  by: audit.Actor,
  now: Date,
): Promise<ReorderResult> {
  const { id, title, featured } = project;
  const place = (order: string[]): Place => ({ featured, position: order.indexOf(id) + 1, of: order.length });
  const [from, to] = [place(before), place(after)];
  if (before.join() !== after.join()) {
    for (const [at, each] of after.entries())
      await orm.run(
        sql`update ${projects} set display_order = ${at + 1} where id = ${each} and display_order <> ${at + 1}`,
      );
    const details = { from: String(from.position), to: String(to.position) };
    await audit.record(orm, { ...by, action: "project.reorder", targetId: id, target: title, details }, now);
    await emitUpdated(orm, [project], now);
  }
  return { outcome: "moved", project, from, to };
}

/** Returns the place of each project. */
export function placesIn(order: Ordered[]): Map<string, Place> {
  const of = { true: 0, false: 0 };
  const places = order.map(({ id, featured }) => ({ id, featured, position: ++of[`${featured}`] }));
  return new Map(places.map(({ id, featured, position }) => [id, { featured, position, of: of[`${featured}`] }]));
}

/** Returns the place of this project; undefined if it is in the trash or does not exist. */
export const placeOf = (db: Db, id: string) => db.read(async (orm) => placesIn(await inOrder(orm)).get(id));

/** Returns the position for a project that joins this group: after all others. */
export const lastPlace = async (orm: Orm, featured: boolean): Promise<number> =>
  ((
    await orm
      .select({ last: sql<number | null>`max(${projects.displayOrder})` })
      .from(projects)
      .where(sql`${projects.featured} = ${Number(featured)} and ${projects.deletedAt} is null`)
      .get()
  )?.last ?? 0) + 1;

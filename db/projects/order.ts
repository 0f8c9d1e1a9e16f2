import { asc, desc, isNull, sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { emitUpdated, find, type Project } from "./projects";
import { projects } from "../schema/projects";

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

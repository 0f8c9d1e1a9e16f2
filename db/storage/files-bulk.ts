import { and, eq, gt, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditAction } from "../audit-actions";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { fold } from "../lib/fold";
import { countRows } from "../lib/page";
import { type FileScope, matching } from "./files-list";
import { inTrash, toTrash } from "./trash";
import { isUnused, isUsed } from "./references";
import { isStored } from "./files";
import * as folders from "./folders";
import { folders as folderTable, uploads } from "../schema/storage";

export type Chosen = UndoableSelection<FileScope>;
/** `delete` is for good: their time in the trash is over. */
export type Move = "trash" | "restore" | "delete";
export type Moved = Changed<{ id: string; filename: string }>;

/** Moves the chosen files that can be moved so, and notes it in the audit log, in commits of a thousand. */
export const move = (db: Db, move: Move, chosen: Chosen, by: audit.Actor, now: Date): Promise<Moved> =>
  changeInCommits(db, (orm) => {
    const set = { trash: toTrash(now), restore: { deletedAt: null, purgeAt: null }, delete: { purgeAt: now } }[move];
    return change(orm, taken(orm, move, chosen, now), set, { ...by, action: `file.${move}` }, now);
  });

/** Moves the chosen files to the folder at `path`, which is made for them when it is not there. */
export const moveTo = (db: Db, path: string, chosen: Chosen, by: audit.Actor, now: Date): Promise<Moved> =>
  changeInCommits(db, (orm) => {
    const there = and(isStored, among(chosen));
    if (!orm.select({ id: uploads.id }).from(uploads).where(there).limit(1).get()) return []; // and no folder for nothing
    const folderId = folders.ensure(orm, path, now);
    const elsewhere = and(there, ne(uploads.folderId, folderId));
    return change(orm, elsewhere, { folderId }, { ...by, action: "file.move", details: { to: path || "/" } }, now);
  });

/** Gives a file another name. Undefined when it is not there any more. */
export const rename = (db: Db, id: string, filename: string, by: audit.Actor, now: Date) =>
  db.write((orm): string | undefined => {
    const here = and(eq(uploads.id, id), isStored);
    const before = orm.select({ filename: uploads.filename }).from(uploads).where(here).get();
    if (!before) return undefined;
    orm
      .update(uploads)
      .set({ filename, folded: fold(filename) })
      .where(here)
      .run();
    const named = { targetId: id, target: filename, details: { before: before.filename } };
    if (before.filename !== filename) audit.record(orm, { ...by, action: "file.rename", ...named }, now);
    return before.filename;
  });

function change(
  orm: Orm,
  where: SQL | undefined,
  set: Partial<typeof uploads.$inferInsert>,
  event: audit.Actor & { action: AuditAction; details?: Record<string, string> },
  now: Date,
) {
  const next = orm.select({ id: uploads.id }).from(uploads).where(where).limit(rowsPerCommit);
  const batch = orm
    .update(uploads)
    .set(set)
    .where(inArray(uploads.id, next))
    .returning({ id: uploads.id, filename: uploads.filename })
    .all();
  const target = auditTarget(batch[0], batch.length, ({ filename }) => filename, event.details);
  if (batch.length) audit.record(orm, { ...event, ...target }, now);
  return batch;
}

/** How many the move would take now, and how many it leaves because something uses them. */
export const countTaken = (db: Db, move: Move, chosen: Chosen, now: Date) =>
  db.read((orm) => {
    const used = and(move === "trash" ? isStored : inTrash, among(chosen), isUsed(orm));
    return {
      count: countRows(orm, uploads, taken(orm, move, chosen, now)),
      inUse: move === "restore" ? 0 : countRows(orm, uploads, used),
    };
  });

/** Whoever is too late finds nothing to take. What is due belongs to the sweeper: it cannot come back. */
function taken(orm: Orm, move: Move, chosen: Chosen, now: Date): SQL | undefined {
  const takes = {
    trash: and(isStored, isUnused(orm)),
    restore: and(inTrash, gt(uploads.purgeAt, now)),
    delete: and(inTrash, gt(uploads.purgeAt, now), isUnused(orm)),
  };
  return and(takes[move], among(chosen));
}

function among(chosen: Chosen): SQL | undefined {
  if ("ids" in chosen) return inArray(uploads.id, chosen.ids);
  if ("matching" in chosen) return matching(chosen.matching);
  return eq(uploads.deletedAt, chosen.changedAt);
}

/** How many of the chosen files would meet one of the same name in the folder. */
export const countClashes = (db: Db, folder: string, chosen: Chosen | { named: string; except: string }) =>
  db.read((orm) => {
    const there = sql`${uploads.folderId} = (select id from ${folderTable} where path = ${folder})`;
    const names =
      "named" in chosen
        ? sql`${chosen.named}`
        : orm
            .select({ filename: uploads.filename })
            .from(uploads)
            .where(and(isStored, among(chosen)));
    const others = "named" in chosen ? ne(uploads.id, chosen.except) : sql`not (${among(chosen)})`;
    const same = sql`${uploads.filename} in (${names})`;
    return countRows(orm, uploads, and(isStored, there, same, others));
  });

/** The folder that all chosen files lie in, for the way back; undefined when there are several. */
export const commonFolder = (db: Db, ids: string[]): Promise<string | undefined> =>
  db.read((orm) => {
    const found = orm
      .selectDistinct({ path: folderTable.path })
      .from(uploads)
      .innerJoin(folderTable, eq(folderTable.id, uploads.folderId))
      .where(inArray(uploads.id, ids))
      .limit(2)
      .all();
    return found.length === 1 ? found[0]?.path : undefined;
  });

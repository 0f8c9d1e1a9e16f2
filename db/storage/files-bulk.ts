import { and, eq, gt, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditAction } from "../audit";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { fold } from "../lib/fold";
import { countRows } from "../lib/rows";
import { type FileScope, matching } from "./files-list";
import { inTrash, trashColumns } from "./trash";
import { isUnused, isUsed } from "./references";
import { changedMetadata, isStored, type Metadata, metadataProblem } from "./files";
import { type Description, describeIn, isPicture } from "./pictures";
import * as foldersEdit from "./folders";
import { folders as folderTable, uploads } from "../schema/storage";

export type FileSelection = UndoableSelection<FileScope>;
/** `delete` is permanent: it ends the files' time in the trash. */
type FileAction = "trash" | "restore" | "delete";
export type ChangedFiles = Changed<{ id: string; filename: string }>;

/** Applies an action to the selected files it applies to, and records it in the audit log, in commits of a thousand. */
export const applyAction = (
  db: Db,
  { action, selection }: { action: FileAction; selection: FileSelection },
  by: audit.Actor,
  now: Date,
): Promise<ChangedFiles> =>
  changeInCommits(db, (orm) => {
    const set = { trash: trashColumns(now), restore: { deletedAt: null, purgeAt: null }, delete: { purgeAt: now } }[
      action
    ];
    return change(orm, { where: affected(action, selection, now), set }, { ...by, action: `file.${action}` }, now);
  });

/** Moves the selected files to the folder at `path`, which is created if necessary. */
export const moveTo = (
  db: Db,
  { path, selection }: { path: string; selection: FileSelection },
  by: audit.Actor,
  now: Date,
): Promise<ChangedFiles> => changeInCommits(db, (orm) => moveSelected(orm, { path, selection }, by, now));

async function moveSelected(
  orm: Orm,
  { path, selection }: { path: string; selection: FileSelection },
  by: audit.Actor,
  now: Date,
) {
  const there = and(isStored, isSelected(selection));
  if (!(await orm.select({ id: uploads.id }).from(uploads).where(there).limit(1).get())) return []; // do not create a folder for nothing
  const folderId = await foldersEdit.ensure(orm, path, now);
  const elsewhere = and(there, ne(uploads.folderId, folderId));
  return change(
    orm,
    { where: elsewhere, set: { folderId } },
    { ...by, action: "file.move", details: { to: path || "/" } },
    now,
  );
}

type FileChanges = {
  id: string;
  filename?: string | undefined;
  folderPath?: string | undefined;
  /** Null removes an entry. */
  metadata?: Record<string, string | null> | undefined;
} & Description;

/** A field that cannot be changed like this, and why. */
type Refusal = { field: "metadata" | "alt" | "focus"; problem: string };

/**
 * Renames or moves one file, changes its metadata, or describes a picture. Returns its previous name, or what cannot be
 * changed: then nothing has changed. Undefined if it no longer exists.
 */
export const edit = (
  db: Db,
  { id, filename, folderPath, metadata, ...described }: FileChanges,
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<string | Refusal | undefined> => {
    const here = and(eq(uploads.id, id), isStored);
    const before = await orm.select(columnsBefore).from(uploads).where(here).get();
    if (!before) return undefined;
    const field = (["alt", "focus"] as const).find((name) => described[name] !== undefined);
    if (field && !isPicture(before)) return { field, problem: "is for pictures only" };
    const problem = metadata && (await changeMetadata(orm, { id, before, changes: metadata }, by, now));
    if (problem) return { field: "metadata", problem };
    await describeIn(orm, id, described, by, now);
    if (filename !== undefined && filename !== before.filename) {
      await orm
        .update(uploads)
        .set({ filename, folded: fold(filename) })
        .where(here)
        .run();
      const renamed = { targetId: id, target: filename, details: { before: before.filename } };
      await audit.record(orm, { ...by, action: "file.rename", ...renamed }, now);
    }
    if (folderPath !== undefined) await moveSelected(orm, { path: folderPath, selection: { ids: [id] } }, by, now);
    return before.filename;
  });

const columnsBefore = { filename: uploads.filename, mimeType: uploads.mimeType, metadata: uploads.metadata };
type MetadataChange = {
  id: string;
  before: { filename: string; metadata: Metadata | null };
  changes: Record<string, string | null>;
};

/** Returns what is wrong with the result, which is then not stored. The audit log names the entries, not their values. */
async function changeMetadata(orm: Orm, { id, before, changes }: MetadataChange, by: audit.Actor, now: Date) {
  const names = Object.keys(changes).filter((name) => (before.metadata?.[name] ?? null) !== changes[name]);
  if (!names.length) return undefined;
  const metadata = changedMetadata(before.metadata, changes);
  const problem = metadataProblem(metadata);
  if (problem) return problem;
  const set = { metadata: Object.keys(metadata).length ? metadata : null };
  await orm.update(uploads).set(set).where(eq(uploads.id, id)).run();
  const event = { targetId: id, target: before.filename, details: { names: names.join(", ") } };
  await audit.record(orm, { ...by, action: "file.describe", ...event }, now);
  return undefined;
}

async function change(
  orm: Orm,
  { where, set }: { where: SQL | undefined; set: Partial<typeof uploads.$inferInsert> },
  event: audit.Actor & { action: AuditAction; details?: Record<string, string> },
  now: Date,
) {
  const next = orm.select({ id: uploads.id }).from(uploads).where(where).limit(rowsPerCommit);
  const batch = await orm
    .update(uploads)
    .set(set)
    .where(inArray(uploads.id, next))
    .returning({ id: uploads.id, filename: uploads.filename })
    .all();
  const target = auditTarget(batch[0], batch.length, ({ filename }) => filename, event.details);
  if (batch.length) await audit.record(orm, { ...event, ...target }, now);
  return batch;
}

/** Counts the files the action would change now, and those it skips because something uses them. */
export const countAffected = (db: Db, action: FileAction, selection: FileSelection, now: Date) =>
  db.read(async (orm) => {
    const used = and(action === "trash" ? isStored : inTrash, isSelected(selection), isUsed);
    return {
      count: await countRows(orm, uploads, affected(action, selection, now)),
      inUse: action === "restore" ? 0 : await countRows(orm, uploads, used),
    };
  });

/**
 * Files that no longer qualify are skipped. Files whose time in the trash is over belong to the sweeper and cannot be
 * restored.
 */
function affected(action: FileAction, selection: FileSelection, now: Date): SQL | undefined {
  const appliesTo = {
    trash: and(isStored, isUnused),
    restore: and(inTrash, gt(uploads.purgeAt, now)),
    delete: and(inTrash, gt(uploads.purgeAt, now), isUnused),
  };
  return and(appliesTo[action], isSelected(selection));
}

function isSelected(selection: FileSelection): SQL | undefined {
  if ("ids" in selection) return inArray(uploads.id, selection.ids);
  if ("matching" in selection) return matching(selection.matching);
  return eq(uploads.deletedAt, selection.changedAt);
}

/** Counts the selected files whose name is already taken in the folder. */
export const countNameConflicts = (
  db: Db,
  folder: string,
  selection: FileSelection | { named: string; except: string },
) =>
  db.read((orm) => {
    const there = sql`${uploads.folderId} = (select id from ${folderTable} where path = ${folder})`;
    const names =
      "named" in selection
        ? sql`${selection.named}`
        : orm
            .select({ filename: uploads.filename })
            .from(uploads)
            .where(and(isStored, isSelected(selection)));
    const others = "named" in selection ? ne(uploads.id, selection.except) : sql`not (${isSelected(selection)})`;
    const same = sql`${uploads.filename} in (${names})`;
    return countRows(orm, uploads, and(isStored, there, same, others));
  });

/** Returns the folder that contains all selected files, for undoing; undefined if there are several. */
export const commonFolder = (db: Db, ids: string[]): Promise<string | undefined> =>
  db.read(async (orm) => {
    const paths = await orm
      .selectDistinct({ path: folderTable.path })
      .from(uploads)
      .innerJoin(folderTable, eq(folderTable.id, uploads.folderId))
      .where(inArray(uploads.id, ids))
      .limit(2)
      .all();
    return paths.length === 1 ? paths[0]?.path : undefined;
  });

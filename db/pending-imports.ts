import { and, asc, desc, eq, gt, inArray, lt } from "drizzle-orm";
import { hourMs } from "./lib/time";
import type { Db, Orm } from "./engine/open";
import { pendingImportFiles, pendingImports } from "./schema/shared";

type Kind = (typeof pendingImports.$inferSelect)["kind"];
type PendingImport = {
  /** Hash of the token that the form carries. */
  hash: string;
  /** The session that uploaded the files; only it may import them. */
  sessionId: string;
  files: { name: string; bytes: Buffer }[];
  options?: Record<string, string>;
};

const lifetimeMs = hourMs;
const maxPending: Record<Kind, number> = { posts: 2, subscribers: 4, report: 4 }; // of up to 16 MiB each

/**
 * Keeps checked files for an hour, until they are imported. When too many wait, the oldest are dropped. A session has one
 * report: the last.
 */
export const keep = (db: Db, kind: Kind, { files, ...upload }: PendingImport, now: Date) =>
  db.write(async (orm) => {
    const others = orm
      .select({ hash: pendingImports.hash })
      .from(pendingImports)
      .where(eq(pendingImports.kind, kind))
      .orderBy(desc(pendingImports.expiresAt), desc(pendingImports.hash))
      .limit(1_000)
      .offset(maxPending[kind] - 1);
    await orm.delete(pendingImports).where(inArray(pendingImports.hash, others)).run();
    await orm.delete(pendingImports).where(lt(pendingImports.expiresAt, now)).run();
    const isFormer = and(eq(pendingImports.kind, "report"), eq(pendingImports.sessionId, upload.sessionId));
    if (kind === "report") await orm.delete(pendingImports).where(isFormer).run();
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    await orm
      .insert(pendingImports)
      .values({ ...upload, kind, expiresAt })
      .run();
    const { hash } = upload;
    for (const [position, file] of files.entries())
      await orm
        .insert(pendingImportFiles)
        .values({ hash, position, ...file })
        .run();
  });

type Own = Pick<PendingImport, "hash" | "sessionId">;

/** Takes the files out, once. Returns undefined if they are gone or belong to another session. */
export const take = (db: Db, kind: Kind, own: Own, now: Date) =>
  db.write(async (orm) => {
    const files = await filesOf(orm, kind, own, now);
    if (files) await orm.delete(pendingImports).where(eq(pendingImports.hash, own.hash)).run(); // and its files
    return files;
  });

/** Returns the files, which keep waiting. Undefined as above. */
export const look = (db: Db, kind: Kind, own: Own, now: Date) => db.read((orm) => filesOf(orm, kind, own, now));

/** Returns the report of a session's last import. */
export const lastReport = (db: Db, sessionId: string, now: Date) =>
  db.read(async (orm) => {
    const { hash, kind } = pendingImports;
    const isOwn = and(eq(kind, "report"), eq(pendingImports.sessionId, sessionId));
    const report = await orm.select({ hash }).from(pendingImports).where(isOwn).get();
    return report && filesOf(orm, "report", { ...report, sessionId }, now);
  });

/** Changes the options of a waiting import. */
export const choose = (db: Db, kind: Kind, own: Own, options: Record<string, string>, now: Date) =>
  db.write((orm) =>
    orm
      .update(pendingImports)
      .set({ options })
      .where(isWaiting(kind, own, now))
      .run(),
  );

const isWaiting = (kind: Kind, { hash, sessionId }: Own, now: Date) =>
  and(
    eq(pendingImports.hash, hash),
    eq(pendingImports.sessionId, sessionId),
    eq(pendingImports.kind, kind),
    gt(pendingImports.expiresAt, now),
  );

async function filesOf(orm: Orm, kind: Kind, own: Own, now: Date) {
  const pending = await orm
    .select()
    .from(pendingImports)
    .where(isWaiting(kind, own, now))
    .get();
  if (!pending) return undefined;
  const files = await orm
    .select({ name: pendingImportFiles.name, bytes: pendingImportFiles.bytes })
    .from(pendingImportFiles)
    .where(eq(pendingImportFiles.hash, own.hash))
    .orderBy(asc(pendingImportFiles.position))
    .all();
  return { files: files.map(({ name, bytes }) => new File([new Uint8Array(bytes)], name)), options: pending.options };
}

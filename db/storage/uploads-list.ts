import { and, desc, eq, inArray, isNotNull, lt, type SQL } from "drizzle-orm";
import type { Db } from "../engine/open";
import { countRows, pageOf, type PageRequest } from "../lib/rows";
import * as audit from "../audit";
import { apiKeys, managers } from "../schema/access";
import { folders, storageNodes, isUnsettled, uploads } from "../schema/storage";

/** Uploads in progress, all or by who started them, or those that ended without a file. */
type UploadFilter = { view: "" | "mine" | "api" | "ended"; managerId: string };

const views: Record<UploadFilter["view"], (managerId: string) => SQL | undefined> = {
  "": () => isUnsettled,
  mine: (managerId) => and(isUnsettled, eq(uploads.managerId, managerId)),
  api: () => and(isUnsettled, isNotNull(uploads.apiKeyId)),
  ended: () => eq(uploads.state, "aborted"),
};

/**
 * Returns one page, newest first, each with the names of its node, its folder, and the key or manager that started it.
 */
export const list = (db: Db, { view, managerId }: UploadFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = views[view](managerId);
    const inOrder = orm
      .select({
        upload: uploads,
        node: storageNodes.name,
        folder: folders.path,
        key: apiKeys.name,
        manager: managers.email,
      })
      .from(uploads)
      .innerJoin(storageNodes, eq(storageNodes.id, uploads.nodeId))
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .leftJoin(apiKeys, eq(apiKeys.id, uploads.apiKeyId))
      .leftJoin(managers, eq(managers.id, uploads.managerId))
      .where(where)
      .orderBy(desc(uploads.createdAt), desc(uploads.id));
    return pageOf(await countRows(orm, uploads, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
  });

export type ListedUpload = Awaited<ReturnType<typeof list>>["rows"][number];

/**
 * Returns an API key's uploads in progress, newest first, and their total number. `next` is set if the list continues
 * (D23).
 */
export const openOf = (db: Db, apiKeyId: string, { limit, after }: { limit: number; after?: string | undefined }) =>
  db.read(async (orm) => {
    const own = and(isUnsettled, eq(uploads.apiKeyId, apiKeyId));
    const rows = await orm
      .select({ upload: uploads, folder: folders.path })
      .from(uploads)
      .innerJoin(folders, eq(folders.id, uploads.folderId))
      .where(after === undefined ? own : and(own, lt(uploads.id, after)))
      .orderBy(desc(uploads.id)) // IDs are created in order of time
      .limit(limit + 1)
      .all();
    const page = rows.slice(0, limit);
    return {
      rows: page,
      total: await countRows(orm, uploads, own),
      next: rows.length > limit ? page.at(-1)?.upload.id : undefined,
    };
  });

/** Counts the uploads in progress, in total, by this manager, and by API keys. */
export const counts = (db: Db, managerId: string) =>
  db.read(async (orm) => {
    const of = (view: UploadFilter["view"]) => countRows(orm, uploads, views[view](managerId));
    return { open: await of(""), mine: await of("mine"), api: await of("api") };
  });

/** Aborts these uploads. The sweeper then discards them at the provider, which frees the space. Returns their names. */
export const abort = (db: Db, ids: string[], by: audit.Actor, now: Date): Promise<string[]> =>
  db.write(async (orm) => {
    const given = and(inArray(uploads.id, ids), inArray(uploads.state, ["pending", "open"]));
    const set = { state: "aborting" as const, outcome: "aborted by a manager", nextCheckAt: now };
    const aborted = await orm.update(uploads).set(set).where(given).returning().all();
    for (const { id, filename } of aborted)
      await audit.record(orm, { ...by, action: "upload.abort", targetId: id, target: filename }, now);
    return aborted.map(({ filename }) => filename);
  });

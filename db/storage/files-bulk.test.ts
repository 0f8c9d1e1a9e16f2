import { describe, expect, test } from "bun:test";
import * as fileList from "./files-list";
import * as fileBulk from "./files-bulk";
import { deletePurged, due, trash } from "./trash";
import * as files from "./files";
import { withFiles } from "../../test/support/storage/file-rows";
import * as folders from "./folders";
import * as posts from "../posts/posts";
import * as storageNodes from "./nodes/nodes";
import { look } from "../../test/support/look";

const by = { actor: "ada@example.com" };
const page = { page: 1, per: 50 };
const day = 86_400_000;
const cover = (id: string) => ({ slug: "p", title: "P", published: false, coverImage: `/media/${id}/a` });

describe("the trash", () => {
  test("keeps a file with its bytes for thirty days, and restores it", async () => {
    const { db, now, ids, used, nodeId, clock, events } = await withFiles({}, {});
    expect(await fileBulk.applyAction(db, { action: "trash", selection: { ids: [ids[0]] } }, by, now())).toMatchObject({
      count: 1,
    });
    expect([await used(), await files.findStored(db, ids[0])]).toEqual([20, undefined]);
    clock.time += 30 * day - 1;
    expect(await due(db, nodeId, now())).toEqual([]);
    expect(await fileBulk.applyAction(db, { action: "restore", selection: { ids } }, by, now())).toMatchObject({
      count: 1,
    });
    expect(await files.findStored(db, ids[0])).toMatchObject({ deletedAt: null, purgeAt: null });
    clock.time += 30 * day;
    expect(await due(db, nodeId, now())).toEqual([]);
    expect((await events()).map(({ action }) => action)).toEqual(["file.trash", "file.restore"]);
  });

  test("files whose time is up cannot be restored, and their bytes are freed once", async () => {
    const { db, now, ids, used, nodeId } = await withFiles({ size: 7 }, { size: 5 });
    await fileBulk.applyAction(db, { action: "trash", selection: { ids } }, by, now());
    await fileBulk.applyAction(db, { action: "delete", selection: { ids: [ids[0]] } }, by, now());
    expect(
      await fileBulk.applyAction(db, { action: "restore", selection: { ids: [ids[0]] } }, by, now()),
    ).toMatchObject({ count: 0 });
    expect((await due(db, nodeId, now())).map(({ id }) => id)).toEqual([ids[0]]);
    expect(await Promise.all([1, 2, 3].map(() => deletePurged(db, ids[0])))).toEqual([true, false, false]);
    expect([await used(), await files.find(db, ids[0])]).toEqual([5, undefined]);
    expect(await storageNodes.imbalances(db)).toEqual([]);
  });

  test("undo restores what one deletion moved, and nothing else", async () => {
    const { db, clock, now, ids } = await withFiles({}, {}, {});
    await fileBulk.applyAction(db, { action: "trash", selection: { ids: [ids[0]] } }, by, now());
    clock.time += 1;
    const at = now();
    await fileBulk.applyAction(db, { action: "trash", selection: { ids: ids.slice(1) } }, by, at);
    expect(
      await fileBulk.applyAction(db, { action: "restore", selection: { changedAt: at } }, by, now()),
    ).toMatchObject({ count: 2 });
    expect((await fileList.list(db, { trash: true }, "name", page)).rows.map(({ id }) => id)).toEqual([ids[0]]);
  });

  test("skips a file that a post uses, and does not purge it if the post came later", async () => {
    const { db, now, ids, nodeId } = await withFiles({}, {});
    await posts.save(db, cover(ids[0]), now());
    expect(await fileBulk.countAffected(db, "trash", { ids }, now())).toEqual({ count: 1, inUse: 1 });
    expect(await fileBulk.applyAction(db, { action: "trash", selection: { ids } }, by, now())).toMatchObject({
      count: 1,
      first: { id: ids[1] },
    });
    await posts.save(db, { ...cover(ids[1] ?? ""), slug: "q" }, now());
    expect(await fileBulk.applyAction(db, { action: "delete", selection: { ids } }, by, now())).toMatchObject({
      count: 0,
    });
    await look(db, "update uploads set purge_at = 1 where deleted_at is not null");
    expect(await due(db, nodeId, now())).toEqual([]);
    await look(db, "delete from posts");
    expect((await due(db, nodeId, now())).map(({ id }) => id)).toEqual([ids[1] ?? ""]);
  });

  test("includes all that match, a thousand at a time", async () => {
    const { db, now, ids, events } = await withFiles({ filename: "keep.md" }, { filename: "go.txt", size: 0 });
    await look(
      db,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2100)
      insert into uploads (id, node_id, folder_id, object_key, filename, folded, mime_type, size, state, next_check_at, hold_until, created_at)
      select 'copy-' || i, node_id, folder_id, 'key-' || i, filename, folded, mime_type, size, state, 0, 0, created_at
      from uploads, n where id = '${ids[1]}'`,
    );
    const chosen = { matching: { folder: "", q: "GO." } };
    expect(await fileBulk.countAffected(db, "trash", chosen, now())).toEqual({ count: 2_101, inUse: 0 });
    expect((await fileBulk.applyAction(db, { action: "trash", selection: chosen }, by, now())).count).toBe(2_101);
    expect(await fileList.counts(db)).toEqual({ trash: 2_101, open: 0 });
    expect((await events()).map(({ details }) => details)).toEqual([
      '{"count":"1000"}',
      '{"count":"1000"}',
      '{"count":"101"}',
    ]);
  });
});

describe("moving and renaming", () => {
  test("a file is moved to a folder that is created for it; one that is already there stays", async () => {
    const { db, now, ids, events } = await withFiles({}, { folderPath: "a" });
    const here = await fileBulk.commonFolder(db, [ids[0]]);
    expect([here, await fileBulk.commonFolder(db, ids)]).toEqual(["", undefined]);
    expect(await fileBulk.moveTo(db, { path: "a/b", selection: { ids } }, by, now())).toMatchObject({ count: 2 });
    expect((await fileList.list(db, { folder: "a/b" }, "name", page)).total).toBe(2);
    expect(await fileBulk.moveTo(db, { path: "a/b", selection: { ids } }, by, now())).toMatchObject({ count: 0 });
    expect(await fileBulk.moveTo(db, { path: "never", selection: { ids: ["gone"] } }, by, now())).toMatchObject({
      count: 0,
    });
    expect((await folders.list(db)).map(({ path }) => path)).not.toContain("never");
    expect(await events()).toMatchObject([{ action: "file.move", details: '{"to":"a/b","count":"2"}' }]);
  });

  test("a new name is found by the search and recorded in the audit log", async () => {
    const { db, now, ids, events } = await withFiles({ filename: "old.txt" });
    expect(await fileBulk.edit(db, { id: ids[0], filename: "Straße.txt" }, by, now())).toBe("old.txt");
    expect((await fileList.list(db, { folder: "", q: "STRASSE" }, "name", page)).rows[0]?.filename).toBe("Straße.txt");
    expect(await events()).toMatchObject([
      { action: "file.rename", target: "Straße.txt", details: '{"before":"old.txt"}' },
    ]);
    expect(await fileBulk.edit(db, { id: "nobody", filename: "a" }, by, now())).toBeUndefined();
  });

  test("clashes are counted: other stored files of the same name in that folder", async () => {
    const { db, ids, now } = await withFiles({ filename: "a" }, { filename: "a", folderPath: "x" }, { filename: "b" });
    expect(await fileBulk.countNameConflicts(db, "x", { ids: [ids[0]] })).toBe(1);
    expect(await fileBulk.countNameConflicts(db, "x", { ids: [ids[2] ?? ""] })).toBe(0);
    expect(await fileBulk.countNameConflicts(db, "", { named: "b", except: ids[0] })).toBe(1);
    expect(await fileBulk.countNameConflicts(db, "", { named: "b", except: ids[2] ?? "" })).toBe(0);
    await trash(db, ids[1] ?? "", by, now());
    expect(await fileBulk.countNameConflicts(db, "x", { ids: [ids[0]] })).toBe(0);
  });
});

describe("the list", () => {
  const some = [
    { filename: "B.png", mimeType: "image/png", size: 3 },
    { filename: "a.txt", size: 30 },
    { filename: "c.bin", mimeType: "application/x-thing", size: 20 },
    { filename: "100%_.pdf", mimeType: "application/pdf; version=1", folderPath: "in/deep" },
    { filename: "a.mp4", mimeType: "video/mp4", folderPath: "in" },
  ];
  const listed = async (filter: Partial<fileList.FileFilter>, sort: fileList.FileSort = "name") => {
    const { db } = await withFiles(...some);
    const { rows } = await fileList.list(db, { folder: "", ...filter }, sort, page);
    return rows.map(({ filename }) => filename);
  };

  test.each<[string, Partial<fileList.FileFilter>, fileList.FileSort, string[]]>([
    ["by name", {}, "name", ["a.txt", "B.png", "c.bin"]],
    ["by name, turned", {}, "-name", ["c.bin", "B.png", "a.txt"]],
    ["by size", {}, "size", ["B.png", "c.bin", "a.txt"]],
    ["by type", {}, "type", ["c.bin", "B.png", "a.txt"]],
    ["in a folder", { folder: "in" }, "name", ["a.mp4"]],
    ["searched in a folder and below", { folder: "in", q: "." }, "name", ["100%_.pdf", "a.mp4"]],
    ["searched everywhere", { folder: "in", q: "A.", isEverywhere: true }, "name", ["a.mp4", "a.txt"]],
    ["searched from the root", { q: "%_" }, "name", ["100%_.pdf"]],
    ["of a kind", { kind: "image" }, "name", ["B.png"]],
    ["of another kind", { kind: "other" }, "name", ["c.bin"]],
    ["with parameters in the type", { folder: "in/deep", kind: "pdf" }, "name", ["100%_.pdf"]],
  ])("%s", async (_, filter, sort, names) => expect(await listed(filter, sort)).toEqual(names));

  test("a page past the end is the last one", async () => {
    const { db } = await withFiles(...some);
    const last = await fileList.list(db, { folder: "" }, "name", { page: 99, per: 2 });
    expect([last.page, last.total, last.rows.map(({ filename }) => filename)]).toEqual([2, 3, ["c.bin"]]);
  });
});

import { expect, test } from "bun:test";
import { withFiles } from "../../test/support/storage/file-rows";
import * as folders from "./folders";
import { trash } from "./trash";
import * as files from "./files";
import { look, onSqlite } from "../../test/support/look";

const by = { actor: "ada@example.com" };
const paths = (found: { path: string }[]) => found.map(({ path }) => path);

test("a folder is made with those above it, once, and noted once", async () => {
  const { db, now, events } = await withFiles();
  expect(await folders.create(db, "a/b/c", by, now())).toBe(true);
  expect(await folders.create(db, "a/b/c", by, now())).toBe(false);
  expect(paths(await folders.list(db))).toEqual(["", "a", "a/b", "a/b/c"]);
  expect(await events()).toMatchObject([{ action: "folder.create", target: "a/b/c" }]);
});

test("the direct contents of a folder are listed and counted, whatever its neighbours are called", async () => {
  const { db } = await withFiles(
    { folderPath: "a/b" },
    { folderPath: "a/b" },
    { folderPath: "a/b/deep" },
    { folderPath: "a-z" },
    { folderPath: "aa/x" },
    { folderPath: "a%_/y" },
  );
  expect(await folders.listIn(db, "")).toMatchObject([
    { path: "a", files: 0, folders: 1 },
    { path: "a%_", files: 0, folders: 1 },
    { path: "a-z", files: 1, folders: 0 },
    { path: "aa", files: 0, folders: 1 },
  ]);
  expect(await folders.listIn(db, "a")).toMatchObject([{ path: "a/b", files: 2, folders: 1 }]);
  expect(paths(await folders.listIn(db, "a/b"))).toEqual(["a/b/deep"]);
  expect(await folders.listIn(db, "a/b/deep")).toEqual([]);
  expect(await folders.listIn(db, "nowhere")).toEqual([]);
});

onSqlite("a plan of its query planner")("listing a folder uses the index instead of reading every folder", async () => {
  const { db } = await withFiles();
  const plan = (await look(
    db,
    "explain query plan select id from folders where rtrim(path, replace(path, '/', '')) = ? order by path",
    ["a/"],
  )) as { detail: string }[];
  expect(plan.map(({ detail }) => detail).join()).toContain("folders_above");
});

test("folders are found by their own name in any case, in a folder or everywhere", async () => {
  const { db, now } = await withFiles();
  for (const path of ["photos/Straße", "photos/2026", "other/strasse 2"]) await folders.create(db, path, by, now());
  expect(paths(await folders.search(db, "STRASSE", ""))).toEqual(["other/strasse 2", "photos/Straße"]);
  expect(paths(await folders.search(db, "strasse", "photos"))).toEqual(["photos/Straße"]);
  expect(await folders.search(db, "photos/", "")).toEqual([]);
});

test("only an empty folder can be removed", async () => {
  const { db, now, open, events } = await withFiles({ folderPath: "full" }, { folderPath: "above/below" });
  await open("waiting");
  const remove = (path: string) => folders.remove(db, path, by, now());
  for (const path of ["full", "above", "waiting"]) expect([path, await remove(path)]).toEqual([path, "not empty"]);
  for (const path of ["", "nowhere"]) expect([path, await remove(path)]).toEqual([path, "not there"]);
  await folders.create(db, "empty", by, now());
  expect(await remove("empty")).toBe("removed");
  expect((await events()).at(-1)).toMatchObject({ action: "folder.remove", target: "empty" });
});

test("a file deleted from a removed folder is restored to the parent folder", async () => {
  const { db, now, ids } = await withFiles({ folderPath: "a/b" });
  await trash(db, ids[0], by, now());
  expect(await folders.remove(db, "a/b", by, now())).toBe("removed");
  expect((await files.find(db, ids[0]))?.folder).toBe("a");
});

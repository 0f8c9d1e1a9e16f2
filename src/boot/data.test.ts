import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { basename } from "node:path";
import { onSqlite } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { backupPath, databaseFile } from "../platform/data-dir";
import { openData } from "./data";

test("copies of one second have names of their own", () => {
  using folder = temporaryFolder();
  const where = { DATA_DIR: folder.path, DATABASE_URL: undefined, DATABASE_POOL: 1 };
  const names = [1, 2, 3].map(() => {
    const path = backupPath(where, "before-restore", new Date("2026-11-24T05:45:53.412Z"));
    fs.writeFileSync(path, "");
    return basename(path);
  });
  const name = "before-restore-20261124T054553Z";
  expect(names).toEqual([`${name}.sqlite`, `${name}-2.sqlite`, `${name}-3.sqlite`]);
});

onSqlite("PostgreSQL has no file")(
  "a new database gets its name once it is on the disk, and so does the name",
  async () => {
    using folder = temporaryFolder();
    const where = { DATA_DIR: folder.path, DATABASE_URL: undefined, DATABASE_POOL: 1 };
    const done: (number | string)[] = [];
    using _syncs = spyOn(fs, "fsyncSync").mockImplementation((file) => void done.push(fs.fstatSync(file).ino));
    const link = fs.linkSync;
    using _links = spyOn(fs, "linkSync").mockImplementation((from, to) => (done.push("named"), link(from, to)));
    await (await openData(where, new Date())).close();
    expect(done).toEqual([fs.statSync(databaseFile(where)).ino, "named", fs.statSync(folder.path).ino]);
  },
);

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { temporaryFolder } from "../../test/support/processes";
import { backupPath } from "./data";

test("copies of one second have names of their own", () => {
  using folder = temporaryFolder();
  const where = { DATA_DIR: folder.path, DATABASE_URL: undefined, DATABASE_POOL: 1 };
  const names = [1, 2, 3].map(() => {
    const path = backupPath(where, "before-restore", new Date("2026-11-24T05:45:53.412Z"));
    writeFileSync(path, "");
    return basename(path);
  });
  const name = "before-restore-20261124T054553Z";
  expect(names).toEqual([`${name}.sqlite`, `${name}-2.sqlite`, `${name}-3.sqlite`]);
});

import { expect, test } from "bun:test";
import { withFiles } from "../../test/support/storage/file-rows";
import { freeName } from "./repeated";

test.each([
  ["a.txt", "a (2).txt"],
  ["README", "README (2)"],
  [".profile", ".profile (2)"],
  ["a.tar.gz", "a.tar (2).gz"],
  [`${"ä".repeat(125)}.txt`, `${"ä".repeat(121)} (2).txt`],
  [`a.${"b".repeat(250)}`, `a.${"b".repeat(244)} (2)`], // too long for a file extension, so the name itself is shortened
])("beside %s the next file is kept as %s, and the one after it as the third", async (filename, second) => {
  const { db, file } = await withFiles({ filename });
  expect(await freeName(db, { folderPath: "", filename })).toBe(second);
  await file({ filename: second });
  expect(await freeName(db, { folderPath: "", filename })).toBe(second.replace("(2)", "(3)"));
});

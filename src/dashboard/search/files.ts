import { findStored } from "../../../db/storage/files";
import { find } from "../../../db/storage/files-list";
import { kindOf } from "../../../views/dashboard/storage/file-kind";
import { paths } from "../../../views/paths";
import { asResults, type Subject } from "./subject";

type Listed = { id: string; filename: string; mimeType: string; folder: string };

const resultOf = ({ id, filename, mimeType, folder }: Listed) => ({
  icon: kindOf(mimeType) === "image" ? "image" : "file",
  title: filename,
  sub: folder ? `File in ${folder}` : "File",
  href: paths.file(id),
});

export const files: Subject = {
  id: "files",
  name: "Files",
  path: paths.file("").replace(/\/$/, ""),
  listOf: (q) => `${paths.storage}?${new URLSearchParams({ q, where: "everywhere" })}`,
  find: async ({ db }, _, q, limit) => asResults(await find(db, q, limit), resultOf),
  one: async ({ db }, _, id) => {
    const file = await findStored(db, id);
    return file && resultOf(file);
  },
};

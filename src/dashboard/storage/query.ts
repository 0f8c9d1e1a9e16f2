import { z } from "zod";
import { type FileFilter, fileKinds, type FileScope, type PictureFilter } from "../../../db/storage/files-list";
import { listUrl, type ListState } from "../../../views/components/list";
import { FolderPath } from "../../storage/uploads/file-input";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { paths } from "../../../views/paths";

export const path = paths.storage;
export const trashPath = `${path}/trash`;

const sorts = ["name", "-name", "size", "-size", "type", "-type", "modified", "-modified"] as const;

/** The parameters of a folder's list in the URL. */
export const Query = z.object({
  folder: FolderPath.catch("").default(""),
  q: search,
  where: oneOf(["everywhere"]),
  kind: oneOf(fileKinds),
  use: oneOf(["used", "unused"]),
  sort: z.enum(sorts).catch("name").default("name"),
  page: pageNumber,
  per: perPage,
});
export type Query = z.output<typeof Query>;

/** The parameters of the trash. */
export const TrashQuery = z.object({ q: search, page: pageNumber, per: perPage });

/** The parameters of the pictures. */
export const PicturesQuery = z.object({
  folder: FolderPath.catch("").default(""),
  q: search,
  show: oneOf(["used", "unused", "no-alt"]),
  page: pageNumber,
  per: perPage,
});

export const picturesOf = ({ folder, q, show }: z.output<typeof PicturesQuery>): PictureFilter => ({
  pictures: true,
  folder,
  q: q || undefined,
  use: show === "used" || show === "unused" ? show : undefined,
  lacksAlt: show === "no-alt",
});

export const filterOf = ({ folder, q, where, kind, use }: Query): FileFilter => ({
  folder,
  q: q || undefined,
  isEverywhere: where === "everywhere",
  kind: kind || undefined,
  use: use || undefined,
});

export const stateHere = (query: Query): ListState => stateOf(path, Query, query);

/** Files, pictures and trash are lists of the same kind; this reads what their forms sent. */
export const scopes = {
  files: (query: Record<string, string>): FileScope => filterOf(Query.parse(query)),
  pictures: (query: Record<string, string>): FileScope => picturesOf(PicturesQuery.parse(query)),
  trash: (query: Record<string, string>): FileScope => ({ trash: true, q: TrashQuery.parse(query).q || undefined }),
};
export type View = keyof typeof scopes;
/** The path of each list. */
export const listPaths: Record<View, string> = { files: path, pictures: paths.pictures, trash: trashPath };

/** Returns the URL of a folder. */
export const folderUrl = (folder: string) => listUrl({ path, query: {} }, { folder });

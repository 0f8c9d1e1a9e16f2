import { and, inArray, like, not, or, type SQL, sql } from "drizzle-orm";
import { contains } from "../lib/fold";
import { folders, uploads } from "../schema/storage";
import { isStored } from "./files";
import { inTrash } from "./trash";

export const fileKinds = ["image", "video", "audio", "pdf", "text", "other"] as const;
export type FileKind = (typeof fileKinds)[number];
export type FileFilter = {
  /** Files in this folder; with `q`, also in its subfolders. */
  folder: string;
  /** Part of the name, ignoring case. */
  q?: string | undefined;
  isEverywhere?: boolean | undefined;
  kind?: FileKind | undefined;
};
/** What a manager lists: stored files matching a filter, specific files, or files in the trash. */
export type FileScope = FileFilter | { ids: string[]; q?: undefined } | { trash: true; q?: string | undefined };

export const matching = (scope: FileScope): SQL | undefined =>
  and(
    "trash" in scope ? inTrash : and(isStored, "ids" in scope ? inArray(uploads.id, scope.ids) : filtered(scope)),
    scope.q ? sql`${uploads.folded} like ${contains(scope.q)} escape '\\'` : undefined,
  );

const filtered = (filter: FileFilter) => and(placed(filter), filter.kind && isKind(filter.kind));

function placed({ folder, q, isEverywhere }: FileFilter): SQL | undefined {
  if (q && (isEverywhere || !folder)) return undefined;
  const here = sql`path = ${folder}`;
  const deeper = sql`(path > ${`${folder}/`} and path < ${`${folder}0`})`; // everything that begins with "a/"
  return sql`${uploads.folderId} in (select id from ${folders} where ${q ? sql`${here} or ${deeper}` : here})`;
}

const isLike = (...patterns: string[]) => or(...patterns.map((pattern) => like(uploads.mimeType, pattern)));

const known: Record<Exclude<FileKind, "other">, SQL | undefined> = {
  image: isLike("image/%"),
  video: isLike("video/%"),
  audio: isLike("audio/%"),
  pdf: isLike("application/pdf%"),
  text: isLike("text/%", "application/json%", "application/xml%", "application/yaml%", "application/javascript%"),
};

const isKind = (kind: FileKind) => (kind === "other" ? not(or(...Object.values(known)) ?? sql`false`) : known[kind]);

import { and, eq, lt } from "drizzle-orm";
import { type Db, type Orm, prepared, textParameter } from "../engine/open";
import { isStored } from "./files";
import { folders, uploads } from "../schema/storage";

/** A file's location: its folder's path ("" is the root) and its name. */
type Place = { folderPath: string; filename: string };

const stored = prepared((orm) =>
  orm
    .select({ id: uploads.id })
    .from(uploads)
    .innerJoin(folders, eq(folders.id, uploads.folderId))
    .where(
      and(eq(folders.path, textParameter("folderPath")), eq(uploads.filename, textParameter("filename")), isStored),
    )
    .limit(1)
    .prepare(),
);
const isTaken = async (orm: Orm, place: Place) => (await stored(orm).get(place)) !== undefined;

/** Returns for each location whether a file of that name exists there; null counts as free. */
export const taken = (db: Db, places: (Place | null)[]): Promise<boolean[]> =>
  db.read((orm) => Promise.all(places.map((place) => place !== null && isTaken(orm, place))));

/** Returns the name itself, or the first of "letter (2).pdf", "letter (3).pdf" … that no file in the folder has. */
export const freeName = (db: Db, { folderPath, filename }: Place): Promise<string> =>
  db.read(async (orm) => {
    const [, base = "", extension = ""] = /^(.+?)((?:\.[^.]{1,32})?)$/.exec(filename) ?? [];
    let name = filename;
    for (let n = 2; await isTaken(orm, { folderPath, filename: name }); n++)
      name = `${shortened(base, extension)} (${n})${extension}`;
    return name;
  });

const maxBytes = 255 - " (999999)".length; // file names are limited in bytes

/** Cuts the base so that the number fits, never in the middle of a character. */
function shortened(base: string, extension: string): string {
  const characters = [...base];
  while (Buffer.byteLength(characters.join("") + extension) > maxBytes) characters.pop();
  return characters.join("");
}

/** Returns older files of the same name in the same folder. */
export const olderDuplicates = (db: Db, id: string): Promise<string[]> =>
  db.read(async (orm) => {
    const upload = await orm.select().from(uploads).where(eq(uploads.id, id)).get();
    if (!upload) return [];
    const { folderId, filename, createdAt } = upload;
    return (
      await orm
        .select({ id: uploads.id })
        .from(uploads)
        .where(
          and(
            eq(uploads.folderId, folderId),
            eq(uploads.filename, filename),
            lt(uploads.createdAt, createdAt),
            isStored,
          ),
        )
        .all()
    ).map((file) => file.id);
  });

import type { Db } from "../../../db/engine/open";
import { rowSizesOf } from "../../../db/storage/files";
import { filesIn, idsIn, isSized } from "../../../db/storage/pictures";
import type { Covers } from "../../../views/components/covered";

/** Returns the tiny sizes of covers that are pictures of ours, by ID of what they cover. */
export async function coversOf(db: Db, rows: { id: string; image: string }[]): Promise<Covers> {
  const stored = await filesIn(db, rows.map(({ image }) => image).join("\n"));
  const files = new Map(stored.map((file) => [file.id, file]));
  return new Map(
    rows.flatMap(({ id, image }) => {
      const file = files.get(idsIn(image)[0] ?? "");
      return file && isSized(file) ? [[id, rowSizesOf(file)]] : [];
    }),
  );
}

import type { Database } from "bun:sqlite";
import { fold } from "../lib/fold";

type Named = { id: string; filename: string; folded: string };

/**
 * Folds file names for searching again. A migration cannot do this, because SQLite's own lower() knows only the letters
 * a to z.
 */
export function refoldFileNames(sqlite: Database): void {
  const set = sqlite.query("UPDATE uploads SET folded = ? WHERE id = ?");
  const all = sqlite.query<Named, []>("SELECT id, filename, folded FROM uploads").all();
  for (const { id, filename, folded } of all) if (folded !== fold(filename)) set.run(fold(filename), id);
}

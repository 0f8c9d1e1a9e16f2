import type { Database } from "bun:sqlite";
import { fold } from "../lib/fold";

type Named = { id: string; filename: string; folded: string };

/** File names as the search compares them. A migration cannot fold: SQLite's own lower() knows the letters a to z only. */
export function refoldFileNames(sqlite: Database): void {
  const set = sqlite.query("UPDATE uploads SET folded = ? WHERE id = ?");
  const all = sqlite.query<Named, []>("SELECT id, filename, folded FROM uploads").all();
  for (const { id, filename, folded } of all) if (folded !== fold(filename)) set.run(fold(filename), id);
}

import type { Database } from "bun:sqlite";
import { emailKey } from "../lib/email-key";
import { fold } from "../lib/fold";
import { composed } from "../lib/slug";

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

/** Computes the keys of senders' addresses that are not ASCII, which a migration leaves as they were typed. */
export function rekeySenders(sqlite: Database): void {
  const set = sqlite.query("UPDATE messages SET email_key = ? WHERE id = ?");
  const beyondAscii = "SELECT id, email FROM messages WHERE email GLOB '*[^ -~]*'";
  for (const { id, email } of sqlite.query<{ id: string; email: string }, []>(beyondAscii).all())
    set.run(emailKey(email), id);
}

/** Columns of slugs. The second of a pair refers to the first; foreign keys are off. */
const slugColumns = [
  ["posts", "slug"],
  ["post_slugs", "slug"],
  ["tags", "slug"],
  ["post_tags", "tag_slug"],
  ["projects", "slug"],
  ["broadcasts", "slug"],
] as const;

/** Brings slugs into NFC, which earlier releases stored as NFD: in Korean, one character as two or three. */
export function recomposeSlugs(sqlite: Database): void {
  for (const [table, column] of slugColumns) {
    const set = sqlite.query(`UPDATE OR IGNORE ${table} SET ${column} = ? WHERE ${column} = ?`);
    const decomposed = `SELECT DISTINCT ${column} AS slug FROM ${table} WHERE ${column} GLOB '*[\u1100-\u11ff]*'`;
    for (const { slug } of sqlite.query<{ slug: string }, []>(decomposed).all()) set.run(composed(slug), slug);
  }
}

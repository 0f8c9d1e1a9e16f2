import { or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { domainToUnicode } from "node:url";
import { emailKey } from "../lib/email-key";
import { contains, containsIn } from "../lib/fold";

/** An address, with the ways it may be spelled in a text. */
export type Address = { key: string; email: string; forms: string[] };

export function addressOf(email: string): Address {
  const key = emailKey(email);
  const cut = key.lastIndexOf("@");
  const typed = email.trim();
  const forms = new Set([
    key,
    `${key.slice(0, cut)}@${domainToUnicode(key.slice(cut + 1)) || key.slice(cut + 1)}`, // empty for invalid punycode
    typed,
    typed.toLowerCase(),
  ]);
  return { key, email: typed, forms: [...forms] };
}

/** Condition: the column may mention the address. `mentions` decides. */
export const mayMention = (column: SQLiteColumn, { forms }: Address): SQL | undefined =>
  or(...forms.map((form) => containsIn(column, form)));

/** The same for a column that is folded for searching. */
export const mayMentionFolded = (column: SQLiteColumn, { forms }: Address): SQL | undefined =>
  or(...forms.map((form) => sql`${column} like ${contains(form)} escape '\\'`));

/** Matches whole addresses only: "ada@a.example" is not in "nevada@a.example". In doubt, it counts as the address. */
const wholly = ({ forms }: Address) =>
  new RegExp(
    `(?<![\\p{L}\\p{N}.+_-])(?:${forms.map(RegExp.escape).join("|")})(?!-?[\\p{L}\\p{N}]|\\.[\\p{L}\\p{N}])`,
    "giu",
  );

export const mentions = (text: string, address: Address): boolean => wholly(address).test(text);

/** Returns the text with the address replaced. */
export const without = (text: string, address: Address, instead: string): string =>
  text.replace(wholly(address), instead.replaceAll("$", "$$$$"));

export const mentionsAddress = (text: string, email: string): boolean => mentions(text, addressOf(email));

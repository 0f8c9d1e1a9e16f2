import { splitNames } from "../../../db/lib/text";
import { fold } from "../../../db/lib/fold";
import { maxTagsOfPerson } from "../../../db/newsletter/tags";
import { tagName } from "../../fields/subscriber";

const maxCell = 10_000; // characters: the longest tags of one person, and quotes

/**
 * Reads the tags or topics of a person as programs write them, in one or several columns: `"Editors","VIP"` (Mailchimp), `Editors, VIP` (Ghost, Kit),
 * `["Editors", "VIP"]`, or with semicolons. Those that are too long or too many are left out, and counted.
 */
export function tagsIn(cells: string[]): { tags: string[]; leftOut: number } {
  const names = cells.flatMap((cell) => namesIn(cell.slice(0, maxCell)));
  const tags = new Map<string, string>();
  let leftOut = cells.filter((cell) => cell.length > maxCell).length;
  for (const name of names) {
    const { data } = tagName.safeParse(name);
    const key = fold(data ?? "");
    if (tags.has(key)) continue;
    if (!data || tags.size >= maxTagsOfPerson) leftOut++;
    else tags.set(key, data);
  }
  return { tags: [...tags.values()], leftOut };
}

function namesIn(cell: string): string[] {
  const text = cell.trim();
  const list = text.startsWith("[") ? jsonIn(text) : undefined;
  if (Array.isArray(list)) return list.map(String).filter((name) => name.trim());
  return text.includes(",") || text.startsWith('"')
    ? splitNames(text)
    : text
        .split(";")
        .map((name) => name.trim())
        .filter(Boolean);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

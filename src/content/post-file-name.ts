import { createHash } from "node:crypto";
import { slugOf } from "../../db/lib/slug";

const maxNameBytes = 240; // bytes; file systems allow 255

/**
 * Returns the name of the post's file: its slug, which contains no dots or slashes. Undefined if the stored value is
 * not a slug, because it could be a path. A very long one is cut and made unique by a hash; the front matter has it in
 * full.
 */
export function fileName(slug: string): string | undefined {
  if (!slug || slugOf(slug) !== slug) return;
  if (Buffer.byteLength(slug) <= maxNameBytes) return `${slug}.mdx`;
  let head = slug;
  while (Buffer.byteLength(head) > maxNameBytes - 13) head = [...head].slice(0, -1).join("");
  return `${head}-${createHash("sha256").update(slug).digest("hex").slice(0, 12)}.mdx`;
}

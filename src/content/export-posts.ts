import type { Db } from "../../db/engine/open";
import { batches } from "../../db/posts/list";
import { createHash } from "node:crypto";
import { slugOf } from "../../db/lib/text";
import type { NewPost } from "../../db/posts/posts";

/** `name` is undefined if the post's slug cannot be a file name. */
type PostFile = { slug: string; name: string | undefined; text: string };

/** Yields every post outside the trash as a file that `import posts` reads. */
export async function* exportPosts(db: Db): AsyncGenerator<PostFile> {
  for await (const batch of batches(db))
    for (const post of batch) {
      const tags = post.tags.map(({ name }) => name);
      yield { slug: post.slug, name: fileName(post.slug), text: writePost({ ...post, tags }) };
    }
}

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

/** A post as it is in a file: what `readPost` reads, without counters or history. Tags by name. */
export type PostFileContent = Required<Omit<NewPost, "publishedAt">> & { publishedAt: Date | null };

/**
 * Returns the post as a file: front matter with the fields in a fixed order, a blank line, and the MDX source
 * unchanged. The same post always yields the same bytes, and reading them yields the same post.
 */
export function writePost(post: PostFileContent): string {
  const fields = [
    `title: ${scalar(post.title)}`,
    `slug: ${scalar(post.slug)}`,
    `excerpt: ${scalar(post.excerpt)}`, // even if empty: a missing one would be derived
    ...(post.coverImage ? [`coverImage: ${scalar(post.coverImage)}`] : []),
    ...(post.author ? [`author: ${scalar(post.author)}`] : []),
    ...(post.tags.length ? [`tags: [${post.tags.map(scalar).join(", ")}]`] : []),
    `published: ${post.published}`,
    ...(post.publishedAt ? [`publishedAt: ${post.publishedAt.toISOString()}`] : []),
  ];
  return `---\n${fields.join("\n")}\n---\n${post.content ? `\n${post.content}\n` : ""}`;
}

/**
 * Text that every YAML reader takes literally; everything else is quoted. No character is allowed both in and between
 * words: a pattern that can divide "((((" in many ways tries them all.
 */
const plain = /^\p{L}[\p{L}\p{M}\p{N}_]*([ .'’/()–—-]+[\p{L}\p{M}\p{N}_]+)*[.!)]?$/u;
const reserved = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/**
 * JSON strings are YAML's double-quoted ones (YAML 1.2, 1.1 and 7.3.1), except for characters that YAML cannot print.
 */
const scalar = (text: string): string =>
  plain.test(text) && !reserved.test(text)
    ? text
    : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escape);

const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

import { createHash } from "node:crypto";
import type { NewPost } from "../../db/posts/posts";
import { slugOf } from "../../db/lib/slug";

/** A post as a file has it: what `readPost` reads, and nothing that is counted or noted. Tags by name. */
export type PostFileContent = Required<Omit<NewPost, "publishedAt">> & { publishedAt: Date | null };

/**
 * The post as a file: front matter with the fields always in the same order, a blank line, and the MDX source as it is.
 * The same post is the same bytes, and reading them gives the same post (P27).
 */
export function writePost(post: PostFileContent): string {
  const fields = [
    `title: ${scalar(post.title)}`,
    `slug: ${scalar(post.slug)}`,
    `excerpt: ${scalar(post.excerpt)}`, // also when it is empty: an absent one would be derived
    ...(post.coverImage ? [`coverImage: ${scalar(post.coverImage)}`] : []),
    ...(post.author ? [`author: ${scalar(post.author)}`] : []),
    ...(post.tags.length ? [`tags: [${post.tags.map(scalar).join(", ")}]`] : []),
    `published: ${post.published}`,
    ...(post.publishedAt ? [`publishedAt: ${post.publishedAt.toISOString()}`] : []),
  ];
  return `---\n${fields.join("\n")}\n---\n${post.content ? `\n${post.content}\n` : ""}`;
}

/**
 * Words that every reader of YAML takes for text as they stand; everything else is quoted. No character is both of a
 * word and between words: a pattern that may divide "((((" in many ways tries them all (P67).
 */
const plain = /^\p{L}[\p{L}\p{M}\p{N}_]*([ .'’/()–—-]+[\p{L}\p{M}\p{N}_]+)*[.!)]?$/u;
const reserved = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/** JSON's strings are YAML's double-quoted ones (YAML 1.2, 1.1 and 7.3.1), but for characters that YAML cannot print. */
const scalar = (text: string): string =>
  plain.test(text) && !reserved.test(text)
    ? text
    : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escape);

const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const maxNameBytes = 240; // bytes of a name; file systems take 255

/**
 * The name of the post's file: its slug, which has no dots and slashes. Undefined when this is no slug, however it got
 * into the database: it could be a path. A very long one is cut, and told apart by a hash; the front matter has it whole.
 */
export function fileName(slug: string): string | undefined {
  if (!slug || slugOf(slug) !== slug) return;
  if (Buffer.byteLength(slug) <= maxNameBytes) return `${slug}.mdx`;
  let head = slug;
  while (Buffer.byteLength(head) > maxNameBytes - 13) head = [...head].slice(0, -1).join("");
  return `${head}-${createHash("sha256").update(slug).digest("hex").slice(0, 12)}.mdx`;
}

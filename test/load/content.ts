import { join } from "node:path";
import { openDb } from "../../db/open";
import * as apiKeys from "../../db/access/keys/api-keys";
import * as posts from "../../db/posts/posts";

/** What a post of a usual site holds: 7 KB of text, of which lists show the first lines. */
export const samplePost = (i: number) => ({
  slug: `post-${i}`,
  title: `A post about the number ${i}`,
  excerpt: "What a reader learns from the first paragraph, in about the length that excerpts have on most sites.",
  content: "Words that are searched and never listed. ".repeat(150),
  author: "Ada Ferris",
  tags: ["Numbers", i % 2 ? "Odd" : "Even"],
});

/**
 * Puts `count` posts into the database of `dataDir`, or of that URL, where no server runs yet.
 *
 * @returns so many keys that none of them meets its limit of 600 requests a minute (D29)
 */
export async function fillWithPosts(dataDir: string, count = 50, keyCount = 200): Promise<string[]> {
  const db = await openDb(dataDir.startsWith("postgres:") ? dataDir : join(dataDir, "postroom.sqlite"));
  const now = new Date();
  const save = (_: unknown, i: number) => {
    const publishedAt = new Date(now.getTime() - i * 60_000);
    return posts.save(db, { ...samplePost(i), published: true, publishedAt }, now);
  };
  const make = (_: unknown, i: number) => apiKeys.generate(db, { prefix: "site", name: `key ${i}` }, now);
  await Promise.all(Array.from({ length: count }, save));
  const made = await Promise.all(Array.from({ length: keyCount }, make));
  await db.close();
  return made.map(({ key }) => key);
}

/** Reads the list of posts with one key after another. */
export function reader(url: string, keys: string[]): () => Promise<Response> {
  let turn = 0;
  return () => fetch(`${url}/api/v1/posts`, { headers: { "x-api-key": keys[turn++ % keys.length] ?? "" } });
}

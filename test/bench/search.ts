/**
 * `npm run bench search [posts]` (benchmark B4): searches for pieces of the posts themselves among 10,000 posts of 7
 * KB, including the total. Filling the database takes most of the time.
 */
import { join } from "node:path";
import { openDb } from "../../db/open";
import * as posts from "../../db/posts/posts";
import { atMost, conclude, type Figure } from "../support/figures";
import { temporaryFolder } from "../support/processes";

const size = Number(Bun.argv[2] ?? 10_000);
const now = new Date("2026-11-21T12:00:00Z");
const random = generator(42);
const common = "the of and to in is that it was for on are with as his they at be this have from or had by".split(" ");
const letters = "eeeeeeeetttttaaaaaoooooiiiinnnnsssshhhrrrrddlllccuumwfgypbvk"; // about as often as in English
const vocabulary = [...common, ...Array.from({ length: 20_000 }, invented)];

using folder = temporaryFolder();
const db = await openDb(join(folder.path, "search.sqlite"));
const texts = Array.from({ length: size }, () => prose(7_000));
for (let at = 0; at < size; at += 500)
  await Promise.all(texts.slice(at, at + 500).map((text, i) => save(text, at + i)));

const figures: Figure[] = [];
for (const length of [1, 2, 3, 5, 8, 12, 20, 40]) {
  const times = [];
  for (let i = 0; i < 200; i++) {
    const text = pick(texts);
    const start = Math.floor(random() * (text.length - length));
    const q = text.slice(start, start + length).trim() || "e";
    const startedAt = performance.now();
    await posts.listPublished(db, { q, limit: 20 }, now);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const [p50 = 0, p99 = 0] = [times[100], times[198]];
  console.log(`${size} posts, ${length} characters: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  figures.push(atMost("B4", `search for ${length} characters in ${size} posts, p99 ms`, 20, p99));
}
await db.close();
conclude(figures);

function save(content: string, i: number) {
  const publishedAt = new Date(now.getTime() - i * 60_000);
  return posts.save(db, { slug: `p${i}`, title: content.slice(0, 40), content, published: true, publishedAt }, now);
}

/** Words with Zipf's frequencies: the n-th most common one is n times rarer than the first. */
function prose(length: number): string {
  let text = "";
  while (text.length < length) text += `${vocabulary[Math.floor(vocabulary.length ** random())] ?? "the"} `;
  return text;
}

function invented(): string {
  return Array.from({ length: 3 + Math.floor(random() * 8) }, () => pick([...letters])).join("");
}

function pick<T>(of: T[]): T {
  const picked = of[Math.floor(random() * of.length)];
  if (picked === undefined) throw new Error("There is nothing to pick from");
  return picked;
}

/** The same numbers every time (a linear congruential generator). */
function generator(seed: number) {
  return () => (seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

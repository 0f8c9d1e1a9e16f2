/**
 * `npm run bench posts [few] [many]`: what lists, searches, feeds and pages of posts cost with few and with many posts,
 * side by side in one run (B3). Costs are processor time of this process, so that other programs do not count, and
 * responses prepared for an earlier request are never used. A search with many matches counts them once after each
 * change of posts, so it is measured after a change, and without one.
 */
import * as posts from "../../db/posts/posts";
import { testService } from "../support/service";
import { atMost, conclude, type Figure } from "../support/figures";

const [few = 1_000, many = 100_000] = Bun.argv.slice(2).map(Number).filter(Boolean);
const rounds = 30;
const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const year = 366 * 24 * 60 * minute;
const letters = "aeioustnrlmdk";

const desk = [
  ...["", "?page=15", "?sort=title", "?sort=-title", "?sort=views", "?sort=-views", "?sort=published"],
  ...["draft", "scheduled", "published", "trash"].flatMap((status) => [
    `?status=${status}`,
    `?status=${status}&sort=-views`,
    `?status=${status}&sort=title`,
  ]),
  ...["?tag=even&sort=-views", "?tag=rare", "?tag=rare&sort=-views", "?tag=odd&status=draft&sort=-views"],
  // In every post, in a hundred of them, in none; and two shorter than the index of three has them
  ...["common", "seldom", "never there", "co", "z"].flatMap((q) => [
    `?q=${q}`,
    `?q=${q}&sort=-views`,
    `?q=${q}&status=draft&sort=-views`,
    `?q=${q}&tag=even&sort=title`,
  ]),
  ...["?q=uncommon", "?q=uncommon&sort=-views", "?q=uncommon&sort=title"], // in every twentieth
];
const lists = [
  ...["", "?tag=even", "?tag=rare", "?limit=100"],
  ...["?q=common", "?q=uncommon", "?q=seldom", "?q=never there", "?q=uncommon&tag=even"],
];
const feeds = ["/rss.xml", "/atom.xml", "/robots.txt"];

/** Processor time of each request, in milliseconds. */
async function measure(size: number): Promise<Map<string, number>> {
  const service = await testService();
  await fill(service, size);
  const manager = await service.signIn();
  const keys = await Promise.all(Array.from({ length: 20 }, (_, i) => service.key(`key ${i}`)));
  const costs = new Map<string, number>();
  const note = async (name: string, work: (round: number) => Promise<Response>, before?: () => Promise<unknown>) =>
    costs.set(name, await cost(work, before));

  for (const query of desk) await note(`/dashboard/posts${query}`, () => manager.get(`/dashboard/posts${query}`));
  await note("/dashboard/posts/tags", () => manager.get("/dashboard/posts/tags"));
  for (const query of lists) {
    const path = `/api/v1/posts${query}${query ? "&" : "?"}round=`;
    await note(`/api/v1/posts${query}`, (round) => service.get(path + round, keys[round % keys.length]));
  }
  await note("/api/posts/post-77", () => service.get("/api/posts/post-77"));
  const change = () => posts.save(service.db, { ...post(1), title: `New ${Math.random()}` }, service.now());
  for (const q of ["common", "uncommon", "uncommon&tag=even"]) {
    const path = `/api/v1/posts?q=${q}&round=`;
    await note(
      `/api/v1/posts?q=${q}, after a change`,
      (round) => service.get(`${path}${round}`, keys[round % 20]),
      change,
    );
  }
  for (const path of feeds) await note(`${path}, made anew`, () => service.get(path), change);
  return costs;
}

async function cost(work: (round: number) => Promise<Response>, before?: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = -3; round < rounds; round++) {
    await before?.();
    const begun = process.cpuUsage();
    const answer = await work(round + 3);
    await answer.arrayBuffer();
    const { user, system } = process.cpuUsage(begun);
    if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}`);
    if (round >= 0) times.push((user + system) / 1_000);
  }
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

/** Every tenth is a draft without views. There are always sixty scheduled and sixty deleted ones. */
const post = (i: number) => ({
  slug: `post-${i}`,
  title: `${word(i)} ${word(i + 1)} ${i}`,
  excerpt: `What is known of ${word(i * 7)}.`,
  content: [
    ...Array.from({ length: 60 }, (_, n) => word(i * 61 + n)),
    ...["common", ...(mixed(i) % 20 === 0 ? ["uncommon"] : []), ...(i < 1_000 && i % 10 === 7 ? ["seldom"] : [])],
  ].join(" "),
  author: "Ada Ferris",
  published: i % 10 !== 3,
  publishedAt:
    i % 10 === 3 ? null : new Date(i < 600 && i % 10 === 4 ? start + 4 * year + i * minute : start + i * minute),
  tags: [i % 2 ? "Odd" : "Even", `Topic ${i % 20}`, ...(i < 1_000 && i % 100 === 7 ? ["Rare"] : [])],
});

/** The same word for the same number, one of a thousand, and no pattern between neighbours. */
const word = (n: number) =>
  Array.from({ length: 6 }, (_, at) => letters[mixed((mixed(n) % 1_000) * 8 + at) % letters.length]).join("");

function mixed(n: number): number {
  const once = Math.imul(n ^ (n >>> 16) ^ 0x9e3779b9, 0x85ebca6b);
  return Math.imul(once ^ (once >>> 13), 0xc2b2ae35) >>> 8;
}

async function fill({ db, now }: Awaited<ReturnType<typeof testService>>, size: number) {
  for (let from = 0; from < size; from += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, size - from) }, (_, i) => posts.save(db, post(from + i), now())),
    );
  await db.write(async (orm) => {
    await orm.run("update posts set views = row % 5000 + 1 where published");
    await orm.run(`update posts set deleted_at = ${now().getTime()} + row where row % 10 = 7 and row < 600`);
  });
}

const small = await measure(few);
const large = await measure(many);
console.log(`processor time in ms with ${few} and ${many} posts, and their ratio`);
const figures: Figure[] = [];
for (const [path, before] of small) {
  const after = large.get(path) ?? 0;
  console.log(
    `${path.padEnd(56)}${before.toFixed(2).padStart(8)}${after.toFixed(2).padStart(8)}   × ${(after / before).toFixed(2)}`,
  );
  figures.push(atMost("B3", `${path}: ${many} posts to ${few}`, 1.5, after / before));
}
conclude(figures);

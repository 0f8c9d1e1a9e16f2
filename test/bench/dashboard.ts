/**
 * `npm run bench dashboard [few] [many]`: what the newsletter page costs with few and with many subscribers, side by
 * side in one run (B3, B7). Times are of the server alone, in process, including gzip.
 */
import { importAll } from "../../db/newsletter/import";
import { testService } from "../support/service";
import { atMost, conclude, type Figure } from "../support/figures";

const [few = 1_000, many = 100_000] = Bun.argv.slice(2).map(Number).filter(Boolean);
const rounds = 60;
const pages = {
  "first page": "",
  "page 20": "?page=20",
  "sorted by e-mail": "?sort=email",
  unsubscribed: "?status=unsubscribed",
  "one source": "?source=blog",
  "rare search": "?q=reader777@",
  "common search": "?q=example",
  "short search": "?q=re",
  "no match": "?q=nobodyatall",
};

type Row = Record<keyof typeof pages, { median: number; p95: number }>;

async function measure(size: number): Promise<Row> {
  const service = await testService();
  const manager = await service.signIn();
  const terms = { revive: false, origin: { via: "import" as const } };
  for (let from = 0; from < size; from += 1_000)
    await importAll(
      service.db,
      Array.from({ length: Math.min(1_000, size - from) }, (_, i) => person(from + i)),
      terms,
      service.now(),
    );
  const row: Partial<Row> = {};
  for (const [name, query] of Object.entries(pages))
    row[name as keyof Row] = await time(() =>
      manager.get(`/dashboard/newsletter${query}`, { "accept-encoding": "gzip" }),
    );
  return row as Row;
}

const person = (i: number) => ({
  email: `reader${i}@example.${["com", "org", "net"][i % 3]}`,
  name: `Reader ${i}`,
  source: ["blog", "landing", "footer"][i % 3] ?? null,
  state: i % 5 ? ("active" as const) : ("unsubscribed" as const),
  createdAt: new Date(Date.UTC(2026, 0, 1) + i * 1_000),
});

async function time(work: () => Promise<Response>) {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    await (await work()).arrayBuffer();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { median: times[rounds >> 1] ?? 0, p95: times[Math.floor(rounds * 0.95)] ?? 0 };
}

const [small, large] = [await measure(few), await measure(many)];
console.log(`newsletter page, ms: median and p95 at ${few} and ${many} subscribers, ratio of the medians`);
const figures: Figure[] = [];
for (const name of Object.keys(pages) as (keyof Row)[]) {
  const [a, b] = [small[name], large[name]];
  const times = [a.median, a.p95, b.median, b.p95].map((ms) => ms.toFixed(1).padStart(7)).join(" ");
  console.log(`${name.padEnd(18)}${times}   × ${(b.median / a.median).toFixed(2)}`);
  figures.push(
    atMost("B3", `subscribers, ${name}: ${many} to ${few}`, 1.5, b.median / a.median),
    atMost("B7", `subscribers, ${name}: p95 ms at ${many}`, 30, b.p95),
  );
}
conclude(figures);

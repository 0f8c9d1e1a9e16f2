/**
 * `npm run bench palette [few] [many]`: what the search over everything costs the server, with few and with many
 * subscribers and a lot of everything else. In process, including gzip.
 */
import { importAll } from "../../db/newsletter/import";
import { messages } from "../../db/schema/contact";
import { fold } from "../../db/lib/fold";
import { atMost, conclude, type Figure } from "../support/figures";
import { median, percentile } from "../support/measures";
import { testService } from "../support/service";

const [few = 1_000, many = 100_000] = Bun.argv.slice(2).map(Number).filter(Boolean);
const rounds = 60;
const questions = {
  "before typing": "",
  "rare words": "reader777@",
  "common words": "example",
  "two letters": "re",
  "no match": "nobodyatall",
};

/** Requests every result of the palette `rounds` times. Returns the times of each in milliseconds. */
async function measure(size: number) {
  const service = await testService();
  const manager = await service.signIn();
  const headers = {
    "accept-encoding": "gzip",
    "hx-request": "true",
    "hx-request-type": "partial",
    "hx-current-url": service.config.BASE_URL,
  };
  for (let from = 0; from < size; from += 1_000)
    await importAll(
      service.db,
      Array.from({ length: Math.min(1_000, size - from) }, (_, i) => person(from + i)),
      { revive: false, origin: { via: "import" } },
      service.now(),
    );
  for (let from = 0; from < 10_000; from += 100)
    await service.db.write(async (orm) => {
      await orm
        .insert(messages)
        .values(Array.from({ length: 100 }, (_, i) => letter(from + i)))
        .run();
    });
  const ask = (q: string) => manager.get(`/dashboard/search?${new URLSearchParams({ q })}`, headers);
  const times: Record<string, number[]> = {};
  for (const [name, q] of Object.entries(questions)) times[name] = await timesOf(() => ask(q));
  return times;
}

const person = (i: number) => ({
  email: `reader${i}@example.${["com", "org", "net"][i % 3]}`,
  name: `Reader ${i}`,
  source: ["blog", "landing", "footer"][i % 3] ?? null,
  state: i % 5 ? ("active" as const) : ("unsubscribed" as const),
  createdAt: new Date(Date.UTC(2026, 0, 1) + i * 1_000),
});

function letter(i: number) {
  const message = `Letter ${i}. ${"Words about tides and bakeries. ".repeat(30)}`;
  const sender = { name: `Writer ${i}`, email: `writer${i}@example.com`, source: "site", fingerprint: `${i}` };
  return { ...sender, message, folded: fold(message), createdAt: new Date(Date.UTC(2026, 0, 1) + i * 1_000) };
}

async function timesOf(work: () => Promise<Response>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    await (await work()).arrayBuffer();
    times.push(performance.now() - start);
  }
  return times;
}

const [small, large] = [await measure(few), await measure(many)];
console.log(`palette, ms: median and p95 at ${few} and ${many} subscribers, each with 10,000 messages`);
const figures: Figure[] = [];
for (const name of Object.keys(questions)) {
  const [a = [], b = []] = [small[name], large[name]];
  const shown = [median(a), percentile(a, 0.95), median(b), percentile(b, 0.95)];
  console.log(`${name.padEnd(18)}${shown.map((ms) => ms.toFixed(1).padStart(7)).join(" ")}`);
  figures.push(atMost("B8", `palette, ${name}: p95 ms at ${many}`, 50, percentile(b, 0.95)));
}
conclude(figures);

/**
 * `npm run bench subscribes` (quality.md P2): subscribes that are on disk before they are answered, beside a server that
 * commits each request by itself, and a bare Bun.serve that stores nothing, in turns on one machine. Every visitor has
 * an address of his own, so the limiter works and lets everybody in.
 */
import { join } from "node:path";
import { load } from "../load/client";
import { subscription } from "../load/visitors";
import { median, rounded } from "../measures";
import { startService, temporaryFolder } from "../processes";

const rounds = 5;
const seconds = 1;
const connections = 32;

using folder = temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: "warn" });
const answer = await fetch(`${service.url}/api/newsletter/subscribe`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"email":"first@example.com"}',
});
await Bun.write(join(folder.path, "answer.body"), await answer.bytes());
await Bun.write(
  join(folder.path, "answer.headers"),
  JSON.stringify([...answer.headers].filter(([name]) => !["date", "content-length"].includes(name))),
);
const each = await startPeer("commit-each.ts", join(folder.path, "each.sqlite"));
const bare = await startPeer("bare.ts", join(folder.path, "answer"));

try {
  const measured = [];
  for (let round = 0; round < rounds; round++)
    measured.push({
      ours: await subscribes(service.port),
      each: await subscribes(each.port),
      bare: await subscribes(bare.port),
    });
  const rows = measured.map((row) => ({ ...row, "to each": row.ours / row.each, "to bare": row.ours / row.bare }));
  const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  const medians = Object.fromEntries(names.map((name) => [name, median(rows.map((row) => row[name]))]));
  console.table(
    [...rows, medians].map((row) => Object.fromEntries(Object.entries(row).map(([k, n]) => [k, rounded(n)]))),
  );
  console.log(`The last line is the median. Subscribes a second at ${connections} connections, and ratios.`);
} finally {
  bare.end();
  each.end();
  await service.end();
}

/** A second of subscribes by people nobody knows yet. Returns how many were answered in a second. */
function subscribes(port: number) {
  const requests = Array.from({ length: 30_000 * seconds }, subscription);
  return load(port, requests, connections, seconds);
}

async function startPeer(program: string, file: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../load", program), file], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value)), end: () => child.kill() };
}

/**
 * `npm run bench reads` (quality.md P1): the keyed list of 20 posts out of 500, beside a bare Bun.serve that sends the
 * same bytes, in turns on one machine.
 */
import { join } from "node:path";
import { openDb } from "../../db";
import * as apiKeys from "../../db/api-keys";
import * as posts from "../../db/posts";
import { load } from "../load/client";
import { startService, temporaryFolder } from "../processes";

const path = "/api/v1/posts";
const rounds = 5;
const seconds = 1;

using folder = temporaryFolder();
const keys = await fill(join(folder.path, "postroom.sqlite"));
const service = await startService(folder.path, { LOG_LEVEL: "warn" });
const bare = await startBare(join(folder.path, "answer"), `${service.url}${path}`, keys[0] ?? "");
const requests = keys.map((key) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\n\r\n`));

try {
  for (const connections of [1, 32]) {
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await load(service.port, requests, connections, seconds);
      const theirs = await load(bare.port, requests, connections, seconds);
      ratios.push(ours / theirs);
      console.log(`${connections} connections: ${ours.toFixed(0)}/s, bare ${theirs.toFixed(0)}/s`);
    }
    const median = ratios.sort((a, b) => a - b)[rounds >> 1] ?? 0;
    console.log(`${connections} connections: ratio ${median.toFixed(2)} (median of ${rounds})`);
  }
} finally {
  bare.end();
  await service.end();
}

/** 500 posts, and so many keys that none of them meets its limit of 600 a minute (D29). Returns the keys. */
async function fill(file: string): Promise<string[]> {
  const db = await openDb(file);
  const now = new Date();
  const made = await Promise.all(
    Array.from({ length: 1_500 }, (_, i) => apiKeys.generate(db, { prefix: "site", name: `key ${i}` }, now)),
  );
  const saved = Array.from({ length: 500 }, (_, i) => ({
    slug: `post-${i}`,
    title: `A post about the number ${i}`,
    excerpt: "What a reader learns from the first paragraph, in about the length that excerpts have on most sites.",
    content: "Words that are searched and never listed. ".repeat(150),
    author: "Ada Ferris",
    published: true,
    publishedAt: new Date(now.getTime() - i * 60_000),
    tags: ["Numbers", i % 2 ? "Odd" : "Even"],
  }));
  await Promise.all(saved.map((post) => posts.save(db, post, now)));
  await db.close();
  return made.map(({ key }) => key);
}

/** A bare server that answers what `url` answers: headers and body. */
async function startBare(file: string, url: string, key: string) {
  const answer = await fetch(url, { headers: { "x-api-key": key } });
  const headers = [...answer.headers].filter(([name]) => !["date", "content-length"].includes(name));
  await Bun.write(`${file}.headers`, JSON.stringify(headers));
  await Bun.write(`${file}.body`, await answer.bytes());
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../load/bare.ts"), file], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value)), end: () => child.kill() };
}

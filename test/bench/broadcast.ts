/**
 * `npm run bench broadcast -- [people] [--only=unpaced|paced|smtp|segment] [--peer=listmonk] [--postgres]` (benchmarks N5 to N7):
 * what a broadcast of 20 KB letters costs the process that sends it, unpaced and at ten requests a second, by Resend
 * and by SMTP; and how long it takes to find a hundred people among a million. The sender has a process of its own, so
 * that its processor time and memory are measured alone. With the peer, whose program LISTMONK_BINARY names, only SMTP
 * is measured, with the same sink, letter and connections for both. On PostgreSQL the segment is measured alone, by the
 * clock: the server works for us meanwhile, and a read keeps nobody else waiting.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { candidates, stillInAudience } from "../../db/broadcasts/audience";
import { confirm } from "../../db/broadcasts/states";
import { create } from "../../db/broadcasts/edit";
import type { Db } from "../../db/engine/open";
import { lastRow } from "../../db/newsletter/segments/people";
import { openDb } from "../../db/open";
import { frozen } from "../../src/broadcasts/letter/emails";
import { letterOf } from "../../src/broadcasts/letter/letter";
import { filled, nobody } from "../../src/broadcasts/letter/merge-fields";
import { atLeast, atMost, conclude, type Figure } from "../support/figures";
import { source } from "../support/broadcasts/letters";
import { look } from "../support/look";
import { rounded } from "../support/measures";
import { onServer } from "../torture/broadcast";
import { sendWithListmonk } from "../load/listmonk";
import { temporaryFolder } from "../support/processes";
import { smtpSink } from "../support/providers/smtp";

const by = { actor: "bench" };
const paragraph = "The gauge on the balcony counted eleven millimetres, and the river rose by four centimetres. ";
const written = letterOf(source({ content: `Hello {name, "there"},\n\n${`${paragraph.repeat(4)}\n\n`.repeat(22)}` }));

/** What the sender's process prints once everything is sent. */
type Cost = { seconds: number; processor: number; startRss: number; maxRss: number; stallP99: number };

/**
 * Responds to every batch immediately, with as many IDs as it has recipients. It parses no JSON, so that it is not the
 * bottleneck.
 */
async function resendSink(headers: Record<string, string>) {
  let mails = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    let count = 0;
    for (let at = body.indexOf('"to":["'); at >= 0; at = body.indexOf('"to":["', at + 1)) count++;
    mails += count;
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ data: Array.from({ length: count }, () => ({ id: crypto.randomUUID() })) }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const env = {
    MAILER_API_KEY: "re_bench_0123456789",
    RESEND_BASE_URL: `http://127.0.0.1:${port}`,
    MAIL_FROM: "Site <site@x.example>",
  };
  return { env, mails: () => mails, stop: () => server.close() };
}

async function fill(db: Db, people: number, rareEvery = 0) {
  for (let from = 0; from < people; from += 2_000)
    await look(
      db,
      `with recursive n(i) as (select ?3 + 1 union all select i + 1 from n where i < ?1)
     insert into subscribers (id, email, email_key, name, source, folded, created_at, updated_at)
     select 'id' || i, 'reader' || i || '@example.com', 'reader' || i || '@example.com', 'Reader ' || i,
       case when ?2 > 0 and i % ?2 = 0 then 'rare' else 'blog' end, 'reader' || i, 0, 0 from n`,
      [Math.min(from + 2_000, people), rareEvery, from],
    );
}

async function confirmed(db: Db) {
  const now = new Date();
  const fields = {
    subject: "Rain",
    preheader: "",
    fromName: "",
    archive: "none" as const,
    segment: {},
    content: "Hello",
  };
  const draft = await create(db, { source: { kind: "own" }, fields }, by, now);
  const site = { siteTitle: "Noor Halvorsen", siteUrl: "https://site.example", isListed: false };
  const letter = frozen(written, { from: "Site <site@x.example>", ...site });
  await confirm(db, { seen: draft, to: { at: now, audience: 0, frozen: letter } }, by, now);
}

/** Sends a broadcast from a process of its own. @param seconds stops it before everything is sent */
async function send(
  people: number,
  env: Record<string, string>,
  seconds = 3_600,
): Promise<Cost & { sent: number; bytes: number }> {
  using folder = temporaryFolder();
  const file = join(folder.path, "postroom.db");
  const db = await openDb(file);
  await fill(db, people);
  const size = async () =>
    (await look<{ n: number }>(db, "select page_count * 4096 n from pragma_page_count"))[0]?.n ?? 0;
  const before = await size();
  await confirmed(db);
  const child = Bun.spawn(
    [process.execPath, `${import.meta.dir}/../load/sender.ts`, file, JSON.stringify(env), `${seconds}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const cost = JSON.parse(await child.stdout.text()) as Cost;
  const [{ accepted = 0 } = {}] = await look<{ accepted: number }>(db, "select accepted from broadcasts");
  const bytes = ((await size()) - before) / Math.max(accepted, 1);
  await db.close();
  return { ...cost, sent: accepted, bytes };
}

const options = { only: { type: "string" }, peer: { type: "string" }, postgres: { type: "boolean" } } as const;
const { values, positionals } = parseArgs({ args: Bun.argv.slice(2), options, allowPositionals: true });
const people = Number(positionals[0] ?? 100_000);
const figures: Figure[] = [];
const say = (what: string, { seconds, processor, sent, maxRss, startRss, stallP99 }: Cost & { sent: number }) =>
  console.log(
    `${what}: ${sent} in ${rounded(seconds)} s (${rounded(sent / seconds)}/s), ${rounded((processor * 1e6) / sent)} µs of processor each, ` +
      `memory ${rounded(maxRss)} MB (+${rounded(maxRss - startRss)}), stalls p99 ${rounded(stallP99)} ms`,
  );

console.log(`The letter has ${rounded(written.bytes / 1024)} KB`);

async function unpaced() {
  const sink = await resendSink({
    "ratelimit-limit": "1000000",
    "ratelimit-remaining": "1000000",
    "ratelimit-reset": "1",
  });
  const cost = await send(people, sink.env);
  say("Resend, unpaced", cost);
  figures.push(
    atLeast("N5", "emails for each second of processor, unpaced", 8_000, cost.sent / cost.processor),
    atMost("N5", "memory unpaced, MB", 256, cost.maxRss),
    atMost("N5", "bytes of database for each recipient", 130, cost.bytes),
  );
  sink.stop();
}

async function paced() {
  const limited = await resendSink({ "ratelimit-limit": "25", "ratelimit-policy": "25;w=2" }); // of which we use 80 %: 10/s
  const cost = await send(people, limited.env, 30);
  say("Resend, 10 requests a second", cost);
  figures.push(
    atMost("N5", "% of a core at 10 requests a second", 15, (100 * cost.processor) / cost.seconds),
    atMost("N5", "memory at 10 requests a second, MB more", 40, cost.maxRss - cost.startRss),
    atMost("N5", "stalls of the event loop p99, ms", 20, cost.stallP99),
  );
  limited.stop();
}

async function smtp() {
  const sink = await smtpSink({ keep: false });
  const cost = await send(people / 20, { MAILER_API_KEY: `${sink.url}?pool=10`, MAIL_FROM: "Site <site@x.example>" });
  say("SMTP, 10 connections", cost);
  figures.push(
    atLeast("N7", "emails for each second of processor by SMTP, every result durable", 500, cost.sent / cost.processor),
  );
  await sink.stop();
  return cost;
}

/** Both by SMTP, side by side. listmonk's speed is not a target, because it does not record who got what. */
async function besideListmonk() {
  const binary = Bun.env.LISTMONK_BINARY;
  if (!binary) return console.log("LISTMONK_BINARY names no program: listmonk is not at hand, and not compared.");
  const ours = await smtp();
  const sink = await smtpSink({ keep: false });
  const theirs = await sendWithListmonk(binary, filled(written.html, nobody), people / 20, {
    port: sink.port,
    count: () => sink.counts.size,
  });
  await sink.stop();
  const [pace, theirPace] = [ours, theirs].map(({ sent, seconds }) => sent / seconds);
  const [cost, theirCost] = [ours, theirs].map(({ sent, processor }) => (processor * 1e6) / sent);
  console.log(
    `listmonk: ${theirs.sent} in ${rounded(theirs.seconds)} s (${rounded(theirPace ?? 0)}/s), ${rounded(theirCost ?? 0)} µs of processor ` +
      `each without its database, memory ${rounded(theirs.maxRss)} MB`,
  );
  console.log(
    `Ours: × ${rounded((pace ?? 0) / (theirPace ?? 1))} its pace, × ${rounded((cost ?? 0) / (theirCost ?? 1))} its processor time`,
  );
}

/** Seconds of processor so far; with PostgreSQL, which has processes of its own, those on the clock. */
function spent(): number {
  if (values.postgres) return performance.now() / 1_000;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function segment() {
  const database = values.postgres ? await onServer() : { where: ":memory:", remove: () => {} };
  const db = await openDb(database.where);
  const unit = values.postgres ? "" : " of processor";
  await fill(db, people * 10, people / 10);
  const ceiling = await db.read(lastRow);
  const reads: number[] = [];
  const read = db.read;
  const timed: Db = {
    ...db,
    read: async (query) => {
      const startedAt = spent();
      const found = await read.call(db, query);
      reads.push((spent() - startedAt) * 1_000);
      return found as never;
    },
  };
  if (values.postgres) await look(db, "analyze");
  const rare = { v: 2 as const, all: [{ field: "source" as const, is: "any" as const, of: ["rare"] }] };
  await candidates(db, { cursor: 0, ceiling: 1_000 }, rare, 1_000); // a service has its connections and plans already
  const startedAt = spent();
  const { rows } = await candidates(timed, { cursor: 0, ceiling }, rare, 1_000);
  const seconds = spent() - startedAt;
  console.log(
    `${rows.length} of ${people * 10} people found in ${reads.length} reads, the longest ${rounded(Math.max(...reads))} ms`,
  );
  figures.push(
    atMost("N6", `seconds${unit} until all of a thin segment are found`, 3, seconds),
    atMost("N6", `longest read, ms${unit}`, 10, Math.max(...reads)),
  );
  const before = spent();
  for (let i = 0; i < 20; i++) await db.read((orm) => stillInAudience(orm, rows, {}));
  const again = ((spent() - before) * 1_000) / 20;
  figures.push(atMost("N6", `looking again at 100 people, ms${unit}`, values.postgres ? 5 : 1, again));
  await db.close();
  await database.remove();
}

const parts = values.postgres ? { segment } : { unpaced, paced, smtp, segment };
if (values.peer !== undefined) await besideListmonk();
else for (const [name, part] of Object.entries(parts)) if ((values.only ?? name) === name) await part();
conclude(figures);

/**
 * `npm run bench sequence -- [people]` (SEQ6): with a million people who wait for an email of a sequence, what it costs
 * to claim a hundred of them and to move fifty on, how long the reads beside that take, and how large a place is. In
 * processor time of this process, to which SQLite belongs; `--postgres` starts a server, whose time is not in it.
 */
import { join } from "node:path";
import { openDb } from "../../db/open";
import { recipientStates } from "../../db/schema/broadcasts";
import { advance } from "../../db/sequences/advance";
import { carryOn } from "../../db/sequences/carry-on";
import { claimStep } from "../../db/sequences/claim";
import { isTooLate } from "../../db/sequences/late";
import { days, startedSequence } from "../support/broadcasts/sequences";
import { atMost, conclude } from "../support/figures";
import { look } from "../support/look";
import { administer, urlOf } from "../support/postgres/databases";
import { startPostgres } from "../support/postgres/server";
import { median, percentile } from "../support/measures";
import { temporaryFolder } from "../support/processes";

const [people = 1_000_000] = Bun.argv.slice(2).map(Number).filter(Boolean);
const rounds = Math.min(100, people / 400); // and as many before, because code that has just been loaded takes half as long again
const now = new Date("2026-11-27T12:00:00Z");
const [minute, hour] = [60_000, 3_600_000];

using folder = temporaryFolder();
const server = Bun.argv.includes("--postgres") ? await startPostgres(true) : undefined;
const perFill = server ? 500 : 5_000; // a server ends a statement after five seconds
if (server) await administer(server.url, "create database bench");
const db = await openDb(server ? urlOf(server.url, "bench") : join(folder.path, "postroom.db"));
const size = server
  ? "select pg_total_relation_size('sequence_people') n"
  : "select page_count * page_size n from pragma_page_count, pragma_page_size";
const bytes = async () => Number((await look<{ n: number }>(db, size))[0]?.n ?? 0);
const range = server
  ? "select i from generate_series(?1::bigint + 1, ?2::bigint) i"
  : "select ?1 + 1 union all select i + 1 from n where i < ?2";

for (let from = 0; from < people; from += perFill)
  await look(
    db,
    `with recursive n(i) as (${range})
     insert into subscribers (id, email, email_key, folded, time_zone, created_at, updated_at)
     select 'id' || i, 'reader' || i || '@example.com', 'reader' || i || '@example.com', 'reader' || i,
       case i % 3 when 0 then 'Europe/Lisbon' when 1 then 'America/New_York' end, 0, 0 from n`,
    [from, Math.min(from + perFill, people)],
  );
const { row } = await startedSequence(db, now, { waits: [days(1, 540), days(2, 540)] });
const [step = { row: 0, email: 0 }] = await look<{ row: number; email: number }>(
  db,
  'select "row", broadcast_row email from sequence_steps order by position',
);
const before = await bytes();
for (let from = 0; from < people; from += perFill)
  await look(
    db,
    `insert into sequence_people (sequence_row, subscriber_row, step_row, due_at, entered_at)
     select cast(?1 as bigint), "row", cast(?2 as bigint), ?3 + "row" % 600000, cast(?4 as bigint)
     from subscribers where "row" > ?5 and "row" <= ?6`,
    [row, step.row, now.getTime() - 20 * minute, now.getTime() - 24 * hour, from, from + perFill],
  );
if (server) await look(db, "analyze");
const perPlace = ((await bytes()) - before) / people;

/** Milliseconds of the processor, and by the clock. */
async function timed(work: () => Promise<unknown>) {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { processor: (user + system) / 1_000, clock: performance.now() - start };
}

const by = { provider: "bench", isIdempotent: true, perBatch: 100, tokenOf: () => "t".repeat(43) };
const sending = { row: step.email, cursor: 0, segment: {}, isStep: true };
const accept = `update broadcast_recipients set state = ${recipientStates.accepted}, accepted_at = ${now.getTime()} where state = ${recipientStates.claimed}`;
const [claims, moves, reads]: [number[], number[], number[]] = [[], [], []];
for (let i = -rounds; i < rounds; i++) {
  if (i === 0) for (const measured of [claims, moves, reads]) measured.length = 0;
  claims.push((await timed(() => claimStep(db, sending, { size: 100, isLimited: false }, by, now))).processor);
  reads.push((await timed(() => isTooLate(db, step.email, now))).clock, (await timed(() => carryOn(db, now))).clock);
  await look(db, accept);
  for (let half = 0; half < 2; half++) moves.push((await timed(() => advance(db, now))).processor);
}
await db.close();
await server?.stop();
conclude([
  atMost("SEQ6", `claiming 100 of ${people} people, ms of the processor, median`, 2, median(claims)),
  atMost("SEQ6", "the reads beside it, ms, p99", 10, percentile(reads, 0.99)),
  atMost("SEQ6", "bytes a place", 120, perPlace),
  atMost("SEQ6", "moving 50 people on, ms of the processor, median", 10, median(moves)),
]);

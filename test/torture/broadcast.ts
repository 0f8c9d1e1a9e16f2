/**
 * `npm run torture broadcast -- [people] [--smtp] [--postgres]` (figures N1 and N3): a broadcast to many people, a
 * provider that fails in every possible way, people who leave in between, and a sender that is killed every two
 * seconds. No one may get it twice, no one may be missing, and no one gets it who left before being claimed. With SMTP,
 * which knows no keys, a kill may leave as many uncertain as there are connections. With PostgreSQL, two senders share
 * the database and are killed together.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Broadcast } from "../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../db/broadcasts/ledger";
import type { Db } from "../../db/engine/open";
import { openDb } from "../../db/open";
import * as subscriberList from "../../db/newsletter/list";
import * as subscribers from "../../db/newsletter/subscribers";
import { Sender } from "../../src/broadcasts/sender";
import { loadConfig } from "../../src/platform/config";
import { openMail } from "../../src/mail/open";
import { createLog } from "../../src/platform/log";
import { broadcastStage, by, writeShort } from "../support/broadcasts/broadcasts";
import { atMost, conclude, exactly } from "../support/figures";
import { look } from "../support/look";
import { administer, urlOf } from "../support/postgres/databases";
import { startPostgres } from "../support/postgres/server";
import { startProvider } from "../support/providers/resend-process";
import { smtpSink } from "../support/providers/smtp";

type Env = Record<string, string>;
type Run = {
  people: number;
  killEveryMs: number;
  smtp?: boolean;
  postgres?: boolean;
  leaving?: number;
  deleted?: number;
};
/** The email provider: it outlives the senders, and knows what each address got. */
type Destination = {
  env: Env;
  counts(): Promise<Map<string, number>>;
  pass(ms: number): Promise<void>;
  stop(): unknown;
};

const leastSkippedMs = 60_000;
const pool = 5;
const rounds = 5; // in which people leave
/** One in a thousand is no address to the provider. */
const isRefused = (row: number) => row % 1_000 === 0;

/** Runs until the broadcast is sent. Figures, not opinions. */
export async function tortureBroadcast({
  people,
  killEveryMs,
  smtp = false,
  postgres = false,
  leaving = people / 100,
  deleted = people / 1_000,
}: Run) {
  const database = postgres ? await onServer() : inFolder();
  const to = smtp ? await smtpServer() : await resend();
  const stage = await broadcastStage({ people, path: database.where, env: to.env });
  const { db } = stage;
  stage.clock.time = Date.now();
  const id = await stage.confirmed();
  const left = new Set<string>();
  const startedAt = performance.now();
  let [kills, wrongLedgers] = [0, 0];
  let [lifeMs, before] = [killEveryMs, 0];
  for (;;) {
    const leavers = kills < rounds ? leave(db, people, left, { leaving, deleted }) : undefined;
    await letSend(database, to.env, lifeMs);
    await leavers;
    const current = await stage.broadcast(id);
    if (!addsUp(current)) wrongLedgers++;
    const { state, accepted } = current;
    if (state === "sent") break;
    kills++;
    lifeMs = accepted > before ? killEveryMs : 2 * lifeMs; // on a slow machine a life may be too short for anything
    before = accepted;
    await to.pass(await passTime(db));
  }
  const counts = await to.counts();
  const { claimed, accepted, failed, uncertain, skipped } = await stage.broadcast(id);
  const rows = await stage.recipients();
  const figures = {
    ...{ people, kills, claimed, accepted, failed, uncertain, skipped },
    distinct: counts.size,
    doubled: [...counts.values()].filter((count) => count > 1).length,
    missing: (await missing(db, counts)).length,
    /** Got it although they left before being claimed. */
    afterLeaving: [...left].filter((email) => counts.has(email)).length,
    leftUnclaimed: left.size,
    wrongCounters: [
      accepted - (rows.accepted ?? 0),
      failed - (rows.failed ?? 0),
      uncertain - (rows.uncertain ?? 0),
    ].filter(Boolean).length,
    /** Of those after each kill and at the end, with reports or without (R16). */
    wrongLedgers,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
  await db.close();
  await to.stop();
  await database.remove();
  return figures;
}

/** The database, the number of senders, and whether a sender may assume that it is alone. */
type Database = { where: string; senders: number; remove(): unknown };

export function inFolder(): Database {
  const folder = mkdtempSync(join(tmpdir(), "postroom-broadcast-"));
  return { where: join(folder, "postroom.db"), senders: 1, remove: () => rmSync(folder, { recursive: true }) };
}

export async function onServer(): Promise<Database> {
  const server = await startPostgres();
  await administer(server.url, "create database torture");
  return { where: urlOf(server.url, "torture"), senders: 2, remove: server.stop };
}

async function resend(): Promise<Destination> {
  let ahead = 0;
  const mishaps = { seed: 7, tooFast: 0.1, serverError: 0.05, lost: 0.05, hang: 0.02, unreadable: 0.01 };
  const provider = await startProvider({ mishaps, refused: "^p\\d*000@" });
  return {
    env: provider.env,
    counts: async () => new Map(Object.entries((await provider.report()).counts)),
    pass: (ms) => provider.set({ ahead: (ahead += ms) }),
    stop: provider.stop,
  };
}

/** Sometimes accepts a message without confirming it. */
async function smtpServer(): Promise<Destination> {
  const sink = await smtpSink({ keep: false });
  let commands = 0;
  sink.behave = (command, address) => {
    if (command === "RCPT" && isRefused(Number(/^p(\d+)@/.exec(address)?.[1]))) return { code: 550, text: "5.7.1 No" };
    if (command === "RCPT" && ++commands % 500 === 0) return { code: 451, text: "4.3.0 Try again later" };
    return undefined;
  };
  return {
    env: { MAILER_API_KEY: `${sink.url}?pool=${pool}`, MAIL_FROM: "Site <site@x.example>" },
    counts: () => Promise.resolve(sink.counts),
    pass: () => Promise.resolve(),
    stop: sink.stop,
  };
}

/** Some leave while it is sent. Notes those whom the cursor had not reached by then: they are in no batch. */
async function leave(db: Db, people: number, left: Set<string>, most: { leaving: number; deleted: number }) {
  const now = new Date();
  const some = (n: number) =>
    Array.from({ length: Math.ceil(n / rounds) }, () => 1 + Math.floor(Math.random() * people));
  const note = async (row: number) => {
    const ahead = await look(db, "select 1 from broadcasts where cursor < ?", [row]);
    if (ahead.length) left.add(`p${row}@example.com`);
  };
  for (const row of some(most.leaving)) {
    await subscribers.unsubscribe(db, `p${row}@example.com`, { via: "link" }, now);
    await note(row);
  }
  for (const row of some(most.deleted)) {
    await subscriberList.remove(db, { ids: [`s${row}`] }, by, now);
    await note(row);
  }
}

/** Whether every recipient is in one of the figures, and no figure is less than none. */
function addsUp(broadcast: Broadcast): boolean {
  const { recipients, ...parts } = ledgerOf(broadcast);
  const counts = Object.values(parts);
  return counts.every((count) => count >= 0) && counts.reduce((a, b) => a + b, 0) === recipients;
}

/** Who should have got it, and did not: neither refused, nor uncertain, nor gone. */
const missing = async (db: Db, counts: Map<string, number>) =>
  (
    await look<{ email: string }>(
      db,
      `select email from subscribers s where state = 'active'
         and not exists (select 1 from broadcast_recipients r where r.subscriber_row = s.row and r.state in (2, 3))`,
    )
  ).filter(({ email }) => !counts.has(email));

/** A sender in a process of its own. Its first output says that it works, and the second that everything is sent. */
export const startSender = ({ where, senders }: Omit<Database, "remove">, env: Env, script: string) =>
  Bun.spawn([process.execPath, script, "sender", where, JSON.stringify(env), `${senders}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });

/** Senders in processes of their own, killed without warning so long after all of them began. */
export async function letSend(
  { where, senders }: Database,
  env: Env,
  milliseconds: number,
  script = import.meta.path,
): Promise<void> {
  const started = Array.from({ length: senders }, () => startSender({ where, senders }, env, script));
  const readers = started.map(({ stdout }) => stdout.getReader());
  await Promise.all(readers.map((reader) => reader.read())); // they work
  const ends = readers.map((reader) => reader.read()); // everything is sent
  await Promise.race([...ends, Bun.sleep(milliseconds)]);
  for (const sender of started) sender.kill("SIGKILL");
  await Promise.all(started.map(({ exited }) => exited));
}

/** While no sender is alive, every wait gets shorter by a minute, or until a batch is due. Returns the milliseconds. */
export async function passTime(db: Db): Promise<number> {
  const [next] = await look<{ at: number | null }>(
    db,
    "select min(next_attempt_at) as at from broadcast_batches where state = 'open'",
  );
  const ms = Math.max(leastSkippedMs, (next?.at ?? 0) - Date.now());
  await look(db, "update broadcasts set rest_until = rest_until - ?", [ms]);
  const open = "first_attempt_at = first_attempt_at - ?1, lease_until = lease_until - ?1 where state = 'open'";
  await look(db, `update broadcast_batches set next_attempt_at = next_attempt_at - ?1, ${open}`, [ms]);
  return ms;
}

async function runSender(file: string, env: Env, isOnlySender: boolean) {
  const db = await openDb(file);
  const now = () => new Date();
  const config = loadConfig({ APP_SECRET: "a-secret-for-this-torture-only-0123", ...env });
  const mail = openMail({ config, now });
  const needs = { config, db, log: createLog("silent"), now, mail };
  new Sender(needs, { write: writeShort, isOnlySender, everyMs: 50 }).start();
  console.log("It works");
  while (!(await look(db, "select 1 from broadcasts where state = 'sent'")).length) await Bun.sleep(20);
  console.log("Sent");
}

if (import.meta.main) {
  const [first = "", second = "", third = "", fourth] = Bun.argv.slice(2).filter((word) => !word.startsWith("--"));
  const [smtp, postgres] = [Bun.argv.includes("--smtp"), Bun.argv.includes("--postgres")];
  if (first === "sender") await runSender(second, JSON.parse(third), fourth === "1");
  else {
    const people = Number(first || (smtp ? 10_000 : 100_000));
    const figures = await tortureBroadcast({ people, killEveryMs: 2_000, smtp, postgres });
    console.log(figures);
    const id = smtp ? "N3" : "N1";
    conclude([
      exactly(id, `doubled of ${people}, in ${figures.kills} kills`, 0, figures.doubled),
      exactly(id, "missing", 0, figures.missing),
      exactly(id, "sent to after leaving unclaimed", 0, figures.afterLeaving),
      exactly(id, "counters that are not those of the rows", 0, figures.wrongCounters),
      exactly("R16", "ledgers that do not add up to the recipients", 0, figures.wrongLedgers),
      atMost(id, "uncertain", smtp ? figures.kills * pool : 0, figures.uncertain),
      exactly(
        id,
        "accepted or uncertain, and what the provider has",
        0,
        Math.max(0, figures.distinct - figures.accepted - figures.uncertain),
      ),
    ]);
  }
}

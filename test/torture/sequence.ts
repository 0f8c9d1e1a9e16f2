/**
 * `npm run torture sequence -- [people] [--postgres|--cluster]` (figures SEQ1, SEQ7): many people begin a sequence of three emails, a
 * provider fails a third of the time, a tenth leave, some are erased and some pause while it is sent, and the sender is
 * killed every two seconds. No one may get an email twice, no one may miss one, and no one gets one for which they had
 * not been claimed when they left. With PostgreSQL, two senders share the database and are killed together. As a
 * cluster, three go on, of which one is killed, one stands still while the others go on, and the database crashes.
 */
import type { Db } from "../../db/engine/open";
import { pauseFor } from "../../db/newsletter/preferences";
import { enterSequences } from "../../db/newsletter/sequence-entry";
import * as subscribers from "../../db/newsletter/subscribers";
import { openDb } from "../../db/open";
import { erase } from "../../db/people/erase";
import { whereabouts } from "../../db/sequences/report";
import type { WriteEmails } from "../../src/broadcasts/deliveries";
import { Sender } from "../../src/broadcasts/sender";
import { loadConfig } from "../../src/platform/config";
import { openMail } from "../../src/mail/open";
import { createLog } from "../../src/platform/log";
import { broadcastStage, writeShort } from "../support/broadcasts/broadcasts";
import { hours, startedSequence } from "../support/broadcasts/sequences";
import { conclude, exactly } from "../support/figures";
import { look } from "../support/look";
import { startProvider } from "../support/providers/resend-process";
import { administer, urlOf } from "../support/postgres/databases";
import { startPostgres } from "../support/postgres/server";
import { inFolder, letSend, onServer, passTime, startSender } from "./broadcast";

type Run = {
  people: number;
  killEveryMs: number;
  postgres?: boolean;
  cluster?: boolean;
  leaving?: number;
  erased?: number;
  paused?: number;
};

const rounds = 5; // in which people leave
const maxTransactionMs = 3_000;
const mishaps = { seed: 11, tooFast: 0.15, serverError: 0.08, lost: 0.06, hang: 0.02, unreadable: 0.02 };
const emailOf = (row: number) => `p${row}@example.com`;

/** The provider counts by address, so each email of the sequence has addresses of its own. */
const writeNamed: WriteEmails = (letter, recipients, id) =>
  writeShort(letter, recipients, id).map((email) => ({ ...email, to: `${id}.${email.to}` }));

/** Runs until everyone is at the end. */
export async function tortureSequence({
  people,
  killEveryMs,
  postgres = false,
  cluster = false,
  leaving = people / 10,
  erased = people / 50,
  paused = people / 50,
}: Run) {
  const server = cluster ? await startPostgres(true) : undefined;
  if (server) await administer(server.url, "create database torture");
  const shared = server && {
    where: urlOf(server.url, "torture"),
    senders: 3,
    remove: server.stop,
    crash: server.crash,
  };
  const database = shared ?? (postgres ? await onServer() : inFolder());
  const provider = await startProvider({ mishaps });
  const stage = await broadcastStage({ people, path: database.where, env: provider.env });
  const { db } = stage;
  stage.clock.time = Date.now();
  const course = await startedSequence(db, new Date(), { waits: [hours(0), hours(0), hours(0)] });
  await enterAll(db, people);
  const fates = new Fates(db, people);
  const startedAt = performance.now();
  const senders = shared && new Senders(shared, provider.env);
  let [kills, ahead, lifeMs, before] = [0, 0, killEveryMs, 0];
  for (;;) {
    const each = (count: number) => Math.ceil(count / rounds);
    const live =
      kills < rounds
        ? fates.live({ leaving: each(leaving), erased: each(erased), paused: each(paused) })
        : fates.resumeAll();
    if (senders) await senders.goOn(lifeMs);
    else await letSend(database, provider.env, lifeMs, import.meta.path);
    await live;
    if (senders && kills % 5 === 4) await shared.crash();
    const [{ open, sent } = { open: 0, sent: 0 }] = await look<{ open: number; sent: number }>(
      db,
      `select (select count(*) from sequence_people where state < 3) open,
        (select cast(coalesce(sum(accepted), 0) as bigint) from broadcasts) sent`,
    );
    if (!open) break;
    kills++;
    lifeMs = sent > before ? killEveryMs : Math.min(2 * lifeMs, 30_000); // on a slow machine a life may be too short
    before = sent;
    ahead += await onceFree(() => passTime(db));
    await provider.set({ ahead });
  }
  await senders?.end();
  const { counts } = await provider.report();
  const figures = { people, kills, ...(await fates.judge(counts, course.emails)) };
  const { entered, done, stopped } = await whereabouts(db, course);
  const uncertain = (await look<{ n: number }>(db, "select count(*) n from broadcast_recipients where state = 3"))[0]
    ?.n;
  await db.close();
  await provider.stop();
  await database.remove();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  return { ...figures, uncertain, done, stopped, notAtTheEnd: entered - done - stopped, seconds };
}

/**
 * Who stands still may hold a lock, until the server ends that transaction; another one that stands still may be next.
 * Whoever gave up waiting tries again, as people do.
 */
const onceFree = <T>(work: () => Promise<T>, tries = 10): Promise<T> =>
  work().catch(async (error) => {
    if (tries <= 1) throw error;
    await Bun.sleep(maxTransactionMs);
    return onceFree(work, tries - 1);
  });

async function enterAll(db: Db, people: number): Promise<void> {
  for (let at = 0; at < people; at += 500) {
    const rows = Array.from({ length: Math.min(500, people - at) }, (_, i) => at + i + 1);
    await db.write((orm) => enterSequences(orm, [{ trigger: "subscribed", rows }], new Date()), { guarded: true });
  }
}

/** Three senders that go on from round to round. Between rounds all stand still, as on a machine that is suspended. */
class Senders {
  private all: ReturnType<typeof startSender>[] = [];
  private rounds = 0;

  constructor(
    private readonly database: Parameters<typeof startSender>[0],
    private readonly env: Record<string, string>,
  ) {}

  /** One is killed in every second round and replaced in the next; in the others, one stands still all the time. */
  async goOn(ms: number): Promise<void> {
    while (this.all.length < this.database.senders) {
      const sender = startSender(this.database, this.env, import.meta.path);
      const reader = sender.stdout.getReader();
      await reader.read(); // it works
      this.all.push(sender);
    }
    const stands = this.rounds % 2 ? this.all[0] : undefined;
    for (const sender of this.all) if (sender !== stands) sender.kill("SIGCONT");
    await Bun.sleep(ms);
    if (this.rounds++ % 2 === 0) await this.kill(this.all.shift());
    for (const sender of this.all) sender.kill("SIGSTOP");
  }

  private async kill(sender: ReturnType<typeof startSender> | undefined) {
    sender?.kill("SIGKILL");
    await sender?.exited;
  }

  async end(): Promise<void> {
    for (const sender of this.all.splice(0)) await this.kill(sender);
  }
}

/** What people do while the sequence is sent. */
class Fates {
  /** Who left: a bit for each email that had been claimed for them by then. */
  private readonly left = new Map<number, number>();
  private readonly erased = new Set<number>();
  private readonly paused = new Set<number>();

  constructor(
    private readonly db: Db,
    private readonly people: number,
  ) {}

  private *someone(count: number): Generator<number> {
    for (let i = 0; i < count;) {
      const row = 1 + Math.floor(Math.random() * this.people);
      if (this.left.has(row) || this.erased.has(row) || this.paused.has(row)) continue;
      i++;
      yield row;
    }
  }

  async live({ leaving, erased, paused }: { leaving: number; erased: number; paused: number }): Promise<void> {
    const { db } = this;
    for (const row of this.someone(leaving)) {
      await onceFree(() => subscribers.unsubscribe(db, emailOf(row), { via: "link" }, new Date()));
      const place = "select sent from sequence_people where subscriber_row = ?";
      this.left.set(row, (await look<{ sent: number }>(db, place, [row]))[0]?.sent ?? 0);
      if (row % 2) await onceFree(() => subscribers.subscribeAgain(db, emailOf(row), { via: "link" }, new Date()));
    }
    for (const row of this.someone(paused)) {
      const until = new Date(Date.now() + 86_400_000);
      await onceFree(() => pauseFor(db, this.byThemselves(row), until));
      this.paused.add(row);
    }
    for (const row of this.someone(erased)) {
      this.erased.add(row);
      const what = { id: crypto.randomUUID(), email: emailOf(row), scope: ["subscription" as const] };
      await onceFree(() => erase(db, what, { actor: "cli", via: "cli" }, new Date()));
    }
  }

  private byThemselves = (row: number) => ({
    email: emailOf(row),
    origin: { via: "preferences" as const },
    now: new Date(),
  });

  async resumeAll(): Promise<void> {
    for (const row of this.paused) await onceFree(() => pauseFor(this.db, this.byThemselves(row), undefined));
    this.paused.clear();
  }

  async judge(counts: Record<string, number>, emails: string[]) {
    let [missing, afterLeaving] = [0, 0];
    for (let row = 1; row <= this.people; row++)
      for (const [at, id] of emails.entries()) {
        const count = counts[`${id}.${emailOf(row)}`] ?? 0;
        const claimed = this.left.get(row);
        if (claimed !== undefined) afterLeaving += count && !(Math.floor(claimed / 2 ** at) % 2) ? 1 : 0;
        else if (!this.erased.has(row)) missing += count ? 0 : 1;
      }
    const doubled = Object.values(counts).filter((count) => count > 1).length;
    return {
      left: this.left.size,
      erased: this.erased.size,
      distinct: Object.keys(counts).length,
      doubled,
      missing,
      afterLeaving,
    };
  }
}

async function runSender(where: string, env: Record<string, string>, isOnlySender: boolean) {
  const db = await openDb(where);
  const now = () => new Date();
  const config = loadConfig({ APP_SECRET: "a-secret-for-this-torture-only-0123", ...env });
  const needs = { config, db, log: createLog("silent"), now, mail: openMail({ config, now }) };
  new Sender(needs, { write: writeNamed, isOnlySender, everyMs: 50 }).start();
  console.log("It works");
  const isOpen = "select 1 from sequence_people where state < 3 limit 1";
  while ((await look(db, isOpen).catch(() => [1])).length) await Bun.sleep(20); // a database that crashed comes back
  console.log("Everyone is at the end");
}

if (import.meta.main) {
  const [first = "", where = "", env = "", senders] = Bun.argv.slice(2).filter((word) => !word.startsWith("--"));
  if (first === "sender") await runSender(where, JSON.parse(env), senders === "1");
  else {
    const postgres = Bun.argv.includes("--postgres");
    const cluster = Bun.argv.includes("--cluster");
    const figures = await tortureSequence({ people: Number(first || 10_000), killEveryMs: 2_000, postgres, cluster });
    const id = cluster ? "SEQ7" : "SEQ1";
    console.log(figures);
    const { people, kills, doubled, missing, afterLeaving, notAtTheEnd, uncertain = 0 } = figures;
    conclude([
      exactly(id, `doubled, of ${people} people and ${kills} kills`, 0, doubled),
      exactly(id, "missing", 0, missing),
      exactly(id, "sent to who had left before it was claimed", 0, afterLeaving),
      exactly(id, "neither at the end nor stopped", 0, notAtTheEnd),
      exactly(id, "uncertain", 0, uncertain),
    ]);
  }
}

/**
 * `npm run torture outbox [mails] [seconds]` (figure R3): a full outbox, a provider that fails at every third attempt
 * in every possible way, and a worker that is killed every two seconds. Every email must arrive, and none twice, given
 * the provider's handling of the Idempotency-Key.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../db/open";
import { stats as mailStats } from "../../db/mail/stats";
import * as outboxList from "../../db/mail/list";
import * as settings from "../support/settings";
import * as subscribers from "../../db/newsletter/subscribers";
import { loadConfig } from "../../src/platform/config";
import { createLog } from "../../src/platform/log";
import { fakeProvider } from "../support/mail";
import { drawMishaps } from "../support/providers/mishaps";
import { startWorker } from "../support/outbox";
import { conclude, exactly } from "../support/figures";
import { look } from "../support/look";

type Run = { mails: number; seconds: number; killEveryMs: number; seed?: number };
type Provider = Awaited<ReturnType<typeof fakeProvider>>;
type Env = Record<string, string>;

/** Runs until the queue is empty, or the time is up. Returns figures. */
export async function tortureOutbox({ mails, seconds, killEveryMs, seed = 1 }: Run) {
  const folder = mkdtempSync(join(tmpdir(), "postroom-outbox-"));
  const file = join(folder, "postroom.db");
  const db = await openDb(file);
  const provider = await fakeProvider();
  misbehave(provider, seed);
  const env = { APP_SECRET: "a-secret-for-this-torture-only-0123", ...provider.env };

  await settings.set(db, "emailsToStrangersPerHour", "0", { by: "torture" }, new Date());
  await Promise.all(
    Array.from({ length: mails }, (_, i) =>
      subscribers.subscribe(db, { email: `r${i}@example.com` }, { via: "form" }, new Date()),
    ),
  );
  const startedAt = performance.now();
  let kills = 0;
  let revived = 0;
  let [lifeMs, before] = [killEveryMs, 0];
  for (;;) {
    await letWork(file, env, lifeMs);
    revived += await reviveDead(db);
    const { queued } = await mailStats(db, new Date());
    if (!queued || performance.now() - startedAt > seconds * 1000) break;
    kills++;
    const { total: sent } = await outboxList.list(db, { state: "sent" }, { page: 1, per: 1 });
    lifeMs = sent > before ? killEveryMs : 2 * lifeMs; // on a slow machine a life may be too short for anything
    before = sent;
    await passEightHours(db);
  }

  const figures = {
    ...arrivals(provider),
    mails,
    kills,
    revived,
    marked: (await outboxList.list(db, { state: "sent" }, { page: 1, per: 1 })).total,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
  await db.close();
  provider.stop();
  rmSync(folder, { recursive: true });
  return figures;
}

/**
 * One attempt in three fails: some before the provider accepts the email, some after. Few are too fast, because then
 * everything rests for a second, as it should.
 */
function misbehave(provider: Provider, seed: number) {
  const draw = drawMishaps({ seed, serverError: 0.12, tooFast: 0.005, hang: 0.03, reset: 0.09, lost: 0.09 });
  provider.behave = (arrival) => draw(() => provider.deliver(arrival));
}

/** A worker in a process of its own, killed without warning so long after it began. */
async function letWork(file: string, env: Env, milliseconds: number) {
  const worker = Bun.spawn([process.execPath, import.meta.path, "worker", file, JSON.stringify(env)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await worker.stdout.getReader().read();
  await Promise.race([worker.exited, Bun.sleep(milliseconds)]);
  worker.kill("SIGKILL");
  await worker.exited;
}

/** While no worker runs, time passes: every wait in the table is shortened, and so are the claims of the dead. */
const passEightHours = (db: Awaited<ReturnType<typeof openDb>>) =>
  db.write(async () => void (await look(db, "update outbox set next_attempt_at = next_attempt_at - 28800000")));

/** What a manager does with emails that failed ten times: sends them again. */
async function reviveDead(db: Awaited<ReturnType<typeof openDb>>): Promise<number> {
  let count = 0;
  for (const state of ["dead", "uncertain"] as const)
    count += (await outboxList.retry(db, { selection: { matching: { state } } }, { actor: "torture" }, new Date()))
      .count;
  return count;
}

function arrivals(provider: Provider) {
  const delivered = provider.delivered();
  const recipients = new Set(delivered.flatMap(({ to }) => to));
  return {
    attempts: provider.attempts.length,
    distinct: recipients.size,
    doubled: delivered.length - recipients.size,
  };
}

async function runWorker(file: string, env: Env) {
  const db = await openDb(file);
  const now = () => new Date();
  startWorker({ config: loadConfig(env), db, log: createLog("silent"), now }, { everyMs: 50, timeoutMs: 200 });
  console.log("It works");
}

if (import.meta.main) {
  const [first = "10000", second = "300", third] = Bun.argv.slice(2);
  if (first === "worker") await runWorker(second, JSON.parse(third ?? "{}"));
  else {
    const figures = await tortureOutbox({ mails: Number(first), seconds: Number(second), killEveryMs: 2_000 });
    console.log(figures);
    const { mails, distinct, doubled, marked } = figures;
    conclude([
      exactly("R3", `distinct mails of ${mails}`, mails, distinct),
      exactly("R3", "doubled", 0, doubled),
      exactly("R3", "marked as sent", mails, marked),
    ]);
  }
}

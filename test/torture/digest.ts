/**
 * `npm run torture digest -- [weeks] [people] [--postgres]`: a weekly digest, with posts published each week, a provider
 * that fails a third of the time, and the process killed again and again from before the digest is gathered until it is
 * sent. Each post may be in one digest, each week has one, and no one may get one twice or miss one. With PostgreSQL,
 * two processes share the database and are killed together.
 */
import { addRule } from "../../db/broadcasts/from-posts/rules";
import { openDb } from "../../db/open";
import { applyAction } from "../../db/posts/bulk";
import * as postEdits from "../../db/posts/edit";
import type { WriteEmails } from "../../src/broadcasts/deliveries";
import { Sender } from "../../src/broadcasts/sender";
import { openMail } from "../../src/mail/open";
import { loadConfig } from "../../src/platform/config";
import { createLog } from "../../src/platform/log";
import { broadcastStage, by, writeShort } from "../support/broadcasts/broadcasts";
import { conclude, exactly } from "../support/figures";
import { look } from "../support/look";
import { startProvider } from "../support/providers/resend-process";
import { set } from "../support/settings";
import { inFolder, letSend, onServer } from "./broadcast";

type Run = { weeks: number; people: number; killEveryMs: number; postgres?: boolean };

const mishaps = { seed: 7, tooFast: 0.15, serverError: 0.08, lost: 0.06, hang: 0.02, unreadable: 0.02 };
const [minute, day] = [60_000, 86_400_000];
const monday = { weekday: 1, minute: 480, zone: "Europe/Madrid" };
const postsPerWeek = 2;
const maxKills = 60; // in a week; a sender that sends nothing in so many lives never will

/** The provider counts by address, so each digest has addresses of its own. */
const writeNamed: WriteEmails = (letter, recipients, id) =>
  writeShort(letter, recipients, id).map((email) => ({ ...email, to: `${id}.${email.to}` }));

export async function tortureDigest({ weeks, people, killEveryMs, postgres = false }: Run) {
  const database = postgres ? await onServer() : inFolder();
  const provider = await startProvider({ mishaps });
  const stage = await broadcastStage({ people, path: database.where, env: provider.env });
  const { db } = stage;
  const now = () => new Date(Date.now() + ahead);
  let [ahead, kills] = [0, 0];
  await set(db, "postUrl", "https://blog.example/p/{slug}", { by: "torture" }, now());
  await addRule(db, { becomes: "digest", schedule: monday, tagSlug: null, topicRow: null }, by, now());
  const sentOnes = async () =>
    (await look<{ n: number }>(db, "select count(*) n from broadcasts where state = 'sent'"))[0]?.n ?? 0;
  for (let week = 1; week <= weeks; week++) {
    const [rule] = await look<{ next_at: number }>(db, "select next_at from post_rules");
    if (!rule) throw new Error("The rule is gone");
    ahead = rule.next_at - day - Date.now();
    for (let n = 0; n < postsPerWeek; n++) await publish(db, `Week ${week}, ${n}`, now());
    ahead += day - 12 * minute; // gathered in two minutes, sent in twelve
    for (let lives = 0; (await sentOnes()) < week; lives++) {
      if (lives > maxKills) throw new Error(`The digest of week ${week} is never sent`);
      await provider.set({ ahead });
      const lifeMs = killEveryMs * (0.2 + 1.8 * Math.random()) * 1.25 ** lives; // on a slow machine a life may be too short
      await letSend(database, { ...provider.env, TORTURE: JSON.stringify({ ahead, week }) }, lifeMs, import.meta.path);
      kills++;
      ahead += 3 * minute;
    }
  }
  const { counts } = await provider.report();
  const digests = await look<{ id: string; week: string }>(
    db,
    "select broadcasts.id, week from digests join broadcasts on broadcasts.row = digests.broadcast_row",
  );
  const [{ gathered = 0, drafts = 0 } = {}] = await look<{ gathered: number; drafts: number }>(
    db,
    `select (select count(*) from post_mailings where state = 'done' and broadcast_row is not null) gathered,
      (select count(*) from broadcasts where state <> 'sent') drafts`,
  );
  const expected = digests.flatMap(({ id }) => Array.from({ length: people }, (_, n) => `${id}.p${n + 1}@example.com`));
  await db.close();
  await provider.stop();
  await database.remove();
  return {
    ...{ kills, digests: digests.length, weeks: new Set(digests.map(({ week }) => week)).size, gathered, drafts },
    doubled: Object.values(counts).filter((count) => count > 1).length,
    missing: expected.filter((address) => !counts[address]).length,
    others: Object.keys(counts).length - expected.filter((address) => counts[address]).length,
  };
}

async function publish(db: Parameters<typeof postEdits.create>[0], title: string, now: Date): Promise<void> {
  const blank = { slug: "", excerpt: "", coverImage: "", author: "", published: false, tags: [], publishedAt: null };
  const created = await postEdits.create(db, { ...blank, title, content: "Wet." }, by, now);
  if (created.outcome !== "saved") throw new Error(created.outcome);
  await applyAction(db, { action: "publish", selection: { ids: [created.post.id] } }, by, now);
}

async function runSender(where: string, { TORTURE = "{}", ...env }: Record<string, string>, isOnlySender: boolean) {
  const { ahead = 0, week = 0 }: { ahead?: number; week?: number } = JSON.parse(TORTURE);
  const db = await openDb(where);
  const now = () => new Date(Date.now() + ahead);
  const config = loadConfig({ APP_SECRET: "a-secret-for-this-torture-only-0123", ...env });
  const needs = { config, db, log: createLog("silent"), now, mail: openMail({ config, now }) };
  new Sender(needs, { write: writeNamed, isOnlySender, everyMs: 50 }).start();
  console.log("It works");
  const sent = "select count(*) n from broadcasts where state = 'sent'";
  while (((await look<{ n: number }>(db, sent))[0]?.n ?? 0) < week) await Bun.sleep(20);
  console.log("Sent");
}

if (import.meta.main) {
  const [first = "", second = "", third = "", senders] = Bun.argv.slice(2).filter((word) => !word.startsWith("--"));
  if (first === "sender") await runSender(second, JSON.parse(third), senders === "1");
  else {
    const [weeks, people] = [Number(first || 20), Number(second || 500)];
    const postgres = Bun.argv.includes("--postgres");
    const figures = await tortureDigest({ weeks, people, killEveryMs: 500, postgres });
    console.log(figures);
    const id = "digest";
    conclude([
      exactly(id, `digests of ${weeks} weeks, in ${figures.kills} kills`, weeks, figures.digests),
      exactly(id, "posts in a digest", postsPerWeek * weeks, figures.gathered),
      exactly(id, `doubled, of ${people} people a week`, 0, figures.doubled),
      exactly(id, "missing", 0, figures.missing),
      exactly(id, "left as drafts, or sent to others", 0, figures.drafts + figures.others),
    ]);
  }
}

import { openDb } from "../../../db/open";
import type { Db } from "../../../db/engine/open";
import * as broadcasts from "../../../db/broadcasts/broadcasts";
import { create } from "../../../db/broadcasts/edit";
import type { Segment } from "../../../db/newsletter/segments/definition";
import { confirm } from "../../../db/broadcasts/states";
import { recipientStates } from "../../../db/schema/broadcasts";
import type { Reach, WriteEmails } from "../../../src/broadcasts/deliveries";
import { Sender } from "../../../src/broadcasts/sender";
import { loadConfig } from "../../../src/platform/config";
import { openMail, type Mail } from "../../../src/mail/open";
import { createLog } from "../../../src/platform/log";
import { subscribers } from "../../../db/schema/newsletter";
import { look } from "../look";

const secret = "test-secret-of-at-least-32-characters";
export const by = { actor: "manager@example.com" };

/** A letter of a few bytes: these tests are about who gets it. */
export const writeShort: WriteEmails = (_letter, recipients, id) =>
  recipients.map(([row, to]) => ({
    from: "Site <site@x.example>",
    to,
    subject: "News",
    html: "<p>Hello</p>",
    text: "Hello",
    headers: {},
    tags: { postroom_b: id, postroom_r: String(row) },
    messageId: `b.${row}.${id}@x.example`,
  }));

/** Adds active subscribers p1@example.com, p2@example.com and so on, without events. */
export async function addPeople(db: Db, count: number, source: string | null = null): Promise<void> {
  const last = (await look<{ n: number }>(db, 'select coalesce(max("row"), 0) n from subscribers'))[0]?.n ?? 0;
  const people = Array.from({ length: count }, (_, i) => {
    const email = `p${last + i + 1}@example.com`;
    const zero = new Date(0);
    return { id: `s${last + i + 1}`, email, emailKey: email, source, folded: "", createdAt: zero, updatedAt: zero };
  });
  for (let at = 0; at < count; at += 500)
    await db.write((orm) =>
      orm
        .insert(subscribers)
        .values(people.slice(at, at + 500))
        .run(),
    );
}

type Options = { people?: number; env?: Record<string, string>; db?: Db; mail?: Mail; path?: string };

/** A database with people, a clock, and senders that send when they are told to. */
export async function broadcastStage({
  people = 0,
  env = {},
  db: given,
  mail: opened,
  path = ":memory:",
}: Options = {}) {
  const db = given ?? (await openDb(path));
  const config = loadConfig({ APP_SECRET: secret, DATA_DIR: "/tmp", OWNER_EMAIL: "owner@example.com", ...env });
  const clock = { time: Date.parse("2026-11-21T12:00:00Z") };
  const now = () => new Date(clock.time);
  const logged: Record<string, unknown>[] = [];
  const log = createLog("debug", (line) => logged.push(JSON.parse(line)));
  const mail = opened ?? openMail({ config, now });
  await addPeople(db, people);

  return {
    db,
    config,
    clock,
    now,
    log,
    logged,
    mail,
    sender: (reach?: Reach, isOnlySender = false) =>
      new Sender({ config, db, log, now, mail }, { write: writeShort, isOnlySender, ...(reach && { reach }) }),
    /** A broadcast that is due now, or at another time. */
    async confirmed({ at = now(), segment = {} as Segment, bytes = 100 } = {}) {
      const fields = {
        subject: "News",
        preheader: "",
        fromName: "",
        archive: "none" as const,
        segment,
        content: "Hello",
      };
      const draft = await create(db, { source: { kind: "own" }, fields }, by, now());
      const frozen = { letter: { text: "Hello" }, page: [], bytes };
      await confirm(db, { seen: draft, to: { at, audience: people, frozen } }, by, now());
      return draft.id;
    },
    async broadcast(id: string) {
      const found = await broadcasts.byId(db, id);
      if (!found) throw new Error("The broadcast is gone");
      return found;
    },
    /** How many recipients are in each state, counted from the rows. */
    recipients: async () => await recipientsIn(db),
  };
}

const names = new Map(Object.entries(recipientStates).map(([name, state]) => [state as number, name]));

/** Counts the recipients in each state, without the counters. */
export const recipientsIn = async (db: Db) =>
  Object.fromEntries(
    (
      await look<{ state: number; n: number }>(db, "select state, count(*) n from broadcast_recipients group by state")
    ).map(({ state, n }) => [names.get(state) ?? "?", n]),
  );

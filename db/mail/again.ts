import { createHash } from "node:crypto";
import { and, eq, gt, inArray, type SQL } from "drizzle-orm";
import { forUpdate, lockUntilCommit } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { mailboxKey } from "../lib/email-key";
import { outbox } from "../schema/mail";
import { guarded, laneOfRepetition, type Mail } from "./outbox";
import { dayMs } from "../lib/time";

/**
 * The ID of the email that repeats another one. It is derived from the other's ID, so that many clicks create only one
 * row.
 */
const idOfRepetition = (id: string) => {
  const hex = createHash("sha256").update(`mail-again/v1/${id}`).digest("hex");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5"); // a version 8 UUID
};

/** Returns the ID of the email that repeats this one, if it was sent again. */
export const repetitionOf = (db: Db, id: string) => db.read(async (orm) => (await find(orm, idOfRepetition(id)))?.id);

const findWhere = (orm: Orm, condition: SQL) => orm.select().from(outbox).where(condition).get();
const find = (orm: Orm, id: string) => findWhere(orm, eq(outbox.id, id));
const lock = (orm: Orm, id: string) => findWhere(orm, forUpdate(eq(outbox.id, id)));

/** Whether, as far as is known, it did not arrive. A cancelled one was never tried, and is queued itself. */
export const isRepeatable = ({ state }: Mail) => state === "simulated" || state === "dead";

type Outcome = { outcome: "queued" | "already"; id: string } | { outcome: "gone" | "other-state" | "capped" };

/** Queues a simulated or failed email again as a new one, with attempts and an Idempotency-Key of its own. */
export const sendAgain = (db: Db, original: string, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Outcome> => {
    const mail = await lock(orm, original);
    if (!mail) return { outcome: "gone" };
    const id = idOfRepetition(original);
    if (await find(orm, id)) return { outcome: "already", id };
    if (!isRepeatable(mail)) return { outcome: "other-state" };
    if (mail.kind === "welcome" && (await wasWelcomed(orm, mail, now))) return { outcome: "capped" };
    const { kind, recipient, recipientKey, mailboxKey, subjectId, payload } = mail;
    const copy = { id, kind, recipient, recipientKey, mailboxKey, subjectId, payload };
    const due = { lane: laneOfRepetition(kind), createdAt: now, nextAttemptAt: now };
    await orm
      .insert(outbox)
      .values({ ...copy, ...due })
      .run();
    await audit.record(orm, { ...by, action: "mail.repeat", targetId: id, target: recipient }, now);
    return { outcome: "queued", id };
  }, guarded);

/** Whether a welcome email was sent to this subscriber, or is about to be, so that there can be no other (D13). */
async function wasWelcomed(orm: Orm, { kind, subjectId, recipientKey }: Mail, now: Date): Promise<boolean> {
  await lockUntilCommit(orm)(orm, "mailbox", mailboxKey(recipientKey)); // someone may be subscribing
  const others = await orm
    .select({ at: outbox.createdAt })
    .from(outbox)
    .where(
      and(
        eq(outbox.subjectId, subjectId ?? ""),
        eq(outbox.kind, kind),
        inArray(outbox.state, ["queued", "sent"]),
        gt(outbox.createdAt, new Date(now.getTime() - 30 * dayMs)),
      ),
    )
    .all();
  return others.length >= 3 || others.some(({ at }) => at.getTime() > now.getTime() - dayMs);
}

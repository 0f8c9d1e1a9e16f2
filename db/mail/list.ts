import { and, asc, count, desc, eq, gt, inArray, isNull, lte, ne, not, or, type SQL, sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import * as audit from "../audit";
import { forUpdate, lockUntilCommit } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type Selection } from "../lib/bulk";
import { mailboxKey } from "../lib/email-key";
import { containsIn } from "../lib/fold";
import { countRows, hasId, isWithin, pageOf, type PageRequest, type Period } from "../lib/rows";
import { dayMs } from "../lib/time";
import { outbox } from "../schema/mail";
import { guarded, isUncertain, laneForRetry, laneOfRepetition, type Mail, type MailOutcome } from "./outbox";
import { keyMs } from "./rules";

/** The kinds of emails, by which the list is filtered. */
export const kinds = outbox.kind.enumValues;

export type MailFilter = Period & {
  kind?: Mail["kind"] | undefined;
  state?: MailOutcome | undefined;
  /** Found anywhere in the recipient's address, as typed or in punycode, ignoring case. */
  q?: string | undefined;
};

type MailSelection = Selection<MailFilter>;
export type ChangedMails = Changed<Pick<Mail, "id" | "recipient" | "kind">>;

/** Returns one page, newest first. A page past the end is the last page. */
export const list = (db: Db, filter: MailFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filter);
    const inOrder = orm.select().from(outbox).where(where).orderBy(desc(outbox.createdAt), desc(outbox.id));
    return pageOf(await countRows(orm, outbox, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
  });

/** Counts the emails by what became of them. */
export const counts = (db: Db): Promise<Record<MailOutcome, number>> =>
  db.read(async (orm) => {
    const rows = await orm.select({ state: outbox.state, n: count() }).from(outbox).groupBy(outbox.state).all();
    const none = { queued: 0, sent: 0, simulated: 0, dead: 0, cancelled: 0 };
    const states = { ...none, ...Object.fromEntries(rows.map(({ state, n }) => [state, n])) };
    const uncertain = states.dead ? await countRows(orm, outbox, isUncertain) : 0;
    return { ...states, dead: states.dead - uncertain, uncertain };
  });

export const byId = (db: Db, id: string) => db.read((orm) => orm.select().from(outbox).where(eq(outbox.id, id)).get());

/** Returns every email about a subscriber or a message, oldest first, for its page. */
export const about = (db: Db, subjectId: string) =>
  db.read((orm) =>
    orm
      .select()
      .from(outbox)
      .where(eq(outbox.subjectId, subjectId))
      .orderBy(asc(outbox.createdAt), asc(outbox.id))
      .all(),
  );

/** Returns the newest email about each of these subjects. */
export async function newestAbout(db: Db, subjectIds: string[]): Promise<Map<string, Mail>> {
  if (!subjectIds.length) return new Map();
  return db.read(async (orm) => {
    const order = [asc(outbox.createdAt), asc(outbox.id)];
    const where = hasId(outbox.subjectId, subjectIds);
    const mails = await orm
      .select()
      .from(outbox)
      .where(where)
      .orderBy(...order)
      .all();
    return new Map(mails.map((mail) => [mail.subjectId ?? "", mail]));
  });
}

/**
 * Queues the selected failed emails again, with a fresh set of attempts. Sent emails are never sent again, nor are
 * uncertain ones once the provider has forgotten their keys: it would take them for new ones. `from` has the states to
 * retry from.
 */
export const retry = (
  db: Db,
  { selection, from = ["dead"] }: { selection: MailSelection; from?: Mail["state"][] | undefined },
  by: audit.Actor,
  now: Date,
) =>
  change(
    db,
    {
      selection,
      verb: "retry",
      from,
      also: or(ne(outbox.state, "dead"), isNull(outbox.inDoubtSince), not(isForgotten(now))),
      values: { state: "queued", attempts: 0, lane: laneForRetry, nextAttemptAt: now, inDoubtSince: stillKnown(now) },
    },
    by,
    now,
  );

/**
 * Cancels the selected queued emails. One that is being sent at this moment may still arrive. Notifications of a
 * sign-in cannot be cancelled: an intruder would do so.
 */
export const cancel = (db: Db, { selection }: { selection: MailSelection }, by: audit.Actor, now: Date) =>
  change(
    db,
    {
      selection,
      verb: "cancel",
      from: ["queued"],
      also: ne(outbox.kind, "sign-in"),
      values: { state: "cancelled", lastError: `Cancelled by ${by.actor}` },
    },
    by,
    now,
  );

const isForgotten = (now: Date) => lte(outbox.inDoubtSince, new Date(now.getTime() - keyMs));
const stillKnown = (now: Date) => sql`case when not ${isForgotten(now)} then in_doubt_since end`;

type Change = {
  selection: MailSelection;
  verb: "retry" | "cancel";
  also?: SQL | undefined;
  from: Mail["state"][];
  values: { [Column in keyof Mail]?: Mail[Column] | SQL };
};

const change = (db: Db, { selection, verb, from, also, values }: Change, by: audit.Actor, now: Date) =>
  changeInCommits(db, async (orm) => {
    const affected = and(
      isSelected(selection),
      inArray(
        outbox.state,
        from.filter((state) => state !== values.state),
      ),
      also,
    );
    const next = orm.select({ id: outbox.id }).from(outbox).where(affected).limit(rowsPerCommit);
    const batch = await orm
      .update(outbox)
      .set(values)
      .where(inArray(outbox.id, next))
      .returning({ id: outbox.id, recipient: outbox.recipient, kind: outbox.kind })
      .all();
    const target = auditTarget(batch[0], batch.length, ({ recipient }) => recipient);
    if (batch.length) await audit.record(orm, { ...by, action: `mail.${verb}`, ...target }, now);
    return batch;
  });

const isSelected = (selection: MailSelection): SQL | undefined =>
  "ids" in selection ? inArray(outbox.id, selection.ids) : matching(selection.matching);

const matching = ({ kind, state, q, ...period }: MailFilter) =>
  and(
    state === "uncertain" ? isUncertain : state && eq(outbox.state, state),
    state === "dead" ? isNull(outbox.inDoubtSince) : undefined,
    kind && eq(outbox.kind, kind),
    isWithin(outbox.createdAt, period),
    q ? or(containsIn(outbox.recipientKey, q), containsIn(outbox.recipient, q)) : undefined,
  );

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

import type { Db } from "../engine/open";
import type * as audit from "../audit";
import { emailKey, mailboxKey } from "../lib/email-key";
import { together } from "../async/turns";
import * as outbox from "../mail/outbox";
import { mayWelcome } from "../mail/caps";
import type { Origin } from "../events/subscriber-events";
import { change, type SubscriberSelection } from "./list";
import { confirmAll, type ConfirmLink, sendLink, type Standing, standingOf } from "./pending";
import { enterAsNew } from "./sequence-entry";
import { guarded, lockWithKey, type Subscriber } from "./subscribers";

/**
 * Confirms with the link in the email, and queues the welcome email, as far as its cap allows (D13). Returns what was
 * found: repeating it is not an error.
 */
export const confirm = (db: Db, link: ConfirmLink, origin: Origin, now: Date) =>
  db.write(async (orm): Promise<Standing> => {
    const person = await lockWithKey(orm, emailKey(link.email));
    const standing = standingOf(person, link, now);
    if (!person || standing !== "pending") return standing;
    await confirmAll(orm, [person.id], origin, now);
    if (!person.suppressedAt && (await mayWelcome(orm, person, now)))
      await outbox.enqueue(orm, { kind: "welcome", recipient: person.email, subjectId: person.id, payload: {} }, now);
    return "confirmed";
  }, guarded);

/** Sends a new link to someone with an expired one, as far as the caps allow. */
export const sendNewLink = (db: Db, email: string, origin: Origin, now: Date) =>
  db.write(async (orm) => {
    const person = await lockWithKey(orm, emailKey(email));
    if (person?.state === "active") await sendLink(orm, person, origin, now);
  }, guarded);

const isPending = ({ state, pendingAt }: Subscriber) => state === "active" && pendingAt !== null;

/** Sends the link again to those of the selected who are pending, as far as the caps allow. */
export const remind = (db: Db, selection: SubscriberSelection, by: audit.Actor, now: Date) =>
  change(db, { selection, verb: "remind", by, now }, async (orm, people) => {
    const pending = people.filter(isPending);
    const send = (person: Subscriber) => sendLink(orm, person, { via: "manager", actor: by.actor }, now);
    const isSent = await together(pending, (person) => mailboxKey(person.emailKey), send);
    return pending.filter((_, at) => isSent[at]);
  });

type ByHand = {
  selection: SubscriberSelection;
  /** Kept as proof of their consent. */
  why: string;
  /** Whether this begins sequences, as if they had confirmed themselves. */
  begin?: boolean | undefined;
};

/**
 * Confirms those of the selected who are pending. Who has left before is not: a program or a stranger may have named
 * them since, so that only the link in their own email brings them back.
 */
export const confirmByHand = (db: Db, { selection, why, begin }: ByHand, by: audit.Actor, now: Date) =>
  change(db, { selection, verb: "confirm", by: { ...by, details: { note: why } }, now }, async (orm, people) => {
    const pending = people.filter((person) => isPending(person) && !person.unsubscribedAt);
    const ids = pending.map(({ id }) => id);
    await confirmAll(orm, ids, { via: "manager", actor: by.actor, note: why }, now);
    if (begin) await enterAsNew(orm, { rows: pending.map(({ row }) => row), isConfirmed: true }, now);
    return pending;
  });

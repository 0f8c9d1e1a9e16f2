import type { Db } from "../engine/open";
import type * as audit from "../audit";
import { emailKey } from "../lib/email-key";
import type { Origin } from "./events";
import { change, type SubscriberSelection } from "./list";
import { confirmLinkMs, confirmOne, sendLink } from "./pending";
import { guarded, lockWithKey, type Subscriber, withKey } from "./subscribers";

/** The contents of a confirmation link: `askedAt` is when the person became pending. */
type Link = { email: string; askedAt: Date };
export type Standing = "pending" | "expired" | "confirmed" | "unknown";

/** Returns what pressing the button would find. */
export function standingOf(person: Subscriber | undefined, { askedAt }: Link, now: Date): Standing {
  if (person?.state !== "active") return "unknown";
  if (!person.pendingAt) return "confirmed";
  const isCurrent = person.pendingAt.getTime() === askedAt.getTime();
  return isCurrent && now.getTime() - askedAt.getTime() <= confirmLinkMs ? "pending" : "expired";
}

/** Confirms with the link in the email. Returns what was found: repeating it is not an error. */
export const confirm = (db: Db, link: Link, origin: Origin, now: Date) =>
  db.write(async (orm): Promise<Standing> => {
    const person = await withKey(orm, emailKey(link.email));
    const standing = standingOf(person, link, now);
    if (!person || standing !== "pending") return standing;
    await confirmOne(orm, person.id, origin, now);
    return "confirmed";
  });

/** Sends a new link to someone with an expired one, as far as the caps allow. */
export const sendNewLink = (db: Db, email: string, origin: Origin, now: Date) =>
  db.write(async (orm) => {
    const person = await lockWithKey(orm, emailKey(email));
    if (person?.state === "active") await sendLink(orm, person, origin, now);
  }, guarded);

const isPending = ({ state, pendingAt }: Subscriber) => state === "active" && pendingAt !== null;

/** Sends the link again to those of the selected who are pending, as far as the caps allow. */
export const remind = (db: Db, selection: SubscriberSelection, by: audit.Actor, now: Date) =>
  change(db, selection, "remind", by, now, async (orm, person) => {
    return isPending(person) && sendLink(orm, person, { via: "manager", actor: by.actor }, now);
  });

/** Confirms those of the selected who are pending. @param why is kept as proof of their consent */
export const confirmByHand = (db: Db, selection: SubscriberSelection, by: audit.Actor, why: string, now: Date) =>
  change(db, selection, "confirm", { ...by, details: { note: why } }, now, async (orm, person) => {
    if (!isPending(person)) return false;
    await confirmOne(orm, person.id, { via: "manager", actor: by.actor, note: why }, now);
    return true;
  });

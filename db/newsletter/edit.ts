import { eq } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { fold } from "../lib/fold";
import { lockInOrder } from "../lib/rows";
import { subscribers } from "../schema/newsletter";
import { inForce, isForgotten } from "../suppressions/suppressions";
import { type Details, detailsOf } from "./details";
import { type Status, statusElsewhere } from "./rules";
import { guarded, type NewSubscriber, type Subscriber, subscribeIn, withKey } from "./subscribers";
import { changePeople } from "./change-people";
import { enterSequences } from "./sequence-entry";
import type { FieldChange } from "./fields";
import { topicsNamed } from "./topics";
import { ensureTags, type Tag, type TagNames, tagsNamed } from "./tags";

type Edit = {
  id: string;
  details: Details;
  tags?: TagNames;
  /** By their slugs. What the person left is not put back. */
  topics?: { add: string[]; remove: string[] };
  fields?: FieldChange["values"];
};

/**
 * Changes what managers may correct: all but the address. Returns the address, and the tags that a site has no place
 * for; undefined if the subscriber no longer exists.
 */
export async function edit(db: Db, { id, details, ...more }: Edit, by: audit.Actor, now: Date) {
  const { tags = { add: [], remove: [] }, topics = { add: [], remove: [] }, fields = [] } = more;
  const add = await ensureTags(db, tags.add, now);
  const email = await db.write(async (orm) => {
    const subscriber = await orm.select().from(subscribers).where(eq(subscribers.id, id)).get();
    if (!subscriber) return undefined;
    const origin = { via: "manager" as const, actor: by.actor };
    const remove = await tagsNamed(orm, tags.remove);
    const chosen = { add: await topicsNamed(orm, topics.add), remove: await topicsNamed(orm, topics.remove) };
    const wanted = { person: subscriber, tags: { add, remove }, topics: chosen, fields, details: detailsOf(details) };
    const { changed, causes } = await changePeople(orm, [wanted], origin, now);
    await enterSequences(orm, causes, now);
    if (!changed.size) return subscriber.email;
    await audit.record(orm, { ...by, action: "subscriber.change", targetId: id, target: subscriber.email }, now);
    return subscriber.email;
  });
  return email === undefined ? undefined : { email, leftOut: leftOut(tags.add, add) };
}

/** Those of the names that none of the tags has. */
const leftOut = (names: string[], tags: Tag[]) =>
  names.filter((name) => !tags.some(({ folded }) => folded === fold(name)));

/** Why a manager cannot add an address: it is on the list, has left it, or was erased. */
export type Refusal = "active" | "unsubscribed" | "erased";

/** Why no one gets emails instead of someone whose address is wrong: they would get none under another one either. */
export type Obstacle = Exclude<Status, "active"> | "deleted";

/** Returns whose address is wrong, or why no one is added instead. */
export async function personToCorrect(orm: Orm, id: string): Promise<Subscriber | Obstacle> {
  const person = await orm.select().from(subscribers).where(eq(subscribers.id, id)).get();
  if (!person) return "deleted";
  const status = statusElsewhere(person, (await inForce(orm, person.email))?.reason);
  return status === "active" ? person : status;
}

type Added = { obstacle: Obstacle } | { refusal: Refusal } | { isSuppressed: boolean };
/** `instead`: the ID of the person whose address is wrong, whose topics, fields and time zone this one gets. */
type NewByHand = NewSubscriber & { tags?: string[]; instead?: string | undefined };

/**
 * Adds one subscriber by hand, with its audit entry. Never reactivates anyone, not even who leaves at the same time.
 */
export async function addByHand(
  db: Db,
  { tags = [], instead, ...input }: NewByHand,
  { welcome, ...by }: audit.Actor & { welcome: boolean },
  now: Date,
) {
  const add = await ensureTags(db, tags, now);
  const result = await db.write(async (orm): Promise<Added> => {
    if (instead) await lockInOrder(orm, subscribers, eq(subscribers.id, instead));
    const like = instead ? await personToCorrect(orm, instead) : undefined;
    if (typeof like === "string") return { obstacle: like };
    if (await isForgotten(orm, input.email)) return { refusal: "erased" };
    const origin = { via: "manager" as const, actor: by.actor };
    const added = await subscribeIn(orm, input, origin, now, { welcome, onlyNew: true, like });
    if (!added.changed) return { refusal: (await withKey(orm, emailKey(input.email)))?.state ?? "active" };
    const tagged = await changePeople(orm, [{ person: added.subscriber, tags: { add, remove: [] } }], undefined, now);
    const { row } = added.subscriber;
    await enterSequences(orm, [{ trigger: "subscribed", rows: [row] }, ...tagged.causes], now); // by what is known now
    const target = { targetId: added.subscriber.id, target: input.email };
    await audit.record(orm, { ...by, action: "subscriber.add", ...target }, now);
    return { isSuppressed: added.isSuppressed };
  }, guarded);
  return { ...result, leftOut: leftOut(tags, add) };
}

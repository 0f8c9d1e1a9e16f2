import { and, eq, gt, or, sql } from "drizzle-orm";
import * as audit from "../audit";
import { type Db, type Orm, prepared } from "../engine/open";
import { together } from "../async/turns";
import { emailKey } from "../lib/email-key";
import { fold, foldAll } from "../lib/fold";
import { subscribers } from "../schema/newsletter";
import { type Details, detailsOf, eachDetail, laterDetails } from "./details";
import { changePeople, type PersonChange } from "./change-people";
import type { FieldChange } from "./fields";
import { ensureTags, type Tag } from "./tags";
import { maxPauseMs } from "./pause";
import { activate, mayBeUndone, type Subscriber, withKey } from "./subscribers";
import { enterSequences } from "./sequence-entry";
import type { Topic } from "./topics";
import { recordEvent, type Origin } from "../events/subscriber-events";
import { isForgotten, applySuppression } from "../suppressions/suppressions";

/** `left`: topics that the person left elsewhere. Only `pausedUntil` of new people counts. */
export type ImportedSubscriber = Pick<Subscriber, "email" | "state"> &
  Details & {
    createdAt: Date;
    tags?: string[];
    topics?: { chosen: Topic[]; left: Topic[] };
    fields?: FieldChange["values"];
    pausedUntil?: Date | undefined;
  };
/** `left`: was active, and is unsubscribed because the file says so. */
export type Outcome = "new" | "already" | "left" | "keptUnsubscribed" | "revived" | "erased";

/**
 * Adds subscribers in one commit, without welcome emails. Unsubscribed ones stay unsubscribed, because an old list is
 * no consent. Only an explicit `revive` reactivates them, and only if the file says that they are active. Active ones
 * whom the file lists as unsubscribed are unsubscribed (docs/decisions/imports.md). Erased people are not stored again.
 * Returns the outcome for each.
 */
export async function importAll(
  db: Db,
  people: ImportedSubscriber[],
  terms: ImportOptions,
  now: Date,
): Promise<Outcome[]> {
  const names = terms.dryRun ? [] : people.flatMap(({ tags = [] }) => tags);
  const tags = new Map((await ensureTags(db, names, now)).map((tag) => [tag.folded, tag]));
  return db
    .write(async (orm) => {
      const keyOf = ({ email }: ImportedSubscriber) => emailKey(email);
      const labelled: Labelled[] = [];
      const outcomes = await together(people, keyOf, (person) => importOne(orm, person, { ...terms, labelled }, now));
      if (terms.dryRun) throw new DryRun(outcomes);
      await label(orm, labelled, { tags, ...terms }, now);
      await recordImport(orm, outcomes, terms, now);
      return outcomes;
    })
    .catch((end: unknown) => {
      if (end instanceof DryRun) return end.outcomes;
      throw end;
    });
}

/** Whose tags and details a file states. `isNew`: their history begins with the import. */
type Labelled = { subscriber: Pick<Subscriber, "row" | "id">; person: ImportedSubscriber; isNew: boolean };
type Labels = { tags: Map<string, Tag> } & Pick<ImportOptions, "origin" | "begin">;

/** Gives people the tags, topics and fields of the file, and those who were here before all details but name and source. */
async function label(orm: Orm, labelled: Labelled[], { tags, origin, begin }: Labels, now: Date): Promise<void> {
  const changeOf = ({ subscriber, person, isNew }: Labelled): PersonChange => {
    const add = (person.tags ?? []).flatMap((name) => tags.get(fold(name)) ?? []);
    const details = isNew ? {} : Object.fromEntries(laterDetails.map((name) => [name, person[name] || undefined]));
    const { chosen = [], left = [] } = person.topics ?? {};
    const topics = { add: chosen, remove: [], left };
    return { person: subscriber, tags: { add, remove: [] }, topics, fields: person.fields ?? [], details };
  };
  const [added, here] = [labelled.filter(({ isNew }) => isNew), labelled.filter(({ isNew }) => !isNew)];
  const { causes } = await changePeople(orm, added.map(changeOf), undefined, now);
  const { causes: others } = await changePeople(orm, here.map(changeOf), origin, now);
  if (begin) await enterSequences(orm, [...causes, ...others], now, false); // after all rows that say who left
}

/** Writes what a commit changed to the audit log. */
async function recordImport(orm: Orm, outcomes: Outcome[], { by }: ImportOptions, now: Date): Promise<void> {
  const countOf = (outcome: Outcome) => outcomes.filter((other) => other === outcome).length;
  const changed = { new: countOf("new"), revived: countOf("revived"), unsubscribed: countOf("left") };
  const details = Object.entries(changed).flatMap(([name, count]) => (count ? [[name, String(count)]] : []));
  if (by && details.length)
    await audit.record(orm, { ...by, action: "subscriber.import", details: Object.fromEntries(details) }, now);
}

/** Stored as consent if it was not stated how people agreed. */
export const notStated = "not stated";

export type ImportOptions = {
  revive: boolean;
  /** Also adds the tags and topics, and sets the fields and details but name and source, of people who are here already. */
  update?: boolean;
  /** Lets people begin the sequences of the tags and topics that they get. */
  begin?: boolean;
  /** How these people agreed, in words: stored with those who become active, and in their events. */
  consent?: string | undefined;
  origin: Origin;
  /** Who is named in the audit log. */
  by?: audit.Actor | undefined;
  /** Does everything and rolls it back: only the outcomes are wanted. */
  dryRun?: boolean;
};

/** Thrown to roll back a dry run. */
class DryRun extends Error {
  constructor(readonly outcomes: Outcome[]) {
    super("A rehearsal is over");
  }
}

async function importOne(
  orm: Orm,
  person: ImportedSubscriber,
  { revive, update, origin, consent = notStated, labelled }: ImportOptions & { labelled: Labelled[] },
  now: Date,
): Promise<Outcome> {
  const key = emailKey(person.email);
  if (await isForgotten(orm, person.email)) return "erased";
  const source = person.source ?? undefined;
  const consentNote = person.state === "active" ? consent : null;
  const { email, state, createdAt, pausedUntil = now } = person;
  const added = await insert(orm).get({
    id: Bun.randomUUIDv7(),
    email,
    state,
    createdAt,
    ...detailsOf(person),
    pausedUntil: pausedUntil > now ? Math.min(pausedUntil.getTime(), now.getTime() + maxPauseMs) : null,
    emailKey: key,
    consentNote,
    folded: foldAll(person.email, key, person.name),
    unsubscribedAt: person.state === "unsubscribed" ? now.getTime() : null,
    now,
  });
  if (added) {
    labelled.push({ subscriber: added, person, isNew: true });
    await recordEvent(orm, { subscriberId: added.id, kind: "imported" }, { ...origin, source, note: consentNote }, now);
    await applySuppression(orm, { ...added, email: person.email, suppressedAt: null }, origin, now);
    return "new";
  }
  const subscriber = await withKey(orm, key);
  if (!subscriber) throw new Error("A subscriber was neither added nor found"); // the insert saw a row with this address
  if (update) labelled.push({ subscriber, person, isNew: false });
  if (person.state === "unsubscribed") return leave(orm, subscriber, origin, now);
  if (subscriber.state === "active") return "already";
  if (!revive) return "keptUnsubscribed";
  const consentOfNow = { consentNote, consentAt: null, consentUrl: null }; // where and when they agreed before proves nothing
  await orm.update(subscribers).set(consentOfNow).where(eq(subscribers.id, subscriber.id)).run();
  await activate(orm, [subscriber.id], "reactivated", { ...origin, source, note: consentNote }, now);
  return "revived";
}

/**
 * Unsubscribes someone whom a file lists as unsubscribed. Whoever a manager or a mail scanner has unsubscribed is
 * unsubscribed once more: undoing that must not bring back someone who really left.
 */
async function leave(orm: Orm, subscriber: Subscriber, origin: Origin, now: Date): Promise<Outcome> {
  const wasActive = subscriber.state === "active";
  if (!wasActive && !(await mayBeUndone(orm, subscriber))) return "keptUnsubscribed";
  const changes = { state: "unsubscribed", unsubscribedAt: now, updatedAt: now } as const;
  await orm.update(subscribers).set(changes).where(eq(subscribers.id, subscriber.id)).run();
  await recordEvent(orm, { subscriberId: subscriber.id, kind: "unsubscribed" }, origin, now);
  return wasActive ? "left" : "keptUnsubscribed";
}

const { placeholder } = sql;

const insert = prepared((orm) =>
  orm
    .insert(subscribers)
    .values({
      id: placeholder("id"),
      email: placeholder("email"),
      emailKey: placeholder("emailKey"),
      ...eachDetail(sql.placeholder),
      state: placeholder("state"),
      consentNote: placeholder("consentNote"),
      unsubscribedAt: sql`${placeholder("unsubscribedAt")}`, // Drizzle cannot encode a nullable date
      pausedUntil: sql`${placeholder("pausedUntil")}`,
      folded: placeholder("folded"),
      createdAt: placeholder("createdAt"),
      updatedAt: placeholder("now"),
    })
    .onConflictDoNothing({ target: subscribers.emailKey })
    .returning({ id: subscribers.id, row: subscribers.row })
    .prepare(),
);

/** Returns which of these people are here already, by their keys. */
export async function peopleHere(orm: Orm, keys: string[]): Promise<Set<string>> {
  const isAmong = sql`${subscribers.emailKey} in (select value from json_each(${JSON.stringify(keys)}))`;
  const rows = await orm.select({ key: subscribers.emailKey }).from(subscribers).where(isAmong).all();
  return new Set(rows.map(({ key }) => key));
}

/** Yields all subscribers, oldest first, in pages, so that memory use does not depend on their number. */
export async function* pages(db: Db, size = 1_000): AsyncGenerator<Subscriber[]> {
  let last: Subscriber | undefined;
  do {
    const page: Subscriber[] = await db.read((orm) => after(orm, last, size));
    if (page.length) yield page;
    last = page.length === size ? page.at(-1) : undefined;
  } while (last);
}

const after = (orm: Orm, last: Subscriber | undefined, size: number): Promise<Subscriber[]> =>
  orm
    .select()
    .from(subscribers)
    .where(
      last &&
        or(
          gt(subscribers.createdAt, last.createdAt),
          and(eq(subscribers.createdAt, last.createdAt), gt(subscribers.id, last.id)),
        ),
    )
    .orderBy(subscribers.createdAt, subscribers.id)
    .limit(size)
    .all();

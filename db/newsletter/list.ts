import { and, asc, desc, eq, gt, inArray, type SQL } from "drizzle-orm";
import * as audit from "../audit";
import { forUpdate } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import { recordEvents } from "../events/subscriber-events";
import { emit } from "../events/webhook-events";
import { auditTarget, type Changed, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { countRows, hasId, isOneOf, listOf, lockInOrder, type PageRequest, pageWithin, sourcesIn } from "../lib/rows";
import { apiKeys } from "../schema/access";
import { broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { subscriberEvents, subscribers } from "../schema/newsletter";
import { changePeople } from "./change-people";
import { enterSequences } from "./sequence-entry";
import { countByStatus } from "./counts";
import type { FieldChange } from "./fields";
import { condition, countMatches, isCounted, maxCounted, type SubscriberFilter } from "./search";
import { segmentCondition } from "./segments/condition";
import { isEverybody } from "./segments/definition";
import { countPeople, firstPeople, peopleInSegment, type Wanted } from "./segments/people";
import { activate, guarded, type Subscriber } from "./subscribers";
import { ensureTags, type TagNames, tagsNamed } from "./tags";
import { topicsNamed } from "./topics";

type SubscriberSort = "joined" | "-joined" | "email" | "-email" | "unsubscribed" | "-unsubscribed";
export type SubscriberSelection = UndoableSelection<SubscriberFilter>;

const orders: Record<SubscriberSort, SQL[]> = {
  joined: [asc(subscribers.createdAt), asc(subscribers.id)],
  "-joined": [desc(subscribers.createdAt), desc(subscribers.id)],
  email: [asc(subscribers.emailKey)],
  "-email": [desc(subscribers.emailKey)],
  unsubscribed: [asc(subscribers.unsubscribedAt), asc(subscribers.id)],
  "-unsubscribed": [desc(subscribers.unsubscribedAt), desc(subscribers.id)],
};

/**
 * Returns one page. `total` is exact up to 10,000, and with a segment always; above that, `isMore` says that there are
 * more. A page past the end is the last page.
 */
export async function list(db: Db, filter: SubscriberFilter, sort: SubscriberSort, request: PageRequest) {
  const wanted = await wantedBy(db, filter);
  if (wanted) return listSegment(db, wanted, sort, request);
  return db.read(async (orm) => {
    const where = await condition(orm, filter);
    const total = await countMatches(orm, filter, where);
    const isMore = total > maxCounted && !isCounted(filter);
    const page = isMore ? request.page : pageWithin(request, total);
    const { per } = request;
    const rows = await pageRows(orm, where, sort, { page, per });
    return { rows, page, per, total: isMore ? maxCounted : total, isMore };
  });
}

/** The people of a filter's segment, who must match the rest of it too; undefined if it has none. */
async function wantedBy(db: Db, filter: SubscriberFilter): Promise<Wanted | undefined> {
  const { segment } = filter;
  if (!segment || isEverybody(segment)) return undefined;
  return { segment, where: await db.read((orm) => condition(orm, filter)) };
}

/** A few people are sorted; many are read in order, which fills a page sooner. */
async function listSegment(db: Db, wanted: Wanted, sort: SubscriberSort, request: PageRequest) {
  const { rows: first, total } = await firstPeople(db, wanted, maxCounted);
  const few = { count: first.length, list: JSON.stringify(first) };
  const where = total <= maxCounted ? isOneOf(subscribers.row, few) : everyoneIn(wanted);
  const page = pageWithin(request, total);
  const { per } = request;
  const rows = await db.read((orm) => pageRows(orm, where, sort, { page, per }));
  return { rows, page, per, total, isMore: false };
}

const everyoneIn = ({ segment, where }: Wanted) => and(where, segmentCondition(segment));

function pageRows(orm: Orm, where: SQL | undefined, sort: SubscriberSort, { page, per }: PageRequest) {
  const rows = orm
    .select({ row: subscribers.row })
    .from(subscribers)
    .where(where)
    .orderBy(...orders[sort])
    .limit(per)
    .offset((page - 1) * per);
  return orm
    .select()
    .from(subscribers)
    .where(inArray(subscribers.row, rows))
    .orderBy(...orders[sort])
    .all();
}

/** Counts the selected subscribers exactly. */
export async function countSelected(db: Db, selection: SubscriberSelection): Promise<number> {
  const wanted = "matching" in selection ? await wantedBy(db, selection.matching) : undefined;
  if (wanted) return countPeople(db, wanted);
  return db.read(async (orm) => countRows(orm, subscribers, await isSelected(orm, selection)));
}

async function isSelected(orm: Orm, selection: SubscriberSelection): Promise<SQL | undefined> {
  if ("ids" in selection) return inArray(subscribers.id, selection.ids);
  return "changedAt" in selection ? unsubscribedTogether(orm, selection.changedAt) : condition(orm, selection.matching);
}

/** Condition: unsubscribed by managers at that moment, and still unsubscribed. The events have an index for it. */
const unsubscribedTogether = (orm: Orm, at: Date) =>
  and(
    eq(subscribers.state, "unsubscribed"),
    eq(subscribers.unsubscribedAt, at),
    inArray(
      subscribers.id,
      orm
        .select({ id: subscriberEvents.subscriberId })
        .from(subscriberEvents)
        .where(
          and(
            eq(subscriberEvents.kind, "unsubscribed"),
            eq(subscriberEvents.createdAt, at),
            eq(subscriberEvents.via, "manager"),
          ),
        ),
    ),
  );

/** Returns the counts per status, which triggers maintain. */
export const counts = (db: Db) => db.read(countByStatus);

/** Returns every source, for the filter. */
export const sources = (db: Db) => db.read((orm) => sourcesIn(orm, subscribers));

/**
 * Returns the API keys with which sites and programs may subscribe people, and these, by IDs and names that differ. The
 * keys are asked, not the events, which are far more.
 */
export const keysOfPeople = (db: Db, ids: string[] = []) =>
  db.read(async (orm) => {
    const { id, name, scopes, createdAt } = apiKeys;
    const keys = await orm.select({ id, name, scopes }).from(apiKeys).orderBy(createdAt, id).all();
    const namesakes = Map.groupBy(keys, (key) => key.name);
    const canSubscribe = (key: (typeof keys)[number]) =>
      key.scopes?.some((scope) => scope === "visitors" || scope === "newsletter:write");
    return keys
      .filter((key) => ids.includes(key.id) || canSubscribe(key))
      .map((key) => {
        const isAlone = namesakes.get(key.name)?.length === 1;
        return { id: key.id, name: isAlone ? key.name : `${key.name} (…${key.id.slice(-6)})` };
      });
  });

export const byId = (db: Db, id: string) =>
  db.read((orm) => orm.select().from(subscribers).where(eq(subscribers.id, id)).get());

/**
 * Reactivates the unsubscribed ones among the selected subscribers. Returns how many changed, and the first of them.
 */
export const reactivate = (db: Db, selection: SubscriberSelection, by: audit.Actor, now: Date) =>
  change(db, { selection, verb: "reactivate", by, now }, async (orm, people) => {
    const unsubscribed = people.filter(({ state }) => state === "unsubscribed");
    await activate(orm, idsOf(unsubscribed), "reactivated", { via: "manager", actor: by.actor }, now);
    return unsubscribed;
  });

/** Unsubscribes the active ones among the selected subscribers. Returns how many changed, and the first of them. */
export const unsubscribe = (db: Db, selection: SubscriberSelection, by: audit.Actor, now: Date) =>
  change(db, { selection, verb: "unsubscribe", by, now }, async (orm, people) => {
    const active = people.filter(({ state }) => state === "active");
    const ids = idsOf(active);
    const changes = { state: "unsubscribed", unsubscribedAt: now, updatedAt: now } as const;
    await orm.update(subscribers).set(changes).where(hasId(subscribers.id, ids)).run();
    await recordEvents(orm, { ids, kind: "unsubscribed" }, { via: "manager", actor: by.actor }, now);
    return active;
  });

/** Deletes the selected subscribers permanently (D39). Their record of consent is kept. */
export const remove = (db: Db, selection: SubscriberSelection, by: audit.Actor, now: Date) =>
  change(db, { selection, verb: "delete", by, now, lockFirst: lockBroadcasts }, async (orm, people) => {
    const ids = idsOf(people);
    await recordEvents(orm, { ids, kind: "deleted" }, { via: "manager", actor: by.actor }, now);
    await orm.delete(subscribers).where(hasId(subscribers.id, ids)).run();
    return people;
  });

/** Locks the broadcasts whose figures change with them, in their order, and before the people, as an erasure. */
function lockBroadcasts(orm: Orm, people: Subscriber[]): Promise<void> {
  const { broadcastRow, subscriberRow } = broadcastRecipients;
  const isTheirs = isOneOf(subscriberRow, listOf(people.map(({ row }) => row)));
  const got = orm.select({ broadcastRow }).from(broadcastRecipients).where(isTheirs);
  return lockInOrder(orm, broadcasts, inArray(broadcasts.row, got));
}

const idsOf = (people: Subscriber[]) => people.map(({ id }) => id);

/**
 * Applies a change to the selection in commits of a thousand, each with its entry in the audit log.
 *
 * @param apply returns those it changed. Every answer it awaits is a round trip, during which their rows are locked
 */
export async function change(
  db: Db,
  {
    selection,
    verb,
    by,
    now,
    lockFirst = async () => {},
  }: {
    selection: SubscriberSelection;
    verb: "reactivate" | "unsubscribe" | "delete" | "confirm" | "remind" | "change";
    by: audit.ActorWithDetails;
    now: Date;
    /** Locks what has to be before the people. */
    lockFirst?: (orm: Orm, people: Subscriber[]) => Promise<void>;
  },
  apply: (orm: Orm, people: Subscriber[]) => Promise<Subscriber[]>,
): Promise<Changed<Subscriber>> {
  const changed: Changed<Subscriber> = { count: 0, first: undefined };
  for await (const batch of batches(db, selection)) {
    const done = await db.write(async (orm) => {
      await lockFirst(orm, batch);
      const rows = await apply(orm, await reload(orm, batch));
      const target = auditTarget(rows[0], rows.length, ({ email }) => email, by.details);
      if (rows.length) await audit.record(orm, { ...by, action: `subscriber.${verb}`, ...target }, now);
      return rows;
    }, guarded);
    changed.count += done.length;
    changed.first ??= done[0];
  }
  return changed;
}

/** Reloads and locks the batch: rows may have changed or been deleted since they were selected. */
const reload = (orm: Orm, batch: Subscriber[]): Promise<Subscriber[]> => {
  const rows = batch.map(({ row }) => row);
  const inOrder = forUpdate(subscribers.row); // of all at once, so that no two wait for each other
  return orm.select().from(subscribers).where(inArray(subscribers.row, rows)).orderBy(inOrder).all();
};

/**
 * Yields the selected subscribers in row order, a thousand at a time, so that memory use does not depend on their
 * number.
 */
export async function* batches(db: Db, selection: SubscriberSelection): AsyncGenerator<Subscriber[]> {
  const wanted = "matching" in selection ? await wantedBy(db, selection.matching) : undefined;
  if (wanted) return yield* batchesOf(db, wanted);
  let last = 0;
  for (;;) {
    const batch: Subscriber[] = await db.read(async (orm) => {
      const where = await isSelected(orm, selection);
      return orm
        .select()
        .from(subscribers)
        .where(and(where, gt(subscribers.row, last)))
        .orderBy(subscribers.row)
        .limit(rowsPerCommit)
        .all();
    });
    if (batch.length) yield batch;
    last = batch.at(-1)?.row ?? last;
    if (batch.length < rowsPerCommit) return;
  }
}

/** The people of a segment, the same way. */
async function* batchesOf(db: Db, wanted: Wanted): AsyncGenerator<Subscriber[]> {
  let waiting: number[] = [];
  const rowsOf = (rows: number[]) =>
    db.read((orm) =>
      orm.select().from(subscribers).where(inArray(subscribers.row, rows)).orderBy(subscribers.row).all(),
    );
  for await (const rows of peopleInSegment(db, wanted)) {
    waiting.push(...rows);
    for (; waiting.length >= rowsPerCommit; waiting = waiting.slice(rowsPerCommit))
      yield await rowsOf(waiting.slice(0, rowsPerCommit));
  }
  if (waiting.length) yield await rowsOf(waiting);
}

/** `language`: undefined leaves it as it is, null is the site's. Topics are named by their slugs. */
type Labels = TagNames & {
  language?: string | null | undefined;
  topics?: { add: string[]; remove: string[] } | undefined;
  fields?: FieldChange["values"] | undefined;
  /** Whether people begin the sequences of the tags and topics that they get. */
  begin?: boolean | undefined;
};

/**
 * Gives the selected subscribers tags and topics, takes them from them, and sets their language and fields, whatever
 * their status. Returns how many changed, and the first of them.
 */
export async function relabel(
  db: Db,
  { selection, labels }: { selection: SubscriberSelection; labels: Labels },
  by: audit.Actor,
  now: Date,
) {
  const tags = await ensureTags(db, labels.add, now);
  const origin = { via: "manager" as const, actor: by.actor };
  let isMany = false; // a webhook call for each of a million people helps no one
  return change(db, { selection, verb: "change", by, now }, async (orm, people) => {
    const { add = [], remove = [] } = labels.topics ?? {};
    const parts = {
      tags: { add: tags, remove: await tagsNamed(orm, labels.remove) },
      topics: { add: await topicsNamed(orm, add), remove: await topicsNamed(orm, remove) },
      details: { language: labels.language },
      fields: labels.fields ?? [],
    };
    const wanted = people.map((person) => ({ person, ...parts }));
    isMany ||= people.length === rowsPerCommit;
    const { changed, causes } = await changePeople(orm, wanted, { ...origin, isReported: !isMany }, now);
    if (labels.begin) await enterSequences(orm, causes, now, !isMany);
    const count = changed.size;
    if (isMany && count)
      await emit(orm, { type: "audience.changed", data: { id: Bun.randomUUIDv7(), via: origin.via, count } }, now);
    return people.filter(({ row }) => changed.has(row));
  });
}

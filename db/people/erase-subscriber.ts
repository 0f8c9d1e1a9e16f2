import { and, eq, inArray, isNotNull, notInArray, sql } from "drizzle-orm";
import { byEngine } from "../engine/by-engine";
import type { Orm } from "../engine/open";
import { sessions } from "../schema/access";
import { broadcastBatches, broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { subscriberEvents, subscribers } from "../schema/newsletter";
import { pendingImports } from "../schema/pending-imports";
import { providerEvents, suppressions } from "../schema/suppressions";
import type { Subscriber } from "../newsletter/subscribers";
import { mayMention } from "./address";
import type { Target } from "./traces";

/**
 * Waits for senders that are claiming recipients, and keeps others from it until the transaction ends: claims lock the
 * row of the broadcast. Must be the first statement, so that the following ones see what was claimed.
 */
export const holdBroadcasts = async (orm: Orm): Promise<void> =>
  void (await orm
    .update(broadcasts)
    .set({ cursor: sql`cursor` })
    .where(notInArray(broadcasts.state, ["sent", "cancelled"]))
    .run());

/** Removes the person from texts that stay. Returns the number of events. */
export async function forgetTexts(orm: Orm, { subscriberIds, address }: Target): Promise<number> {
  const texts = { source: null, note: null, network: null, userAgent: null };
  let events = 0;
  for (const id of subscriberIds) {
    const changed = orm.update(subscriberEvents).set(texts).where(eq(subscriberEvents.subscriberId, id));
    events += (await changed.returning({ id: subscriberEvents.id }).all()).length;
  }
  await orm.delete(pendingImports).where(eq(pendingImports.kind, "subscribers")).run(); // the files may name the person
  await orm.update(sessions).set({ notices: null }).where(isNotNull(sessions.notices)).run(); // one of them may contain the name
  await orm.update(broadcasts).set({ stateDetail: null }).where(mayMention(broadcasts.stateDetail, address)).run();
  return events;
}

/**
 * Deletes the subscriber. Broadcasts keep their figures. Returns the number of broadcasts the person was in, and the
 * batches that keep the address until their outcome is known, because they may only be repeated unchanged.
 */
export async function forgetSubscriber(orm: Orm, { row }: Subscriber) {
  const got = await forgetRecipient(orm, row);
  await deleteSecurely(orm)(orm, row);
  return { broadcasts: got.length, waitsFor: await frozenIn(orm, got) };
}

async function forgetRecipient(orm: Orm, row: number): Promise<number[]> {
  const own = eq(broadcastRecipients.subscriberRow, row);
  const changed = orm.update(broadcastRecipients).set({ error: null, providerId: null }).where(own);
  return (await changed.returning({ batchRow: broadcastRecipients.batchRow }).all()).map(({ batchRow }) => batchRow);
}

async function frozenIn(orm: Orm, batches: number[]): Promise<number[]> {
  const frozen: number[] = [];
  for (let at = 0; at < batches.length; at += 500) {
    const where = and(inArray(broadcastBatches.row, batches.slice(at, at + 500)), isNotNull(broadcastBatches.frozen));
    frozen.push(
      ...(await orm.select({ row: broadcastBatches.row }).from(broadcastBatches).where(where).all()).map(
        ({ row }) => row,
      ),
    );
  }
  return frozen;
}

const deleteRow = async (orm: Orm, row: number): Promise<void> =>
  void (await orm.delete(subscribers).where(eq(subscribers.row, row)).run());

/** Removes the row itself from the search index, instead of marking it as deleted. That is slow, and only done here. */
const deleteSecurely = byEngine({
  postgres: deleteRow,
  sqlite: async (orm: Orm, row: number) => {
    const set = (value: 0 | 1) =>
      orm.run(sql`insert into subscribers_search (subscribers_search, rank) values ('secure-delete', ${value})`);
    await set(1);
    await deleteRow(orm, row);
    await set(0);
  },
});

/** Removes the address, and other people's remarks about it, from what stays. Returns the number of reports. */
export async function eraseRemarks(orm: Orm, { hash }: Target): Promise<number> {
  const said = { email: null, detail: null, note: null };
  await orm.update(suppressions).set(said).where(eq(suppressions.hash, hash)).run();
  const reports = orm.update(providerEvents).set({ detail: null }).where(eq(providerEvents.hash, hash));
  return (await reports.returning({ id: providerEvents.id }).all()).length;
}

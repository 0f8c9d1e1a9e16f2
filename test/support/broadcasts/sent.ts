import { eq } from "drizzle-orm";
import type { Db } from "../../../db/engine/open";
import { broadcastBatches, broadcastRecipients, broadcasts, recipientStates } from "../../../db/schema/broadcasts";
import { subscribers } from "../../../db/schema/newsletter";

type Recipient = Partial<Omit<typeof broadcastRecipients.$inferInsert, "state" | "broadcastRow">> & {
  state?: keyof typeof recipientStates;
};

/** Gives a broadcast recipients, one subscriber after the other: what sending would have left behind. */
export async function addRecipients(db: Db, id: string, recipients: Recipient[]): Promise<void> {
  await db.write(async (orm) => {
    const [broadcast] = await orm.select().from(broadcasts).where(eq(broadcasts.id, id)).all();
    const people = await orm.select({ row: subscribers.row }).from(subscribers).orderBy(subscribers.row).all();
    if (!broadcast) throw new Error("There is no such broadcast");
    const first = (await orm.select({ row: broadcastRecipients.row }).from(broadcastRecipients).all()).length + 1;
    const last = first + recipients.length - 1;
    const batch = { broadcastRow: broadcast.row, firstRecipient: first, lastRecipient: last, count: recipients.length };
    const at = new Date();
    await orm
      .insert(broadcastBatches)
      .values({ ...batch, state: "accepted", nextAttemptAt: at, admittedAt: at, createdAt: at })
      .run();
    for (const [at, { state = "accepted", ...rest }] of recipients.entries())
      await orm
        .insert(broadcastRecipients)
        .values({
          ...{ broadcastRow: broadcast.row, subscriberRow: people[at]?.row ?? null, batchRow: 0 },
          ...rest,
          state: recipientStates[state],
        })
        .run();
  });
}

/** Puts a broadcast into a state that sending would have brought it to. */
export const setState = (db: Db, id: string, set: Partial<typeof broadcasts.$inferInsert>) =>
  db.write((orm) => orm.update(broadcasts).set(set).where(eq(broadcasts.id, id)).run());

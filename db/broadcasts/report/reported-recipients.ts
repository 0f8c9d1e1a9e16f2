import { and, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { dayMs } from "../../lib/time";
import { type Orm, prepared } from "../../engine/open";
import { broadcastBatches, broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";
import { isIn } from "../sending/batches";

/* Reports of the email provider about recipients, after it has accepted the email (docs/decisions/suppressions.md). */

export type Recipient = typeof broadcastRecipients.$inferSelect;

const { placeholder } = sql;
const recipientIn = prepared((orm) =>
  orm
    .select({ recipient: broadcastRecipients })
    .from(broadcastRecipients)
    .innerJoin(broadcasts, eq(broadcasts.row, broadcastRecipients.broadcastRow))
    .where(and(eq(broadcastRecipients.row, placeholder("row")), eq(broadcasts.id, placeholder("broadcastId"))))
    .prepare(),
);

/** Returns the recipient of this broadcast that a report is about. */
export const reported = async (orm: Orm, broadcastId: string, row: number): Promise<Recipient | undefined> =>
  (await recipientIn(orm).get({ broadcastId, row }))?.recipient;

const unsettled = [recipientStates.claimed, recipientStates.uncertain];
const slackMs = 60_000; // for the difference between the provider's clock and ours

/**
 * The provider has this recipient's email, so it has the whole request: all or nothing. If the email is older than the
 * latest request for it, because it was sent again, the report proves nothing about that request.
 */
export async function proveAccepted(orm: Orm, recipient: Recipient, sentAt: Date | undefined, now: Date) {
  if (!unsettled.some((state) => state === recipient.state)) return;
  const batch = await orm.select().from(broadcastBatches).where(eq(broadcastBatches.row, recipient.batchRow)).get();
  const begun = batch?.firstAttemptAt?.getTime();
  const isOfBatch = begun !== undefined && (!sentAt || sentAt.getTime() >= begun - slackMs);
  const isProven = batch && isOfBatch && (batch.state === "open" || batch.state === "uncertain");
  if (isProven)
    await orm
      .update(broadcastBatches)
      .set({ state: "accepted", frozen: null, leaseUntil: null, lastError: null })
      .where(eq(broadcastBatches.row, batch.row))
      .run();
  await orm
    .update(broadcastRecipients)
    .set({ state: recipientStates.accepted, acceptedAt: now, error: null })
    .where(
      and(
        isProven ? isIn(batch) : eq(broadcastRecipients.row, recipient.row),
        inArray(broadcastRecipients.state, unsettled),
      ),
    )
    .run();
}

type ReportedTime = "deliveredAt" | "bouncedAt" | "softAt" | "complainedAt";

const setterOf = (column: ReportedTime) =>
  prepared((orm) =>
    orm
      .update(broadcastRecipients)
      .set({ [column]: sql`${placeholder("at")}` })
      .where(and(eq(broadcastRecipients.row, placeholder("row")), isNull(broadcastRecipients[column])))
      .prepare(),
  );
/** Compiled, because thousands of deliveries may be reported per second. */
const setters: Record<ReportedTime, ReturnType<typeof setterOf>> = {
  deliveredAt: setterOf("deliveredAt"),
  bouncedAt: setterOf("bouncedAt"),
  softAt: setterOf("softAt"),
  complainedAt: setterOf("complainedAt"),
};

/** Sets a time once: the first report of its kind counts, in whatever order they arrive. */
export const setOnce = async (orm: Orm, { row }: Recipient, column: ReportedTime, at: Date): Promise<void> =>
  void (await setters[column](orm).run({ row, at: at.getTime() }));

/** The provider accepted the email but could not send it. */
export const setFailed = (orm: Orm, { row }: Recipient, error: string) =>
  orm
    .update(broadcastRecipients)
    .set({ state: recipientStates.failed, error })
    .where(eq(broadcastRecipients.row, row))
    .run();

const softLimit = { emails: 3, spanMs: 14 * dayMs };

/** Whether the last three emails to this person all bounced temporarily, over at least two weeks. */
export async function bouncesAllTheTime(orm: Orm, { subscriberRow }: Recipient): Promise<boolean> {
  if (subscriberRow === null) return false;
  const latest = await orm
    .select()
    .from(broadcastRecipients)
    .where(and(eq(broadcastRecipients.subscriberRow, subscriberRow), isNotNull(broadcastRecipients.acceptedAt)))
    .orderBy(desc(broadcastRecipients.row))
    .limit(softLimit.emails)
    .all();
  const times = latest.map(({ acceptedAt }) => acceptedAt?.getTime() ?? 0);
  return (
    latest.length === softLimit.emails &&
    latest.every(({ softAt, deliveredAt }) => softAt && !deliveredAt) &&
    Math.max(...times) - Math.min(...times) >= softLimit.spanMs
  );
}

import { and, between, eq, or, type SQL, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { dayMs, clockSlackMs } from "../lib/time";
import { mailboxKey } from "../lib/email-key";
import { lockUntilCommit } from "../engine/dialects";
import type { Mail } from "./outbox";
import { outbox } from "../schema/mail";
import { subscribers } from "../schema/newsletter";

/* How often a mailbox gets the emails that anyone can have sent to any address. */

const { placeholder } = sql;

/** The subscriber whose address is the mailbox itself, without a tag or dots. */
const plainSubscriber = prepared((orm) =>
  orm
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(eq(subscribers.emailKey, placeholder("mailbox")))
    .prepare(),
);

/** When emails of a kind that match any of the conditions were queued; each condition uses its own index. */
const emailTimes = (...conditions: (SQL | undefined)[]) =>
  prepared((orm) =>
    orm
      .select({ at: outbox.createdAt })
      .from(outbox)
      .where(
        and(
          or(...conditions), // an index over all recipients would cost a random access for every new email
          eq(outbox.kind, placeholder("kind")),
          between(outbox.createdAt, placeholder("from"), placeholder("until")),
        ),
      )
      .prepare(),
  );

const about = (id: string) => eq(outbox.subjectId, placeholder(id));
const gone = (key: string) => and(sql`subject_gone = 1`, eq(outbox.recipientKey, placeholder(key)));
const variants = eq(outbox.mailboxKey, placeholder("mailbox"));
const ofPlain = emailTimes(about("id"), gone("key"), variants);
const ofVariant = emailTimes(about("id"), gone("key"), variants, about("plainId"), gone("mailbox"));

type Addressee = { id: string; emailKey: string };

/**
 * Returns when a subscriber's mailbox was sent emails of this kind in the last 30 days, regardless of tags in the
 * address and of earlier, deleted subscribers with the same address.
 */
async function timesOf(orm: Orm, kind: Mail["kind"], { id, emailKey: key }: Addressee, now: Date): Promise<number[]> {
  const mailbox = mailboxKey(key);
  await lockUntilCommit(orm)(orm, "mailbox", mailbox); // the subscriber's row is only one of its spellings
  const given = { id, key, mailbox, kind, from: now.getTime() - 30 * dayMs + 1, until: now.getTime() + clockSlackMs };
  const times =
    mailbox === key
      ? await ofPlain(orm).all(given)
      : await ofVariant(orm).all({ ...given, plainId: (await plainSubscriber(orm).get({ mailbox }))?.id ?? id });
  return times.map(({ at }) => at.getTime());
}

const countSince = (times: number[], now: Date, ms: number) => times.filter((at) => at > now.getTime() - ms).length;

/** Whether the mailbox may get a welcome email: at most one in 24 hours and three in 30 days (D13). */
export async function mayWelcome(orm: Orm, addressee: Addressee, now: Date): Promise<boolean> {
  const times = await timesOf(orm, "welcome", addressee, now);
  return times.length < 3 && countSince(times, now, dayMs) === 0;
}

/** Whether it may get the link to what is stored: at most three in 24 hours. */
export const mayEmailRecord = async (orm: Orm, addressee: Addressee, now: Date): Promise<boolean> =>
  countSince(await timesOf(orm, "record", addressee, now), now, dayMs) < 3;

/** Whether it may get the link to confirm: ten minutes apart, at most three in 24 hours and five in 30 days. */
export async function mayConfirm(orm: Orm, addressee: Addressee, now: Date): Promise<boolean> {
  const times = await timesOf(orm, "confirm", addressee, now);
  return times.length < 5 && countSince(times, now, dayMs) < 3 && countSince(times, now, 10 * 60_000) === 0;
}

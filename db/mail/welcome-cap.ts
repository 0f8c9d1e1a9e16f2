import { and, between, count, eq, max, or, type SQL, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { mailboxKey } from "../lib/email-key";
import { outbox } from "../schema/mail";
import { subscribers } from "../schema/newsletter";

const dayMs = 86_400_000;
const { placeholder } = sql;

/** The subscriber whose address is the mailbox itself, without a tag or dots. */
const plainSubscriber = prepared((orm) =>
  orm
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(eq(subscribers.emailKey, placeholder("mailbox")))
    .prepare(),
);

/** Counts the welcome emails found by any of the conditions, each of which uses an index of its own. */
const countWelcomes = (...found: (SQL | undefined)[]) =>
  prepared((orm) =>
    orm
      .select({ n: count(), latest: max(outbox.createdAt) })
      .from(outbox)
      .where(
        and(
          or(...found), // an index over all recipients would cost a random access for every new email
          eq(outbox.kind, "welcome"),
          between(outbox.createdAt, placeholder("from"), placeholder("now")),
        ),
      )
      .prepare(),
  );

const about = (id: string) => eq(outbox.subjectId, placeholder(id));
const gone = (key: string) => and(sql`subject_gone = 1`, eq(outbox.recipientKey, placeholder(key)));
const variants = eq(outbox.mailboxKey, placeholder("mailbox"));
const ofPlain = countWelcomes(about("id"), gone("key"), variants);
const ofVariant = countWelcomes(about("id"), gone("key"), variants, about("plainId"), gone("mailbox"));

/**
 * Whether a subscriber's mailbox may get a welcome email: at most one in 24 hours and three in 30 days (D13),
 * regardless of tags in the address (P71) and of earlier, deleted subscribers with the same address (P52).
 */
export async function mayWelcome(
  orm: Orm,
  { id, emailKey: key }: { id: string; emailKey: string },
  now: Date,
): Promise<boolean> {
  const mailbox = mailboxKey(key);
  const given = { id, key, mailbox, from: now.getTime() - 30 * dayMs + 1, now: now.getTime() };
  const { n = 0, latest } =
    (mailbox === key
      ? await ofPlain(orm).get(given)
      : await ofVariant(orm).get({ ...given, plainId: (await plainSubscriber(orm).get({ mailbox }))?.id ?? id })) ?? {};
  return n < 3 && (latest?.getTime() ?? 0) <= now.getTime() - dayMs;
}

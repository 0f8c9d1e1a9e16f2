import { and, eq, gt, or, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { together } from "../lib/async/together";
import { emailKey } from "../lib/email-key";
import { foldAll } from "../lib/fold";
import { subscribers } from "../schema/newsletter";
import { type Subscriber, withKey, activate } from "./subscribers";
import { note, type Origin } from "./events";
import { isForgotten, recognize } from "../suppressions/suppressions";

export type ImportedSubscriber = Pick<Subscriber, "email" | "name" | "source" | "state"> & { createdAt: Date };
export type Outcome = "new" | "already" | "keptUnsubscribed" | "revived" | "erased";

/**
 * Adds subscribers in one commit, without welcome emails. Unsubscribed ones stay unsubscribed, because an old list is
 * no consent. Only an explicit `revive` reactivates them, and only if the file says that they are active. Erased people
 * are not stored again. Returns the outcome for each.
 */
export const importAll = (db: Db, people: ImportedSubscriber[], terms: ImportOptions, now: Date): Promise<Outcome[]> =>
  db
    .write(async (orm) => {
      const keyOf = ({ email }: ImportedSubscriber) => emailKey(email);
      const outcomes = await together(people, keyOf, (person) => importOne(orm, person, terms, now));
      if (terms.dryRun) throw new DryRun(outcomes);
      return outcomes;
    })
    .catch((end: unknown) => {
      if (end instanceof DryRun) return end.outcomes;
      throw end;
    });

/** Stored as consent if it was not stated how people agreed. */
export const notStated = "not stated";

export type ImportOptions = {
  revive: boolean;
  /** How these people agreed, in words: stored with those who become active, and in their events. */
  consent?: string | undefined;
  origin: Origin;
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
  { revive, origin, consent = notStated }: ImportOptions,
  now: Date,
): Promise<Outcome> {
  const key = emailKey(person.email);
  if (await isForgotten(orm, person.email)) return "erased";
  const source = person.source ?? undefined;
  const consentNote = person.state === "active" ? consent : null;
  const added = await insert(orm).get({
    id: Bun.randomUUIDv7(),
    ...person,
    emailKey: key,
    consentNote,
    folded: foldAll(person.email, key, person.name),
    unsubscribedAt: person.state === "unsubscribed" ? now.getTime() : null,
    now,
  });
  if (added) {
    await note(orm, added.id, "imported", { ...origin, source, note: consentNote }, now);
    await recognize(orm, { ...added, email: person.email, suppressedAt: null }, origin, now);
    return "new";
  }
  const known = await withKey(orm, key);
  if (known?.state !== "unsubscribed") return "already";
  if (!revive || person.state !== "active") return "keptUnsubscribed";
  await orm.update(subscribers).set({ consentNote }).where(eq(subscribers.id, known.id)).run();
  await activate(orm, [known.id], "reactivated", { ...origin, source, note: consentNote }, now);
  return "revived";
}

const { placeholder } = sql;

const insert = prepared((orm) =>
  orm
    .insert(subscribers)
    .values({
      id: placeholder("id"),
      email: placeholder("email"),
      emailKey: placeholder("emailKey"),
      name: placeholder("name"),
      source: placeholder("source"),
      state: placeholder("state"),
      consentNote: placeholder("consentNote"),
      unsubscribedAt: sql`${placeholder("unsubscribedAt")}`, // Drizzle cannot encode a nullable date
      folded: placeholder("folded"),
      createdAt: placeholder("createdAt"),
      updatedAt: placeholder("now"),
    })
    .onConflictDoNothing({ target: subscribers.emailKey })
    .returning({ id: subscribers.id })
    .prepare(),
);

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

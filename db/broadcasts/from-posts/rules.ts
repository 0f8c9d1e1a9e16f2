import { and, asc, desc, eq, isNull, lt, sql } from "drizzle-orm";
import * as audit from "../../audit";
import type { AuditVerb } from "../../audit";
import { lockUntilCommit } from "../../engine/dialects";
import type { Db, Orm } from "../../engine/open";
import { dayMs, inZone, knownZone } from "../../lib/time";
import { timeOn } from "../../newsletter/sequence-entry";
import { digests, postMailings, postRules } from "../../schema/mailings";
import { postTags, tags } from "../../schema/posts";

/* The rules that say what a post becomes when it is published for the first time. */

/** How long before it starts a newsletter is scheduled that goes out by itself: the time to stop it. */
export const timeToStopByRuleMs = 600_000;

/** A post with an earlier date is not new. */
const newSince = (now: Date): Date => new Date(now.getTime() - 7 * dayMs);
export const isNew = (publishedAt: Date, now: Date): boolean => publishedAt >= newSince(now);

/** Whether what was due then is no longer sent by itself. */
export const isTooLate = (dueAt: Date, now: Date): boolean => now.getTime() - dueAt.getTime() > dayMs;

/** How many rules a site may have. */
export const maxRules = 20;

export type PostRule = typeof postRules.$inferSelect;
type RuleInput = Pick<PostRule, "becomes" | "tagSlug" | "topicRow"> & {
  /** When a digest goes out. */
  schedule?: Schedule | undefined;
};

const noSchedule = { weekday: null, minute: null, zone: null };
const rowOf = ({ schedule, ...others }: RuleInput) => ({ ...others, ...(schedule ?? noSchedule) });

/** When the digests of a rule go out; undefined for other rules. */
export function scheduleOf({ becomes, weekday, minute, zone }: PostRule): Schedule | undefined {
  if (becomes !== "digest" || weekday === null || minute === null || zone === null) return;
  return { weekday, minute, zone };
}

/** Returns all rules, in the order in which they are tried. */
export const allRules = (orm: Orm): Promise<PostRule[]> =>
  orm.select().from(postRules).orderBy(asc(postRules.position), asc(postRules.row)).all();

/** Returns the first of these rules that is on and fits a post. */
export async function ruleFor(orm: Orm, rules: PostRule[], postId: string): Promise<PostRule | undefined> {
  const own = await orm.select({ slug: postTags.tagSlug }).from(postTags).where(eq(postTags.postId, postId)).all();
  const slugs = new Set(own.map(({ slug }) => slug));
  return rules.find(({ offReason, tagSlug }) => offReason === null && (tagSlug === null || slugs.has(tagSlug)));
}

/** Between two digests, whatever the day was and is now. A digest that was made by a wrong clock holds up none. */
const apartMs = { least: 5 * dayMs, most: 8 * dayMs };

/** Returns when the first digest of a rule after this moment goes out, on a day that has had none. */
export async function digestAfter(orm: Orm, rule: PostRule, after: Date): Promise<Occurrence | undefined> {
  const schedule = scheduleOf(rule);
  if (!schedule) return;
  const { ruleRow, week, dueAt } = digests;
  const past = await orm
    .select({ week, dueAt })
    .from(digests)
    .where(eq(ruleRow, rule.row))
    .orderBy(desc(week))
    .limit(100)
    .all();
  const dates = past.map((digest) => digest.dueAt.getTime()).filter((at) => at <= after.getTime() + apartMs.most);
  const from = Math.max(after.getTime(), ...dates.map((at) => at + apartMs.least));
  return nextDigest(schedule, new Date(from), new Set(past.map((digest) => digest.week)));
}

/** Has the next digest of a rule go out at its next time from now on. */
async function planDigest(orm: Orm, rule: PostRule, now: Date): Promise<void> {
  await change(orm, rule.id, { nextAt: (await digestAfter(orm, rule, now))?.at ?? null });
}

/** Leaves out what waits for the next digest of a rule, or what of it has come before a moment. */
async function leaveOut(orm: Orm, { row }: PostRule, before?: Date): Promise<void> {
  const waits = and(eq(postMailings.ruleRow, row), eq(postMailings.state, "waiting"));
  const these = before ? and(waits, lt(postMailings.createdAt, before)) : waits;
  await orm.update(postMailings).set({ state: "done" }).where(these).run();
}

/** Has a digest go without the posts that wait for it. They are not sent by a rule later. */
export const skipWaiting = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<boolean> => {
    const rule = await orm.select().from(postRules).where(eq(postRules.id, id)).get();
    if (!rule) return false;
    await leaveOut(orm, rule);
    await record(orm, rule, "skip", by, now);
    return true;
  });

type Saved = { outcome: "saved" | "gone" | "full" | "no-tag"; id?: string };

const guarded = { guarded: true } as const;

/** Adds a rule after the others. */
export const addRule = (db: Db, input: RuleInput, by: audit.Actor, now: Date): Promise<Saved> =>
  db.write(async (orm) => {
    await lockUntilCommit(orm)(orm, "postRules");
    const rules = await allRules(orm);
    if (rules.length >= maxRules) return { outcome: "full" };
    if (!(await hasTag(orm, input))) return { outcome: "no-tag" };
    const position = (rules.at(-1)?.position ?? 0) + 1;
    const values = { ...rowOf(input), position, createdBy: by.actor, createdAt: now, updatedAt: now };
    const rule = await orm.insert(postRules).values(values).returning().get();
    await planDigest(orm, rule, now);
    await record(orm, rule, "add", by, now);
    return { outcome: "saved", id: rule.id };
  }, guarded);

/** Changes a rule for the posts that are published from now on. */
export const editRule = (
  db: Db,
  { id, ...input }: RuleInput & { id: string },
  by: audit.Actor,
  now: Date,
): Promise<Saved> =>
  db.write(async (orm) => {
    if (!(await hasTag(orm, input))) return { outcome: "no-tag" };
    const rule = await change(orm, id, { ...rowOf(input), createdBy: by.actor, updatedAt: now });
    if (!rule) return { outcome: "gone" };
    await planDigest(orm, rule, now);
    if (rule.becomes !== "digest") await leaveOut(orm, rule);
    await record(orm, rule, "change", by, now);
    return { outcome: "saved", id };
  });

/** Turns a rule on or off. What it has made stays. */
export const turnRule = (db: Db, { id, isOn }: { id: string; isOn: boolean }, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<PostRule | undefined> => {
    // Whoever turns it on answers for it
    const set = isOn ? { offReason: null, createdBy: by.actor } : { offReason: "manager" };
    const rule = await change(orm, id, { ...set, updatedAt: now });
    if (!rule) return;
    if (isOn) {
      await planDigest(orm, rule, now);
      await leaveOut(orm, rule, newSince(now)); // what has waited meanwhile is no news
    }
    await record(orm, rule, isOn ? "turn-on" : "turn-off", by, now);
    return rule;
  });

/** Returns the rules that are on and that this manager made, changed or turned on last. */
export const rulesOf = (orm: Orm, email: string): Promise<PostRule[]> =>
  orm
    .select()
    .from(postRules)
    .where(and(eq(postRules.createdBy, email), isNull(postRules.offReason)))
    .orderBy(asc(postRules.position), asc(postRules.row))
    .all();

/** Turns off a rule of a manager who is removed. */
export async function turnOffIn(orm: Orm, rule: PostRule, by: Recorded, now: Date): Promise<void> {
  const changed = await change(orm, rule.id, { offReason: "creator", updatedAt: now });
  if (changed) await record(orm, changed, "turn-off", by, now);
}

/** Has someone else answer for a rule. */
export async function takeOverIn(orm: Orm, rule: PostRule, by: audit.Actor, now: Date): Promise<void> {
  const changed = await change(orm, rule.id, { createdBy: by.actor, updatedAt: now });
  if (changed) await record(orm, changed, "take-over", { ...by, details: { from: rule.createdBy } }, now);
}

/** Deletes a rule. What it has made stays. */
export const deleteRule = (db: Db, id: string, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<boolean> => {
    const rule = await orm.select().from(postRules).where(eq(postRules.id, id)).get();
    if (!rule) return false;
    await leaveOut(orm, rule);
    await orm.delete(postRules).where(eq(postRules.id, id)).run();
    await record(orm, rule, "delete", by, now);
    return true;
  });

/** Has a rule tried one place earlier. */
export const moveRuleUp = (db: Db, id: string) =>
  db.write(async (orm): Promise<boolean> => {
    await lockUntilCommit(orm)(orm, "postRules");
    const rules = await allRules(orm);
    const from = rules.findIndex((rule) => rule.id === id);
    const [other, rule] = [rules[from - 1], rules[from]];
    if (!rule || !other) return rule !== undefined;
    await change(orm, rule.id, { position: other.position });
    await change(orm, other.id, { position: rule.position });
    return true;
  }, guarded);

/** The rules of a tag are those of the one that replaces it. */
export const retagRules = (orm: Orm, from: string, to: string) =>
  orm.update(postRules).set({ tagSlug: to }).where(eq(postRules.tagSlug, from)).run();

const change = (orm: Orm, id: string, set: Partial<PostRule>): Promise<PostRule | undefined> =>
  orm.update(postRules).set(set).where(eq(postRules.id, id)).returning().get();

async function hasTag(orm: Orm, { tagSlug }: Pick<RuleInput, "tagSlug">): Promise<boolean> {
  if (tagSlug === null) return true;
  return Boolean(
    await orm
      .select({ one: sql`1` })
      .from(tags)
      .where(eq(tags.slug, tagSlug))
      .get(),
  );
}

/** What a rule is called in the audit log. */
export const nameOfRule = ({ tagSlug }: Pick<PostRule, "tagSlug">): string => tagSlug ?? "all posts";

type Recorded = audit.Actor & { details?: Record<string, string> };

const record = (orm: Orm, rule: PostRule, verb: AuditVerb<"post-rule">, by: Recorded, now: Date) =>
  audit.record(
    orm,
    {
      ...by,
      action: `post-rule.${verb}`,
      targetId: rule.id,
      target: nameOfRule(rule),
      details: { ...by.details, becomes: rule.becomes },
    },
    now,
  );

/* When a weekly digest goes out. Pure. */

/** On which day (1 is Monday) and at which minute of it, as clocks in this zone show it. */
export type Schedule = { weekday: number; minute: number; zone: string };

/** When a digest goes out, and the day that is in its zone: a rule has one digest a day. */
type Occurrence = { at: Date; week: string };

const daysPerWeek = 7;

/**
 * Returns the first time after `after` at which a digest goes out. An hour that clocks skip means the one after it, and an
 * hour that occurs twice means the first.
 *
 * @param past the days that have had one
 */
export function nextDigest(
  { weekday, minute, zone }: Schedule,
  after: Date,
  past: ReadonlySet<string> = new Set(),
): Occurrence {
  const there = knownZone(zone) ?? "UTC";
  const today = inZone(after, there).toPlainDate();
  for (let days = (weekday - today.dayOfWeek + daysPerWeek) % daysPerWeek; ; days += daysPerWeek) {
    const day = today.add({ days });
    const at = timeOn(day, minute, there);
    const week = day.toString();
    if (at > after && !past.has(week)) return { at, week };
  }
}

/** Returns the day that it is in the zone of a digest. */
export const weekOf = (at: Date, zone: string): string =>
  inZone(at, knownZone(zone) ?? "UTC")
    .toPlainDate()
    .toString();

import { and, eq, inArray, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { dayMs } from "../../lib/time";
import { contains, fold } from "../../lib/fold";
import { fieldValues, subscriberFields, subscriberTopics, topics } from "../../schema/audience";
import { broadcastRecipients, broadcasts, recipientStates } from "../../schema/broadcasts";
import { audienceTags, isMailable, subscriberEvents, subscribers, subscriberTags } from "../../schema/newsletter";
import { sequencePeople, sequences, sequenceStates } from "../../schema/sequences";
import type { Status } from "../rules";
import { type FieldCondition, fieldKeyOf, type FrozenCondition, type FrozenSegment, isAboutField } from "./definition";

/*
 * A segment as a condition on columns of `subscribers`. Each condition is true or false, never null, so that a condition
 * and its opposite are everyone.
 */

/** The rows that a read examines: memberships in it are read as sets, which costs less than looking up each person. */
export type Range = { after: number; upTo: number };

/** Condition: in the segment; undefined for everyone. @param range what the read is limited to anyway */
export function segmentCondition({ all, any, language }: FrozenSegment, range?: Range): SQL | undefined {
  const one = (condition: FrozenCondition) => conditionOf(condition, { language, range });
  if (all) return and(...all.map((node) => ("any" in node ? or(...node.any.map(one)) : one(node))));
  return any && or(...any.map((node) => ("all" in node ? and(...node.all.map(one)) : one(node))));
}

type About = { language: string | undefined; range: Range | undefined };

function conditionOf(condition: FrozenCondition, about: About): SQL {
  if (isAboutField(condition)) return hasValue(condition, about);
  const { field, is } = condition;
  const opposite =
    is === "none" || is === "notGot" || is === "unknown" || is === "never" ? not : (positive: SQL) => positive;
  switch (field) {
    case "status":
      return opposite(sql`(${or(...condition.of.map((status) => sql`(${statusConditions[status]})`))})`);
    case "source":
      return opposite(isOneOfTexts(subscribers.source, condition.of));
    case "language":
      return opposite(reads(condition.of, about.language));
    case "tag":
      return opposite(is === "every" ? hasEvery(condition.of, about) : hasOneOf(condition.of, about));
    case "topic":
      return opposite(is === "every" ? choseEvery(condition.of, about) : choseOneOf(condition.of, about));
    case "key":
      return opposite(cameThrough(condition.of));
    case "broadcast":
      return opposite(hasGot(condition.of, about));
    case "sequence":
      return opposite(hasBegun(condition, about));
    default:
      return opposite(dateCondition(condition));
  }
}

const { suppressedAt, pendingAt, pausedUntil } = subscribers;
const isActive = eq(subscribers.state, "active");
/** As in `statusOf`, worded like the counters and the partial indexes. */
export const statusConditions: Record<Status, SQL> = {
  active: isMailable,
  unsubscribed: eq(subscribers.state, "unsubscribed"),
  pending: sql`(${and(isActive, isNull(suppressedAt), isNotNull(pendingAt))})`,
  paused: sql`(${and(isActive, isNull(suppressedAt), isNull(pendingAt), isNotNull(pausedUntil))})`,
  suppressed: sql`(${and(isActive, isNotNull(suppressedAt))})`,
};

/** None is stored as null; an empty text is treated the same. */
const isOneOfTexts = (column: typeof subscribers.source | typeof subscribers.language, values: (string | null)[]) =>
  sql`coalesce(${column}, '') in (${sql.join(
    values.map((value) => sql`${value ?? ""}`),
    sql`, `,
  )})`;

/** Someone without a language reads in the site's. */
const reads = (languages: (string | null)[], ofSite: string | undefined) =>
  isOneOfTexts(subscribers.language, ofSite && languages.includes(ofSite) ? [...languages, null] : languages);

const hasOneOf = (names: string[], { range }: About) =>
  isAmong(subscriberTags, sql`${subscriberTags.tagRow} in (${tagRows(names)})`, range);

const hasEvery = (names: string[], about: About) => sql`(${and(...names.map((name) => hasOneOf([name], about)))})`;

const tagRows = (names: string[]) =>
  sql`select ${audienceTags.row} from ${audienceTags} where ${audienceTags.folded} in (${sql.join(
    names.map((name) => sql`${fold(name)}`),
    sql`, `,
  )})`;

const choseOneOf = (slugs: string[], { range }: About) =>
  isAmong(
    subscriberTopics,
    sql`${subscriberTopics.topicRow} in (${topicRows(slugs)}) and ${subscriberTopics.chosen} = 1`,
    range,
  );

const choseEvery = (slugs: string[], about: About) => sql`(${and(...slugs.map((slug) => choseOneOf([slug], about)))})`;

const topicRows = (slugs: string[]) =>
  sql`select ${topics.row} from ${topics} where ${topics.slug} in (${sql.join(
    slugs.map((slug) => sql`${slug}`),
    sql`, `,
  )})`;

/** The people who chose a topic, the same way. */
export const rowsWithTopic = (slug: string) =>
  sql`from ${subscriberTopics} where ${subscriberTopics.topicRow} = (${topicRows([slug])}) and ${subscriberTopics.chosen} = 1`;

/** The people who have a tag, by their rows, for reads that begin with them. */
export const rowsWithTag = (name: string) =>
  sql`from ${subscriberTags} where ${subscriberTags.tagRow} = (${tagRows([name])})`;

/** Subscribed, also again, with one of these keys. The events of one person are few, and have an index. */
const cameThrough = (keys: string[]) =>
  sql`exists (select 1 from ${subscriberEvents} where ${subscriberEvents.subscriberId} = ${subscribers.id}
    and ${subscriberEvents.kind} in ('subscribed', 'reactivated') and ${inArray(subscriberEvents.apiKeyId, keys)})`;

/** Received it, or may have. Those whose email was refused or skipped have not. */
const hasGot = (id: string, { range }: About) =>
  isAmong(
    broadcastRecipients,
    sql`${broadcastRecipients.broadcastRow} = (select ${broadcasts.row} from ${broadcasts} where ${broadcasts.id} = ${id})
      and ${broadcastRecipients.state} in (${recipientStates.claimed}, ${recipientStates.accepted}, ${recipientStates.uncertain})`,
    range,
  );

const { waiting, claimed, held, done } = sequenceStates;
/** The states of who is in a sequence, and of who finished it; whoever is in any has begun it. */
const statesOf = { in: [waiting, claimed, held], finished: [done], never: Object.values(sequenceStates) };

const hasBegun = ({ of: id, is }: { of: string; is: keyof typeof statesOf }, { range }: About) =>
  isAmong(
    sequencePeople,
    sql`${sequencePeople.sequenceRow} = (select ${sequences.row} from ${sequences} where ${sequences.id} = ${id})
      and ${inArray(sequencePeople.state, statesOf[is])}`,
    range,
  );

type Memberships =
  | typeof fieldValues
  | typeof subscriberTags
  | typeof subscriberTopics
  | typeof broadcastRecipients
  | typeof sequencePeople;

/** Condition: has such a value of a field. `not` and `empty` are the opposites, which hold for who has none. */
function hasValue(condition: FieldCondition, { range }: About): SQL {
  const isOpposite = condition.is === "not" || condition.is === "empty";
  const row = sql`(select ${subscriberFields.row} from ${subscriberFields} where ${subscriberFields.key} = ${fieldKeyOf(condition)})`;
  const where = and(sql`${fieldValues.fieldRow} = ${row}`, valueCondition(condition));
  const positive = isAmong(fieldValues, sql`${where}`, range);
  return isOpposite ? not(positive) : positive;
}

function valueCondition(condition: FieldCondition): SQL | undefined {
  const { folded, number } = fieldValues;
  switch (condition.is) {
    case "filled":
    case "empty":
      return undefined;
    case "contains":
      return sql`${folded} like ${contains(condition.of)} escape '\\'`;
    case "least":
      return sql`${number} >= ${condition.of}`;
    case "most":
      return sql`${number} <= ${condition.of}`;
    case "from":
      return sql`${number} >= ${Date.parse(condition.of) / dayMs}`;
    case "before":
      return sql`${number} < ${Date.parse(condition.of) / dayMs}`;
    default: {
      const { of } = condition;
      return typeof of === "string" ? sql`${folded} = ${fold(of)}` : sql`${number} = ${Number(of)}`;
    }
  }
}

/** Condition: a row of the other table is about this subscriber. */
function isAmong(table: Memberships, where: SQL, range: Range | undefined): SQL {
  const { subscriberRow } = table;
  if (!range) return sql`exists (select 1 from ${table} where ${where} and ${subscriberRow} = ${subscribers.row})`;
  return sql`${subscribers.row} in (select ${subscriberRow} from ${table}
    where ${where} and ${subscriberRow} > ${range.after} and ${subscriberRow} <= ${range.upTo})`;
}

/** When someone left, who has. */
const leftAt = sql`case when ${subscribers.state} = 'unsubscribed' then ${subscribers.unsubscribedAt} end`;
const dates = { joined: subscribers.createdAt, confirmed: subscribers.confirmedAt, left: leftAt };

function dateCondition(condition: Extract<FrozenCondition, { field: keyof typeof dates }>): SQL {
  const date = dates[condition.field];
  if (!("of" in condition)) return sql`(${date}) is not null`;
  const at = new Date(condition.of).getTime();
  const compared = condition.is === "from" ? sql`${date} >= ${at}` : sql`${date} < ${at}`;
  if (condition.field === "joined") return compared; // everyone has joined, and the index is of the bare column
  return sql`((${date}) is not null and ${compared})`;
}

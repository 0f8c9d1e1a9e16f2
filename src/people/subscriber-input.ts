import { z } from "zod";
import type { Db } from "../../db/engine/open";
import { clockSlackMs, knownZone } from "../../db/lib/time";
import type { NamedPerson, Patch } from "../../db/newsletter/by-key";
import type { Profile } from "../../db/newsletter/by-row";
import { type Details, detailsOf, eachDetail } from "../../db/newsletter/details";
import { type Field, maxFieldText, storedValue } from "../../db/newsletter/field-values";
import { allFields, type FieldChange, maxFields } from "../../db/newsletter/fields";
import { statusOf } from "../../db/newsletter/rules";
import { maxTagsOfPerson } from "../../db/newsletter/tags";
import { allTopics, maxTopics, type Topic } from "../../db/newsletter/topics";
import { languageIn, ManagedSubscriberFields, tagName, zoneName } from "../fields/subscriber";
import { list, namedOrAbsent, optional, typedAs } from "../http/request-schemas";
import { emailAddress } from "../platform/text/email-address";
import { exactLine, line } from "../platform/text/schemas";

/* What programs say of a subscriber, and whether the site has a place for it. */

/** A time with its zone. */
export const moment = z.iso
  .datetime({ offset: true, error: "must be a time with its zone, such as 2026-11-20T10:00:00Z" })
  .max(40)
  .transform((text) => new Date(text));

const webAddress = exactLine({ max: 500 }).refine(
  (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
  "must be an http(s) URL",
);

const Consent = z
  .object(
    {
      how: line({ min: 10, max: 300 }).meta({
        description: "In words, 10 to 300 characters: kept as proof.",
        examples: ["Box ticked at checkout"],
      }),
      at: moment.meta({ description: "When, with a zone; not in the future.", examples: ["2026-11-20T10:00:00Z"] }),
      url: optional(webAddress).meta({ description: "Where.", examples: ["https://shop.example/pay"] }),
    },
    "is required: how and when the person agreed",
  )
  .meta({ id: "ConsentInput" });

const value = z.union([z.string().max(4 * maxFieldText), z.number(), z.boolean(), z.null()], {
  error: `must be a number, true, false, null or a text of at most ${maxFieldText} characters`,
});

/** Values by the keys of fields. Their number is checked before any of them is examined. */
const FieldChanges = z
  .preprocess(
    (data, context) => {
      const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
      if (!isObject || Object.keys(data).length <= maxFields) return data;
      context.addIssue({ code: "custom", message: `must have at most ${maxFields} entries` });
      return z.NEVER;
    },
    z.record(z.string(), value, "must be an object"),
  )
  .meta({
    id: "FieldChanges",
    maxProperties: maxFields,
    description: "Values by the keys of the site’s fields. Null is no value, or takes one away.",
    examples: [{ orders: 3 }],
  });

const names = {
  tags: list(tagName, maxTagsOfPerson, "must be a list of tags"),
  topics: list(exactLine({ min: 1, max: 100 }), maxTopics, "must be a list of topics"),
};

const allDetails = ManagedSubscriberFields.omit({ email: true }).shape;
const { source, ...details } = allDetails;
const language = optional(line({ max: 35 }));
const zoneHelp = "Where the person lives, such as `Europe/Madrid`.";
const languageHelp = "`en`, `de`, `fr`, `es`, `pt` or `nl`, also with a region.";

export const SubscriberInput = z
  .object({
    email: emailAddress,
    ...allDetails,
    source: source.meta({ description: "Where the person came from, for your statistics." }),
    language: language.meta({ description: `${languageHelp} Others are ignored.` }),
    timeZone: optional(zoneName).meta({ description: `${zoneHelp} Others are ignored.` }),
    tags: names.tags.nullish().meta({ description: "Your own words. New ones are made, up to 200 on a site." }),
    topics: names.topics.nullish().meta({
      description:
        "What the person chose to read, by the topics’ names in links. Without it, a new person gets the topics for everyone new.",
    }),
    fields: namedOrAbsent(FieldChanges),
    consent: Consent.meta({ description: "How and when the person agreed: required, and kept as proof." }),
  })
  .meta({ id: "SubscriberInput" });

const maxBatch = 1_000;

/** Each is read by itself, so that one that is not valid stops no other. */
export const SubscriberBatch = z
  .object({
    subscribers: list(z.unknown().meta({ $ref: "#/$defs/SubscriberInput" }), maxBatch, "must be a list").meta({
      maxItems: maxBatch,
    }),
  })
  .meta({ id: "SubscriberBatch" });

type Fault = { field: string; message: string };

const tagChanges = z.object({ add: names.tags.nullish(), remove: names.tags.nullish() }).meta(typedAs("NameChanges"));
const topicChanges = z
  .object({ add: names.topics.nullish(), remove: names.topics.nullish() })
  .meta(typedAs("NameChanges"));

const ownAction = "can only become unsubscribed: people confirm and come back by their own action";

export const SubscriberPatch = z
  .object({
    ...details,
    name: details.name.meta({ description: "Null or blank removes it." }),
    language: language.meta({ description: `${languageHelp} Others are ignored. Null is the site’s.` }),
    timeZone: optional(zoneName).meta({ description: `${zoneHelp} Others are ignored. Null is the site’s.` }),
    tags: tagChanges.nullish().meta({ description: "Names to add and to remove." }),
    topics: topicChanges.nullish().meta({ description: "By their names in links, to add and to remove." }),
    fields: namedOrAbsent(FieldChanges),
    status: z.literal("unsubscribed", ownAction).nullish().meta({ description: "The person leaves." }),
  })
  .meta({ id: "SubscriberPatch" });

/** What the site offers, so that names can be looked up. */
type Site = { topics: Topic[]; fields: Field[] };
export const siteOf = (db: Db): Promise<Site> =>
  db.read(async (orm) => ({ topics: await allTopics(orm), fields: await allFields(orm) }));

/** `ignored`: what this site cannot keep, beside what the other schemas ignore. */
type ReadPerson = { person: NamedPerson; ignored: string[]; faults?: undefined } | { faults: Fault[] };

/** Reads someone whom a program names, against what the site offers. */
export function readPerson(input: z.output<typeof SubscriberInput>, site: Site, now: Date): ReadPerson {
  const topics = input.topics ?? undefined;
  const { changes, faults } = readValues(input.fields ?? {}, site);
  const offered = site.topics.filter(({ archivedAt }) => !archivedAt);
  const all = [...unknownTopics(topics ?? [], "topics", offered), ...faults, ...tooLate(input.consent.at, now)];
  if (all.length) return { faults: all };
  const ours = input.language === undefined ? undefined : languageIn(input.language);
  const fields = changes.filter((change) => change.value !== null);
  const timeZone = knownZone(input.timeZone);
  const person = { ...input, language: ours, timeZone, topics, tags: input.tags ?? [], fields };
  return {
    person,
    ignored: [
      ...(input.language !== undefined && ours === undefined ? ["language"] : []),
      ...(input.timeZone !== undefined && timeZone === undefined ? ["timeZone"] : []),
    ],
  };
}

/** Reads one of many, as it was sent. */
export function readEntry(sent: unknown, site: Site, now: Date): ReadPerson {
  const { data, error } = SubscriberInput.safeParse(sent);
  if (data) return readPerson(data, site, now);
  const faults = error.issues.slice(0, maxFaults);
  return { faults: faults.map(({ path, message }) => ({ field: path.join(".").slice(0, 100), message })) };
}
const maxFaults = 20;

const tooLate = (at: Date, now: Date): Fault[] =>
  at.getTime() > now.getTime() + clockSlackMs ? [{ field: "consent.at", message: "must not be in the future" }] : [];

/**
 * Reads what a program changes: of the details, null or blank removes one, and what is absent stays. Archived topics can be
 * taken from people, not given.
 */
export function readPatch(
  { tags, topics, fields, status: to, ...rest }: z.output<typeof SubscriberPatch>,
  site: Site,
): { patch: Patch; ignored: string[]; faults?: undefined } | { faults: Fault[] } {
  const said: Details = rest;
  const { add, remove } = { add: topics?.add ?? [], remove: topics?.remove ?? [] };
  const offered = site.topics.filter(({ archivedAt }) => !archivedAt);
  const { changes, faults } = readValues(fields ?? {}, site);
  const all = [
    ...unknownTopics(add, "topics.add", offered),
    ...unknownTopics(remove, "topics.remove", site.topics),
    ...faults,
  ];
  if (all.length) return { faults: all };
  const given = eachDetail((name) => (name in said ? (said[name] ?? null) : undefined));
  const language = given.language && languageIn(given.language);
  const timeZone = given.timeZone && knownZone(given.timeZone);
  const unknown = [
    ...(given.language && !language ? ["language"] : []),
    ...(given.timeZone && !timeZone ? ["timeZone"] : []),
  ];
  const patch = {
    details: { ...given, language, timeZone },
    tags: { add: tags?.add ?? [], remove: tags?.remove ?? [] },
    topics: { add: topicsWith(add, offered), remove: topicsWith(remove, site.topics) },
    fields: changes,
    leaves: to === "unsubscribed",
  };
  return { patch, ignored: unknown };
}

const topicsWith = (slugs: string[], topics: Topic[]) => topics.filter(({ slug }) => slugs.includes(slug));

function unknownTopics(slugs: string[], path: string, topics: Topic[]): Fault[] {
  const isOffered = (slug: string) => topics.some((topic) => topic.slug === slug);
  return slugs.flatMap((slug, at) =>
    isOffered(slug) ? [] : [{ field: `${path}.${at}`, message: "is no topic of this site" }],
  );
}

/** Values are merged into emails and written to files: one line each, as in a form. */
const text = line({ min: 1, max: maxFieldText });

/** Reads values by the keys of their fields; null takes one away. */
function readValues(input: Record<string, string | number | boolean | null>, { fields }: Site) {
  const faults: Fault[] = [];
  const changes: FieldChange["values"] = [];
  for (const [key, given] of Object.entries(input)) {
    const field = fields.find((each) => each.key === key);
    const clean = typeof given === "string" ? text.safeParse(given).data : given;
    const stored = field && given !== null ? storedValue(field, clean) : null;
    if (!field) faults.push({ field: `fields.${key.slice(0, 40)}`, message: "is no field of this site" });
    else if (stored === undefined) faults.push({ field: `fields.${key}`, message: messages[field.type] });
    else changes.push({ field, value: stored });
  }
  return { changes, faults };
}

const messages: Record<Field["type"], string> = {
  text: `must be a line of 1 to ${maxFieldText} characters`,
  number: "must be a number",
  date: "must be a day, such as 2026-11-20",
  boolean: "must be true or false",
  choice: "must be one of the field’s choices",
};

const time = (at: Date | null) => at?.toISOString() ?? null;

/** A subscriber as programs read it. */
export function subscriberJson({ subscriber, about, suppression }: Profile) {
  const { consentNote: how, consentAt, consentUrl: url } = subscriber;
  const { name, ...details } = detailsOf(subscriber);
  return {
    id: subscriber.id,
    email: subscriber.email,
    name,
    status: statusOf(subscriber),
    ...details,
    tags: about.tags,
    topics: about.topics.flatMap(({ slug, chosen }) => (chosen ? slug : [])),
    fields: Object.fromEntries(about.fields.map(({ field, value }) => [field.key, value])),
    consent: how === null ? null : { how, at: time(consentAt), url },
    joinedAt: time(subscriber.createdAt),
    confirmedAt: time(subscriber.confirmedAt),
    unsubscribedAt: time(subscriber.unsubscribedAt),
    pausedUntil: time(subscriber.pausedUntil),
    suppression: suppression && { reason: suppression.reason, at: time(suppression.at) },
    updatedAt: time(subscriber.updatedAt),
  };
}

import { received } from "../../../db/broadcasts/audience";
import type { Db } from "../../../db/engine/open";
import { allFields } from "../../../db/newsletter/fields";
import type { Field } from "../../../db/newsletter/field-values";
import * as subscriberList from "../../../db/newsletter/list";
import { statuses } from "../../../db/newsletter/rules";
import { type Condition, conditionsOf, type Segment } from "../../../db/newsletter/segments/definition";
import { allTopics } from "../../../db/newsletter/topics";
import { listTags } from "../../../db/newsletter/tags";
import { listSequences } from "../../../db/sequences/sequences";
import type { Entry, FieldChoice } from "../../../views/dashboard/segments/filter";
import { languageNames, sameAsSite } from "../../../views/languages/names";

type Operators = FieldChoice["operators"];
type Options = readonly (readonly [value: string, label: string])[];

const dateOperators: Operators = [
  { value: "within", label: "in the last", entry: { kind: "days" } },
  { value: "from", label: "since", entry: { kind: "day" } },
  { value: "before", label: "before", entry: { kind: "day" } },
];
const whetherOperators = (yes: string, no: string): Operators => [
  { value: "known", label: yes, entry: { kind: "none" } },
  { value: "unknown", label: no, entry: { kind: "none" } },
];
const anyOrNone = (options: Options): Operators => [
  { value: "any", label: "is", entry: { kind: "some", options } },
  { value: "none", label: "is not", entry: { kind: "some", options } },
];
const memberOperators = (options: Options): Operators => [
  { value: "any", label: "is any of", entry: { kind: "some", options } },
  { value: "every", label: "is all of", entry: { kind: "some", options } },
  { value: "none", label: "is none of", entry: { kind: "some", options } },
];
const broadcastOperators = (options: Options): Operators => [
  { value: "got", label: "was sent", entry: { kind: "one", options } },
  { value: "notGot", label: "was not sent", entry: { kind: "one", options } },
];
const sequenceOperators = (options: Options): Operators => [
  { value: "in", label: "is under way", entry: { kind: "one", options } },
  { value: "finished", label: "is finished", entry: { kind: "one", options } },
  { value: "never", label: "was never begun", entry: { kind: "one", options } },
];

const whetherFilled: Operators = [
  { value: "filled", label: "is filled", entry: { kind: "none" } },
  { value: "empty", label: "is empty", entry: { kind: "none" } },
];
const isOrNot = (entry: Entry): Operators => [
  { value: "is", label: "is", entry },
  { value: "not", label: "is not", entry },
];
const numberOperators: Operators = [
  { value: "least", label: "is at least", entry: { kind: "number" } },
  { value: "most", label: "is at most", entry: { kind: "number" } },
];
const yesOrNo: Entry = {
  kind: "one",
  options: [
    ["true", "yes"],
    ["false", "no"],
  ],
  as: "boolean",
};

/** The operators of a field of the site's own, by its type. */
function fieldOperators({ type, options }: Field): Operators {
  if (type === "text")
    return [
      ...isOrNot({ kind: "text" }),
      { value: "contains", label: "contains", entry: { kind: "text" } },
      ...whetherFilled,
    ];
  if (type === "number") return [...numberOperators, ...isOrNot({ kind: "number" }), ...whetherFilled];
  if (type === "boolean") return [...isOrNot(yesOrNo), ...whetherFilled];
  if (type === "date") return [...dateOperators.slice(1), ...whetherFilled];
  const names = (options ?? []).map(({ id, name }) => [String(id), name] as const);
  return [...isOrNot({ kind: "one", options: names, as: "number" }), ...whetherFilled];
}

const itself = (values: string[]): Options => values.map((value) => [value, value]);

/** What conditions may be about, with the values that exist, and those of this segment. */
export async function fieldChoices(db: Db, segment: Segment): Promise<FieldChoice[]> {
  const options = await optionsFor(db, conditionsOf(segment));
  const choices: FieldChoice[] = [
    { value: "status", label: "Status", operators: anyOrNone(itself([...statuses])) },
    { value: "tag", label: "Tag", operators: memberOperators(options.tags) },
    { value: "topic", label: "Topic", operators: memberOperators(options.topics) },
    { value: "joined", label: "Joined", operators: dateOperators },
    { value: "source", label: "Source", operators: anyOrNone(options.sources) },
    { value: "language", label: "Language", operators: anyOrNone(languageOptions) },
    { value: "key", label: "API key", operators: anyOrNone(options.keys) },
    { value: "confirmed", label: "Confirmed", operators: [...whetherOperators("yes", "no"), ...dateOperators] },
    { value: "left", label: "Left", operators: [...dateOperators, ...whetherOperators("at a known time", "never")] },
    { value: "broadcast", label: "Broadcast", operators: broadcastOperators(options.broadcasts) },
    { value: "sequence", label: "Sequence", operators: sequenceOperators(options.sequences) },
    ...options.fields.map((field) => ({
      value: `fields.${field.key}`,
      label: field.name,
      operators: fieldOperators(field),
    })),
  ];
  return choices.filter(({ operators: [first] }) => first && hasValues(first.entry));
}

const hasValues = (entry: Operators[number]["entry"]) => !("options" in entry) || entry.options.length > 0;
const languageOptions: Options = [...Object.entries(languageNames), ["", sameAsSite]];

async function optionsFor(db: Db, conditions: Condition[]) {
  const ids = conditions.flatMap((each) => (each.field === "broadcast" ? each.of : []));
  const keyIds = conditions.flatMap((each) => (each.field === "key" ? each.of : []));
  const sequenceIds = conditions.flatMap((each) => (each.field === "sequence" ? each.of : []));
  const [sources, tags, topics, broadcasts, fields, keys, sequences] = await Promise.all([
    subscriberList.sources(db),
    listTags(db),
    db.read(allTopics),
    received(db, ids),
    db.read(allFields),
    subscriberList.keysOfPeople(db, keyIds),
    listSequences(db),
  ]);
  const strangeKeys = keyIds.filter((id) => !keys.some((key) => key.id === id));
  const withThose = (field: "tag" | "source", values: string[]) => {
    const named = conditions.flatMap((each) => (each.field === field ? each.of.flatMap((one) => one ?? []) : []));
    return itself([...new Set([...values, ...named])]);
  };
  return {
    fields,
    sources: [...withThose("source", sources), ["", "No source"]] satisfies Options,
    tags: withThose("tag", tags),
    keys: [
      ...keys.map(({ id, name }) => [id, name] as const),
      ...strangeKeys.map((id) => [id, `Unknown key (…${id.slice(-6)})`] as const), // of another installation
    ],
    topics: topics.map(({ slug, name }) => [slug, name] as const),
    broadcasts: broadcasts.map(({ id, subject }) => [id, subject || "No subject yet"] as const),
    sequences: sequences
      .filter(({ id, state }) => state !== "draft" || sequenceIds.includes(id))
      .map(({ id, name }) => [id, name] as const),
  };
}

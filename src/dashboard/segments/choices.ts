import { received } from "../../../db/broadcasts/audience/names";
import type { Db } from "../../../db/engine/open";
import * as subscriberList from "../../../db/newsletter/list";
import { statuses } from "../../../db/newsletter/rules";
import { type Condition, conditionsOf, type Segment } from "../../../db/newsletter/segments/definition";
import { allTopics } from "../../../db/newsletter/topics";
import { listTags } from "../../../db/newsletter/tags";
import type { FieldChoice } from "../../../views/dashboard/segments/filter";
import { languageNames } from "../../../views/languages/names";

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
    { value: "confirmed", label: "Confirmed", operators: [...whetherOperators("yes", "no"), ...dateOperators] },
    { value: "left", label: "Left", operators: [...dateOperators, ...whetherOperators("at a known time", "never")] },
    { value: "broadcast", label: "Broadcast", operators: broadcastOperators(options.broadcasts) },
  ];
  return choices.filter(({ operators: [first] }) => first && hasValues(first.entry));
}

const hasValues = (entry: Operators[number]["entry"]) => !("options" in entry) || entry.options.length > 0;
const languageOptions: Options = [...Object.entries(languageNames), ["", "No language"]];

async function optionsFor(db: Db, conditions: Condition[]) {
  const ids = conditions.flatMap((each) => (each.field === "broadcast" ? each.of : []));
  const [sources, tags, topics, broadcasts] = await Promise.all([
    subscriberList.sources(db),
    listTags(db),
    db.read(allTopics),
    received(db, ids),
  ]);
  const withThose = (field: "tag" | "source", values: string[]) => {
    const named = conditions.flatMap((each) => (each.field === field ? each.of.flatMap((one) => one ?? []) : []));
    return itself([...new Set([...values, ...named])]);
  };
  return {
    sources: [...withThose("source", sources), ["", "No source"]] satisfies Options,
    tags: withThose("tag", tags),
    topics: topics.map(({ slug, name }) => [slug, name] as const),
    broadcasts: broadcasts.map(({ id, subject }) => [id, subject || "No subject yet"] as const),
  };
}

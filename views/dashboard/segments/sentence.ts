import type { Condition, FieldCondition, Segment } from "../../../db/newsletter/segments/definition";
import { languageLabel } from "../../languages/names";
import { plural } from "../../components/list";
import { date, exact, type Reading } from "../../components/time";

/* A segment as a sentence. Two that mean different people never read alike: names are quoted, and times complete. */

type Words = {
  reading: Reading;
  /** Returns today's name of a broadcast, which no other has. */
  broadcastOf: (id: string) => string | undefined;
  /** Returns today's name of an API key, which no other has; none for one of another installation. */
  keyOf: (id: string) => string | undefined;
  /** Returns today's name of a sequence, which no other has. */
  sequenceOf: (id: string) => string | undefined;
  /** Returns today's name of a topic. */
  topicOf: (slug: string) => string | undefined;
  /** Returns today's name of a field, and the names of its options by their numbers. */
  fieldOf: (key: string) => { name: string; options: ReadonlyMap<number, string> } | undefined;
};

/** "People who came from “blog”, and who joined in the last 30 days or have the tag “vip”". */
export function segmentSentence(segment: Segment | undefined, words: Words): string {
  if (!segment) return "Audience cannot be read";
  const { all, any } = segment;
  if (!all && !any) return "Everyone";
  const of = (condition: Condition) => phrase(condition, words);
  const parts = all
    ? all.map((node) => ("any" in node ? node.any.map(of).join(" or ") : of(node)))
    : (any ?? []).map((node) => ("all" in node ? node.all.map(of).join(" and ") : of(node)));
  const [first = "", ...others] = parts;
  const joint = all ? ", and who " : ", or who ";
  return `People who ${[first, ...others].join(joint)}`;
}

const quoted = (text: string) => `“${text.replaceAll("”", "””")}”`;
const either = (texts: string[]) => new Intl.ListFormat("en-GB", { type: "disjunction" }).format(texts);
const both = (texts: string[]) => new Intl.ListFormat("en-GB", { type: "conjunction" }).format(texts);

/** What is said of the people in one condition, as the end of "people who". */
function phrase(condition: Condition, words: Words): string {
  if (isAboutField(condition)) return fieldPhrase(condition, words);
  const isOpposite = condition.is === "none";
  switch (condition.field) {
    case "status":
      return `are ${isOpposite ? "not " : ""}${either(condition.of)}`;
    case "source":
      return `${isOpposite ? "did not come" : "came"} from ${either(condition.of.map(sourceName))}`;
    case "language":
      return `${isOpposite ? "do not read" : "read"} ${either(condition.of.map(languageName))}`;
    case "tag": {
      const names = condition.of.map(quoted);
      const list = condition.is === "every" ? both(names) : either(names);
      return `${isOpposite ? "do not have" : "have"} the ${condition.is === "every" ? "tags" : "tag"} ${list}`;
    }
    case "topic": {
      const names = condition.of.map((slug) => quoted(words.topicOf(slug) ?? slug));
      const list = condition.is === "every" ? both(names) : either(names);
      return `${isOpposite ? "did not choose" : "chose"} ${condition.is === "every" ? "the topics " : ""}${list}`;
    }
    case "key": {
      const names = condition.of.map((id) => keyName(id, words.keyOf(id)));
      return `${isOpposite ? "did not come" : "came"} through ${either(names)}`;
    }
    case "broadcast":
      return `${condition.is === "got" ? "got" : "did not get"} ${words.broadcastOf(condition.of) ?? `the broadcast ${condition.of}`}`;
    case "sequence": {
      const name = words.sequenceOf(condition.of);
      return `${sequenceVerbs[condition.is]} the sequence ${name === undefined ? condition.of : quoted(name)}`;
    }
    default:
      return datePhrase(condition, words);
  }
}

const sequenceVerbs = { in: "are in", finished: "finished", never: "never began" };

const isAboutField = (condition: Condition): condition is FieldCondition => condition.field.startsWith("fields.");

/** "have the field “Orders” of at least 3". */
function fieldPhrase(condition: FieldCondition, { reading, fieldOf }: Words): string {
  const key = condition.field.slice("fields.".length);
  const field = fieldOf(key);
  const name = `the field ${quoted(field?.name ?? key)}`;
  switch (condition.is) {
    case "filled":
      return `have ${name}`;
    case "empty":
      return `do not have ${name}`;
    case "contains":
      return `have ${name} with ${quoted(condition.of)} in it`;
    case "least":
    case "most":
      return `have ${name} of at ${condition.is} ${condition.of}`;
    case "from":
    case "before":
      return `have ${name} ${condition.is === "from" ? "since" : "before"} ${momentInWords(condition.of, reading)}`;
    default:
      return `${condition.is === "is" ? "have" : "do not have"} ${name} as ${fieldValue(condition.of, field)}`;
  }
}

function fieldValue(of: string | number | boolean, field: ReturnType<Words["fieldOf"]>): string {
  if (typeof of === "string") return quoted(of);
  if (typeof of === "boolean") return of ? "yes" : "no";
  if (!field?.options.size) return String(of);
  return quoted(field.options.get(of) ?? `option ${of}`);
}

const sourceName = (source: string | null) => (source === null ? "no source" : quoted(source));
const keyName = (id: string, name?: string) =>
  name === undefined ? `an unknown API key (…${id.slice(-6)})` : `the API key ${quoted(name)}`;
const languageName = (language: string | null) =>
  language === null ? "the language of the site" : languageLabel(language);

type DateCondition = Extract<Condition, { field: "joined" | "confirmed" | "left" }>;
const verbs = { joined: "joined", confirmed: "confirmed their address", left: "left" };
const negated = { joined: "never joined", confirmed: "did not confirm their address", left: "did not leave" };

function datePhrase(condition: DateCondition, { reading }: Words): string {
  const verb = verbs[condition.field];
  switch (condition.is) {
    case "known":
      return verb;
    case "unknown":
      return negated[condition.field];
    case "within":
      return `${verb} in the last ${plural(condition.of, "day")}`;
    default:
      return `${verb} ${condition.is === "from" ? "since" : "before"} ${momentInWords(condition.of, reading)}`;
  }
}

/** A day as a date; a time to the millisecond if need be, in the reader's zone. */
function momentInWords(text: string, reading: Reading): string {
  const at = new Date(text);
  if (!text.includes("T")) return date(at, typeof reading === "string" ? "UTC" : { ...reading, timeZone: "UTC" });
  const rest = at.getTime() % 60_000;
  return `${exact(at, reading)}${rest ? ` (and ${rest / 1_000} s)` : ""}`;
}

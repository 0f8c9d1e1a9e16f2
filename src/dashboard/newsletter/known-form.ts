import type { Db } from "../../../db/engine/open";
import { type Field, type FieldValue, maxFieldText, storedValue } from "../../../db/newsletter/field-values";
import { allFields, type FieldChange } from "../../../db/newsletter/fields";
import type { KnownOfPerson } from "../../../db/newsletter/known";
import { openTopics } from "../../../db/newsletter/topics";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Input } from "../../../views/components/forms/fields";
import { field, inputOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";

/* The topics and fields of one subscriber, in the form that managers edit. */

const [topicPrefix, fieldPrefix] = ["topic-", "field-"];

/** What the form asks besides the details, and the values that it begins with. */
export async function knownInputs(db: Db) {
  const [topics, fields] = await db.read(async (orm) => [await openTopics(orm), await allFields(orm)] as const);
  return { topics, fields, inputs: Object.fromEntries(fields.map((field) => [nameOf(field), inputFor(field)])) };
}
type KnownInputs = Awaited<ReturnType<typeof knownInputs>>;

const nameOf = ({ key }: Field) => `${fieldPrefix}${key}`;

function inputFor(about: Field): Input {
  const { name: label, type, options } = about;
  const name = nameOf(about);
  if (type === "boolean") return { name, label, options: [none, ["yes", "Yes"], ["no", "No"]] };
  if (type === "choice") return { name, label, options: [none, ...(options ?? []).map(pairOf)] };
  if (type === "date") return { name, label, type: "date" };
  return inputOf(name, field(line({ max: maxFieldText }), { label }));
}
const none = ["", "Not known"] as const;
const pairOf = ({ name }: { name: string }) => [name, name] as const;

/** The values as the form has them. */
export function knownValues({ topics, fields }: KnownOfPerson): Record<string, string> {
  const values = Object.fromEntries(fields.map(({ field, value }) => [nameOf(field), textOf(value)]));
  for (const { slug, chosen } of topics) if (chosen) values[topicPrefix + slug] = "yes";
  values.hadTopics = topics.flatMap(({ slug, chosen }) => (chosen ? slug : [])).join(",");
  return values;
}

const textOf = (value: FieldValue) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));

/** What was typed. What others changed in the meantime stays: only topics that the form showed otherwise change. */
export function knownIn({ topics, fields }: KnownInputs, values: Record<string, string>) {
  const had = new Set((values.hadTopics ?? "").split(","));
  const isTicked = (slug: string) => values[topicPrefix + slug] === "yes";
  const changed = topics.filter(({ slug }) => isTicked(slug) !== had.has(slug)).map(({ slug }) => slug);
  const read = fields.filter((field) => nameOf(field) in values).map((field) => readOne(field, values[nameOf(field)]));
  const errors: FieldError[] = read.flatMap((one) => ("error" in one ? one.error : []));
  const list: FieldChange["values"] = read.flatMap((one) => ("error" in one ? [] : one));
  return {
    topics: { add: changed.filter(isTicked), remove: changed.filter((slug) => !isTicked(slug)) },
    fields: list,
    errors,
  };
}

function readOne(field: Field, text = ""): FieldChange["values"][number] | { error: FieldError } {
  if (!text.trim()) return { field, value: null };
  const value = storedValue(field, valueIn(field, text.trim()));
  return value ? { field, value } : { error: { field: nameOf(field), message: messages[field.type] } };
}

function valueIn({ type }: Field, text: string): FieldValue {
  if (type === "boolean") return text === "yes";
  return type === "number" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

const messages: Record<Field["type"], string> = {
  text: "Use at most 200 characters.",
  number: "Enter a number, such as 12 or 3.5.",
  date: "Enter a day, such as 2026-11-20.",
  boolean: "Choose yes or no.",
  choice: "Choose one of the list.",
};

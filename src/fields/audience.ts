import { z } from "zod";
import { splitNames } from "../../db/lib/text";
import { maxOptions } from "../../db/newsletter/fields";
import { fieldTypes } from "../../db/schema/audience";
import { optional } from "../http/request-schemas";
import { line } from "../platform/text/schemas";
import { field } from "./field";

/** What visitors read about a topic. */
export const TopicFields = z.object({
  name: field(line({ min: 1, max: 60 }), { label: "Name" }),
  sentence: field(optional(line({ max: 160 })), {
    label: "Sentence (optional)",
    hint: "What people get, and how often: “Tides and old instruments. Twice a month.”",
  }),
});

const typeNames: Record<(typeof fieldTypes)[number], string> = {
  text: "Text",
  number: "Number",
  date: "Date",
  boolean: "Yes or no",
  choice: "Choice",
};

/** The type of a field, as managers read it. */
export const fieldTypeLabel = (type: (typeof fieldTypes)[number]): string => typeNames[type];

const optionNames = z
  .string()
  .max(10_000)
  .transform(splitNames)
  .pipe(z.array(line({ min: 1, max: 60 }), "must be names").max(maxOptions, `Use at most ${maxOptions} choices.`));

const options = field(optionNames, { label: "Choices", hint: "For a choice only, separated by commas." });

/** What managers may change about a field. */
export const FieldFields = z.object({ name: field(line({ min: 1, max: 60 }), { label: "Name" }), options });

/** A new one: its key and type never change. */
export const NewFieldFields = z.object({
  name: FieldFields.shape.name,
  key: field(
    z
      .string()
      .trim()
      .regex(/^[a-z][a-z0-9_]{0,29}$/, "Use up to 30 small letters, digits and underscores, starting with a letter."),
    { label: "Key", hint: "In files, programs and texts, such as city or last_order. It never changes." },
  ),
  type: field(z.enum(fieldTypes), { label: "Type", options: Object.entries(typeNames) }),
  options,
});

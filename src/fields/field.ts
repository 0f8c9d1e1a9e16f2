import { z } from "zod";
import type { Input } from "../../views/components/forms/fields";
import { mostUnits } from "../platform/text/schemas";

/*
 * A subject declares each of its fields once, in a zod object: `z.object({ email: field(emailAddress, { label }) })`.
 * The object is the request schema; the rest is derived here. What is picked or extended from it keeps its facts.
 */

/** What people read about a field, and what other systems call it. */
type Facts = {
  label?: string;
  type?: Input["type"];
  hint?: string;
  /** The values to choose from; "" is none. */
  options?: Input["options"];
  /** Names of its column in CSV files, in order of preference, without spaces and punctuation. */
  csv?: readonly string[];
};

const facts = z.registry<Facts>();

/** The schema with these facts about the field. A clone, because several fields may have the same schema. */
export function field<Schema extends z.ZodType>(schema: Schema, about: Facts): Schema {
  const own = schema.clone();
  facts.add(own, about);
  return own;
}

/**
 * The fields as inputs of a form, by name. Browsers check only what the schema checks too: a field is required if the
 * schema refuses a blank one, and cut at the length at which the schema stops reading it.
 */
export function inputsOf<Name extends string>(fields: z.ZodObject<Record<Name, z.ZodType>>): Record<Name, Input>;
export function inputsOf({ shape }: z.ZodObject<Record<string, z.ZodType>>): Record<string, Input> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, inputOf(name, schema)]));
}

/** One field as an input of a form. */
export function inputOf(name: string, schema: z.ZodType): Input {
  const { label = name, type, hint, options } = facts.get(schema) ?? {};
  return { name, label, type, hint, options, required: !schema.safeParse("").success, maxlength: maxUnits(schema) };
}

/** The most UTF-16 units of a text that the schema reads; undefined if it knows no limit. */
function maxUnits(schema: z.core.$ZodType): number | undefined {
  const own = mostUnits.get(schema)?.units;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodString) return schema.maxLength ?? undefined;
  if (schema instanceof z.ZodPipe) return maxUnits(schema.in) ?? maxUnits(schema.out);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodCatch)
    return maxUnits(schema.unwrap());
  return undefined;
}

/** The field as a column of a CSV file. */
export function csvColumn(schema: z.ZodType): { label: string; names: readonly string[] } {
  const { label = "", csv = [] } = facts.get(schema) ?? {};
  return { label: label.replace(/ \(optional\)$/, ""), names: csv };
}

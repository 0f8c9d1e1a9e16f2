import {
  type Condition,
  countConditions,
  maxSegment,
  readSegment,
  type Segment,
} from "../../../db/newsletter/segments/definition";
import type { FieldError } from "../../../views/components/forms/field-errors";
import {
  type ConditionDraft,
  defaultDays,
  type FieldChoice,
  type GroupDraft,
  type SegmentDraft,
} from "../../../views/dashboard/segments/filter";
import { sentFields } from "../form-input";

/* A segment as fields of a form: `w.kind`, `w.0.field`, and in a group `w.2.0.field`. */

const name = /^w\.(\d{1,2})(?:\.(\d{1,2}))?\.(field|is|of|group)$/;
const maxText = 200;

const textsOf = (value: unknown): string[] =>
  [value].flat().flatMap((each) => (typeof each === "string" && each.length <= maxText ? each : []));

/** Reads the fields as they were sent, in the order of their numbers. */
export function draftIn(body: unknown): SegmentDraft {
  const sent = sentFields(body);
  const nodes = new Map<number, { own: ConditionDraft; group?: Map<number, ConditionDraft> }>();
  for (const [key, value] of Object.entries(sent)) {
    const [, at = "", inner, part] = name.exec(key) ?? [];
    if (!part) continue;
    const node = nodes.get(Number(at)) ?? { own: noCondition() };
    nodes.set(Number(at), node);
    if (part === "group" || inner !== undefined) node.group ??= new Map();
    const condition = inner === undefined ? node.own : (node.group?.get(Number(inner)) ?? noCondition());
    if (inner !== undefined) node.group?.set(Number(inner), condition);
    if (part === "of") condition.of = textsOf(value).slice(0, maxSegment.values);
    else if (part === "field" || part === "is") condition[part] = textsOf(value)[0] ?? "";
  }
  const inOrder = <Value>(all: Map<number, Value>) => [...all].sort(([a], [b]) => a - b).map(([, value]) => value);
  return {
    kind: sent["w.kind"] === "any" ? "any" : "all",
    nodes: inOrder(nodes).map(({ own, group }) => (group ? { group: inOrder(group) } : own)),
  };
}

const noCondition = (): ConditionDraft => ({ field: "", is: "", of: [] });

/** Makes the change of a button: `add`, `group`, `add:2`, `remove:2.0`. Anything else changes nothing. */
export function changed(draft: SegmentDraft, act: string): SegmentDraft {
  const [verb = "", place = ""] = act.split(":");
  const [at = -1, inner] = place.split(".").map(Number);
  const added = noCondition(); // what it is about is asked: what stands there unasked is taken for chosen
  const nodes = [...draft.nodes];
  const node = nodes[at];
  if (act === "add") nodes.push(added);
  else if (act === "group") nodes.push({ group: [added] });
  else if (verb === "add" && node && "group" in node) nodes[at] = { group: [...node.group, added] };
  else if (verb === "remove" && node) nodes.splice(at, 1, ...withoutInner(node, inner));
  return { ...draft, nodes };
}

/** The ID of the field that gets the focus once the form is drawn anew: a new condition's, or the one that changed. */
export function focusAfter({ nodes }: SegmentDraft, act: string, request: Request): string | undefined {
  const [verb, place = ""] = act.split(":");
  const group = nodes[Number(place)];
  if (act === "add") return `w-${nodes.length - 1}-field`;
  if (act === "group") return `w-${nodes.length - 1}-0-field`;
  if (verb === "add" && group && "group" in group) return `w-${place}-${group.group.length - 1}-field`;
  return /^\w+#(w-[\w-]+)$/.exec(request.headers.get("hx-source") ?? "")?.[1];
}

function withoutInner(node: ConditionDraft | GroupDraft, inner: number | undefined): GroupDraft[] {
  if (!("group" in node) || inner === undefined) return [];
  const group = node.group.filter((_, at) => at !== inner);
  return group.length ? [{ group }] : [];
}

/**
 * The draft as its form shows it: of a field that was just chosen, no value is sent yet. It is for counting alone; what
 * is saved or used was seen.
 */
export function asShown({ kind, nodes }: SegmentDraft, fields: readonly FieldChoice[]): SegmentDraft {
  const filled = (condition: ConditionDraft): ConditionDraft => {
    const entry = chosenOf(condition, fields).operator?.entry;
    const first = entry?.kind === "days" ? defaultDays : entry?.kind === "one" ? entry.options[0]?.[0] : undefined;
    return condition.of.length || first === undefined ? condition : { ...condition, of: [first] };
  };
  return { kind, nodes: nodes.map((node) => ("group" in node ? { group: node.group.map(filled) } : filled(node))) };
}

/** Returns the segment that the fields describe, or what has to be corrected. */
export function segmentOf(
  { kind, nodes }: SegmentDraft,
  fields: readonly FieldChoice[],
): { segment?: Segment; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const valueOf = (condition: ConditionDraft, id: string) => {
    const value = conditionValue(condition, fields);
    const isRead = readSegment(JSON.stringify({ v: 2, all: [value] }));
    if (!isRead) errors.push(missing(condition, fields, id));
    return value;
  };
  const other = kind === "all" ? "any" : "all";
  const values = nodes.map((node, at) =>
    "group" in node
      ? { [other]: node.group.map((each, inner) => valueOf(each, `${at}-${inner}`)) }
      : valueOf(node, `${at}`),
  );
  if (errors.length) return { errors };
  const segment = values.length ? readSegment(JSON.stringify({ v: 2, [kind]: values })) : {};
  if (segment && countConditions(segment) <= maxSegment.conditions) return { segment, errors };
  return { errors: [{ field: "kind", message: `Use at most ${maxSegment.conditions} conditions.` }] };
}

function missing({ field }: ConditionDraft, fields: readonly FieldChoice[], id: string): FieldError {
  const label = fields.find(({ value }) => value === field)?.label;
  return label
    ? { field: `${id}-of`, message: `Complete the condition “${label}”: choose or enter a value.` }
    : { field: `${id}-field`, message: "Choose what the new condition is about, or remove it." };
}

function chosenOf({ field, is }: ConditionDraft, fields: readonly FieldChoice[]) {
  const choice = fields.find(({ value }) => value === field);
  return { choice, operator: choice?.operators.find(({ value }) => value === is) ?? choice?.operators[0] };
}

/** The condition as JSON has it: unknown values stay what they are, and are refused when it is read. */
function conditionValue(draft: ConditionDraft, fields: readonly FieldChoice[]) {
  const { choice, operator } = chosenOf(draft, fields);
  const base = { field: choice?.value, is: operator?.value };
  switch (operator?.entry.kind) {
    case "none":
      return base;
    case "days":
      return { ...base, of: /^\d{1,5}$/.test(draft.of[0] ?? "") ? Number(draft.of[0]) : undefined };
    case "some":
      return { ...base, of: draft.of.map((text) => (isNullable(base.field) && text === "" ? null : text)) };
    case "number":
      return { ...base, of: numberOf(draft.of[0]) };
    case "one":
      return { ...base, of: typedValue(draft.of[0], operator.entry.as) };
    default:
      return { ...base, of: draft.of[0] };
  }
}

const numberOf = (text = "") => (/^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined);

function typedValue(text: string | undefined, as: "number" | "boolean" | undefined) {
  if (as === "number") return numberOf(text);
  return as === "boolean" ? text === "true" : text;
}

const isNullable = (field: string | undefined) => field === "source" || field === "language";

/** Fills the fields from a segment. */
export function draftOf({ all, any: either }: Segment): SegmentDraft {
  if (either)
    return { kind: "any", nodes: either.map((node) => ("all" in node ? groupOf(node.all) : conditionDraft(node))) };
  const nodes = (all ?? []).map((node) => ("any" in node ? groupOf(node.any) : conditionDraft(node)));
  return { kind: "all", nodes };
}

type WithTags = { tags: string[]; draft: SegmentDraft };

/**
 * The conditions, and the tags that are chosen above them. Undefined if they cannot be told together: groups are not
 * within each other.
 */
export function withTags({ tags, draft: { kind, nodes } }: WithTags): SegmentDraft | undefined {
  if (!tags.length) return { kind, nodes };
  const chosen: ConditionDraft = { field: "tag", is: "any", of: tags };
  if (kind === "all" || nodes.length < 2) return { kind: "all", nodes: [chosen, ...nodes] };
  const group = nodes.flatMap((node) => ("group" in node ? [] : [node]));
  return group.length === nodes.length ? { kind: "all", nodes: [chosen, { group }] } : undefined;
}

/** The same apart: a first condition about tags, that others only narrow, is what is chosen above them. */
export function tagsApart(draft: SegmentDraft): WithTags {
  const [first, ...nodes] = draft.nodes;
  const isChoice = draft.kind === "all" && first && !("group" in first) && first.field === "tag" && first.is === "any";
  return isChoice ? { tags: first.of, draft: { kind: "all", nodes } } : { tags: [], draft };
}

/** The tags as they were sent. */
export const tagsIn = (body: unknown): string[] => textsOf(sentFields(body).tags).slice(0, maxSegment.values);

const groupOf = (conditions: Condition[]) => ({ group: conditions.map(conditionDraft) });

function conditionDraft(condition: Condition): ConditionDraft {
  const { field, is } = condition;
  if (!("of" in condition)) return { field, is, of: [] };
  return { field, is, of: [condition.of].flat().map((value) => String(value ?? "")) };
}

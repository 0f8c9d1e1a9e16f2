import { z } from "zod";
import { type Broadcast, type BroadcastWithContent, withContent } from "../../../../db/broadcasts/broadcasts";
import { edit } from "../../../../db/broadcasts/edit";
import { maxSubject } from "../../../../db/broadcasts/rules";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import { withStoredLines } from "../../../content/stored-lines";
import type { Deps } from "../../deps";
import { inputsOf } from "../../../fields/field";
import { line, oneLine, source } from "../../../platform/text/schemas";
import { readForm, sentFields } from "../../form-input";

const maxContent = 200_000;
const names = ["subject", "preheader", "fromName", "archive", "testTo"] as const;

export const Fields = z.object({
  subject: oneLine({ max: maxSubject }),
  preheader: oneLine({ max: maxSubject }),
  fromName: line({ max: 60 }),
  archive: z.enum(["listed", "unlisted", "none"]).catch("listed"),
  content: source({ max: maxContent }),
});

const maxField = 5_000; // of what was typed in a line

/** The fields in lines. A list of addresses for a test is read one by one. */
export const inputs = inputsOf(
  Fields.pick({ subject: true, preheader: true, fromName: true }).extend({ testTo: z.string().max(maxField) }),
);

export type Typed = { fields: Record<string, string>; content: string };

/** Reads the form as it was typed, without validation, so that a conflict loses nothing. */
export function typedIn(body: unknown): Typed {
  const sent = sentFields(body);
  const text = (name: string, maxLength: number) =>
    typeof sent[name] === "string" ? sent[name].slice(0, maxLength) : "";
  const fields = Object.fromEntries(names.map((name) => [name, text(name, maxField)]));
  return { fields, content: text("content", 2 * maxContent + 1_000).replace(/\r\n?/g, "\n") };
}

export const flat = ({ fields, content }: Typed) => ({ ...fields, content });

/** A broadcast as its form shows it. */
export const typedOf = ({ subject, preheader, fromName, archive, content }: BroadcastWithContent): Typed => ({
  fields: { subject, preheader, fromName, archive },
  content,
});

/** The result of saving a draft. `current`: the current broadcast. */
type SaveResult =
  | { outcome: "saved"; broadcast: Broadcast }
  | { outcome: "conflict"; current: BroadcastWithContent }
  | { outcome: "invalid"; current: BroadcastWithContent; errors: FieldError[] }
  | { outcome: "gone" };

/**
 * Saves the form into the draft if that still has `version`; an unchanged form makes no new version. Each line of the
 * text that was not touched keeps its bytes.
 */
export async function saveDraft({ db, now }: Deps, id: string, version: number, typed: Typed): Promise<SaveResult> {
  const current = await withContent(db, id);
  if (!current || current.deletedAt) return { outcome: "gone" };
  const { input, errors } = readForm(Fields, flat(typed));
  if (!input) return { outcome: "invalid", current, errors };
  input.content = withStoredLines(current.content, input.content);
  if (current.kind === "step") input.archive = current.archive; // it is in no archive
  const isSame = Fields.keyof().options.every((name) => input[name] === current[name]);
  if (isSame && current.state === "draft") return { outcome: "saved", broadcast: current };
  const result = await edit(db, { id, version }, input, now());
  if (result.outcome === "changed") return { outcome: "saved", broadcast: result.broadcast };
  const after = await withContent(db, id);
  return after ? { outcome: "conflict", current: after } : { outcome: "gone" };
}

import { z } from "zod";
import { type Broadcast, type BroadcastWithContent, withContent } from "../../../../db/broadcasts/broadcasts";
import { edit } from "../../../../db/broadcasts/edit";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Deps } from "../../../boot/deps";
import { joinedLines, line, lines } from "../../../http/text/schemas";
import { readForm } from "../../form-input";

const maxContent = 200_000;
const names = ["subject", "preheader", "fromName", "archive", "testTo"] as const;

/** One line, though it was typed in a field that takes several. */
const oneLine = (max: number) =>
  z.preprocess((text) => (typeof text === "string" ? joinedLines(text.slice(0, 5_000)) : text), line({ max }));

export const Fields = z.object({
  subject: oneLine(150),
  preheader: oneLine(150),
  fromName: line({ max: 60 }),
  archive: z.enum(["listed", "unlisted", "none"]).catch("listed"),
  content: lines({ max: maxContent }),
});

export type Typed = { fields: Record<string, string>; content: string };

/** The form as it was typed, nothing of it judged: what a conflict must not lose. */
export function typedIn(body: unknown): Typed {
  const given = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const text = (name: string, maxLength: number) =>
    typeof given[name] === "string" ? given[name].slice(0, maxLength) : "";
  const fields = Object.fromEntries(names.map((name) => [name, text(name, 5_000)]));
  return { fields, content: text("content", 2 * maxContent + 1_000).replace(/\r\n?/g, "\n") };
}

export const flat = ({ fields, content }: Typed) => ({ ...fields, content });

/** A broadcast as its form shows it. */
export const typedOf = ({ subject, preheader, fromName, archive, content }: BroadcastWithContent): Typed => ({
  fields: { subject, preheader, fromName, archive },
  content,
});

/** What came of saving a draft. `current`: the broadcast as it is now. */
type SaveResult =
  | { outcome: "saved"; broadcast: Broadcast }
  | { outcome: "conflict"; current: BroadcastWithContent }
  | { outcome: "invalid"; current: BroadcastWithContent; errors: FieldError[] }
  | { outcome: "gone" };

/** Saves what was typed into the draft that was edited at `version`; what is as it was makes no new version. */
export async function saveDraft({ db, now }: Deps, id: string, version: number, typed: Typed): Promise<SaveResult> {
  const current = await withContent(db, id);
  if (!current || current.deletedAt) return { outcome: "gone" };
  const { input, errors } = readForm(Fields, flat(typed));
  if (!input) return { outcome: "invalid", current, errors };
  const isSame = (Object.keys(input) as (keyof typeof input)[]).every((name) => input[name] === current[name]);
  if (isSame && current.state === "draft") return { outcome: "saved", broadcast: current };
  const result = await edit(db, { id, version }, input, now());
  if (result.outcome === "changed") return { outcome: "saved", broadcast: result.broadcast };
  const after = await withContent(db, id);
  return after ? { outcome: "conflict", current: after } : { outcome: "gone" };
}

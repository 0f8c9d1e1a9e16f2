import { z } from "zod";
import type { ImportedSubscriber } from "../../../db/newsletter/import";
import { emailAddress } from "../../http/email-address";
import { line } from "../../http/text/schemas";
import { optional } from "../../http/request-schemas";
import { readDate } from "./dates";
import { hasLeft, statusOf } from "./status-words";
import type { ImportField } from "./subscriber-columns";

const Person = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

type ReadRow = { person: ImportedSubscriber } | { problem: string };

/** Reads a row of an import. A problem names the field, but never repeats its contents. */
export function readSubscriber(columns: ImportField[], cells: string[], now: Date): ReadRow {
  const all = (field: ImportField) => cells.filter((text, at) => columns[at] === field && text.trim());
  const one = (field: ImportField) => all(field)[0]?.trim();
  const name = one("name") ?? [one("first"), one("last")].filter(Boolean).join(" ");
  const { data, error } = Person.safeParse({ email: one("email"), name, source: one("source") });
  const joined = one("joined");
  const stated = joined === undefined ? now : readDate(joined);
  const state = stateOf(all("status"), all("left"));
  const problems = [
    ...(error?.issues ?? []).map(({ path, message }) => `${path.join(".")} ${message}`),
    ...(stated ? [] : ["joined must be a date such as 2025-01-31 or 2025-01-31 10:00:00"]),
    ...("problem" in state ? [state.problem] : []),
  ];
  if (!data || !stated || "problem" in state) return { problem: problems.join("; ") };
  const createdAt = stated > now ? now : stated; // a time in the future is an error in the file
  return { person: { email: data.email, name: data.name ?? null, source: data.source ?? null, ...state, createdAt } };
}

/** The status that all columns agree on: one that says no is enough, and an unknown word makes no one active (P187). */
function stateOf(statuses: string[], left: string[]): Pick<ImportedSubscriber, "state"> | { problem: string } {
  const meanings = statuses.map(statusOf);
  if (left.some(hasLeft) || meanings.includes("unsubscribed")) return { state: "unsubscribed" };
  if (meanings.includes(undefined)) return { problem: "status is not known as subscribed or unsubscribed" };
  if (meanings.includes("unconfirmed")) return { problem: "status says that the subscription was never confirmed" };
  return { state: "active" };
}

import { z } from "zod";
import * as audit from "../../../db/audit";
import type { Db } from "../../../db/engine/open";
import { addAll, batches, type By, type SuppressionSelection } from "../../../db/suppressions/suppressions";
import { emailAddress } from "../../platform/text/email-address";
import { line } from "../../platform/text/schemas";
import { optional } from "../../http/request-schemas";
import { csvLine, csvRecords, type OpenFile } from "./reader";
import { type Encoding, unreadable } from "./encoding";

const columns = ["email", "reason", "detail", "since"] as const;
const batchSize = 1_000; // rows per commit, so that a running server gets its turn in between

const isReadable = (text: string) => !text.includes(unreadable);
/** Left out if it cannot be read: the address is suppressed all the same. */
const remark = optional(line({ max: 300 }).transform((text) => (isReadable(text) ? text : "")));
const Row = z.object({
  email: emailAddress.refine(isReadable, `has a character that cannot be read (${unreadable})`),
  reason: remark,
  detail: remark,
});
const ownReasons = z.enum(["bounce", "complaint", "provider", "manual"]);

type SuppressionFile = {
  open: OpenFile;
  encoding?: Encoding | undefined;
  /** Called for each row that is not imported, without the row itself. */
  refuse: (line: number, message: string) => undefined;
};

/**
 * Imports a CSV file with the column `email` and, optionally, `reason` and `detail`. A reason that belongs to another
 * system is kept as the detail.
 *
 * @throws if it is not CSV, or has no column `email`
 */
export async function importSuppressions(
  db: Db,
  { open, encoding, refuse }: SuppressionFile,
  by: By,
  now: Date,
): Promise<{ added: number; already: number; invalid: number }> {
  const counts = { added: 0, already: 0, invalid: 0 };
  const entry = audit.entryInCommits({ actor: by.actor ?? by.via, action: "suppression.import" }, now);
  let waiting: ReturnType<typeof incoming>[] = [];
  const invalid = (at: number, message: string) => {
    counts.invalid++;
    return refuse(at, message);
  };
  const settle = async () => {
    const { length } = waiting;
    const sumWith = (n: number) => ({ ...counts, added: counts.added + n, already: counts.already + length - n });
    const added = await addAll(db, { rows: waiting, by, now }, (orm, n) => entry(orm, sumWith(n)));
    counts.added += added;
    counts.already += waiting.length - added;
    waiting = [];
  };
  for await (const { at, record } of csvRecords(open, encoding, invalid)) {
    const row = Row.safeParse(record);
    if (row.success) waiting.push(incoming(row.data));
    else invalid(at, row.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
    if (waiting.length >= batchSize) await settle();
  }
  await settle();
  return counts;
}

function incoming({ email, reason = "", detail }: z.output<typeof Row>) {
  const own = ownReasons.safeParse(reason);
  return own.success
    ? { email, reason: own.data, detail }
    : { email, reason: "import" as const, detail: detail ?? (reason || undefined) };
}

/** Exports suppressions as CSV, newest first. Those of erased people are left out, because their address is unknown. */
export async function* exportSuppressions(
  db: Db,
  selection: SuppressionSelection = { matching: {} },
): AsyncGenerator<string> {
  yield csvLine([...columns]);
  for await (const page of batches(db, selection))
    yield page
      .filter(({ email }) => email !== null)
      .map(({ email, reason, detail, createdAt }) => csvLine([email, reason, detail, createdAt.toISOString()]))
      .join("");
}

import { z } from "zod";
import { list, nullAsAbsent } from "../../http/request-schemas";
import { meansFull } from "../s3/errors";

export const maxWantedParts = 100; // by number, and URLs in one response
const partNumber = z.int("must be a whole number").min(1, "must be at least 1").max(10_000, "must be at most 10000");

const absent = (name: string) => ({ properties: { [name]: { type: "null" as const } } });

/** The parts that a client wants URLs for: a range, or a list of numbers. */
export const WantedParts = z
  .object({
    from: nullAsAbsent(partNumber, "integer"),
    to: nullAsAbsent(partNumber, "integer"),
    numbers: nullAsAbsent(list(partNumber, maxWantedParts, "must be a list of numbers"), "array"),
  })
  .refine(({ from, to, numbers }) => !numbers || (from === undefined && to === undefined), {
    path: ["numbers"],
    message: "cannot be combined with from or to",
  })
  .meta({ id: "PartSelection", anyOf: [absent("numbers"), { allOf: [absent("from"), absent("to")] }] });

/** Returns a filter for those parts. */
export const wantedFilter = ({ from = 1, to, numbers }: z.infer<typeof WantedParts>) => {
  if (numbers) return (part: number) => numbers.includes(part);
  return (part: number) => part >= from && part <= (to ?? Infinity);
};

/** Formats ascending numbers as ranges: 3, 5, 6, 7 become "3" and "5-7". */
export function ranges(numbers: number[]): string[] {
  const starts = numbers.filter((n, i) => n - 1 !== numbers[i - 1]);
  const ends = numbers.filter((n, i) => n + 1 !== numbers[i + 1]);
  return starts.map((start, i) => (start === ends[i] ? String(start) : `${start}-${ends[i]}`));
}

/** What a client reports about a PUT that its node rejected. */
export const FailedPut = z
  .object({
    status: z
      .int("must be a whole number")
      .min(0, "must be 0 or more")
      .max(599, "must be 599 or less")
      .meta({ description: "Of the storage's answer; 0 when there was none." }),
    code: z
      .string("must be a string")
      .max(64, "must be at most 64 characters long")
      .regex(/^\w*$/, "must be one word")
      .nullish()
      .transform((value) => value ?? undefined)
      .meta({ type: ["string", "null"], description: "What its XML calls the error, in `Code`." }),
  })
  .meta({ id: "StorageFailure" });

export type FailedPut = z.infer<typeof FailedPut>;

/** Whether the node said that it has no space. */
export const saysFull = ({ status, code = "" }: FailedPut): boolean => status === 507 || meansFull(code);

/**
 * Whether the node may have no space. A disk that runs out of space during a write is an internal error to MinIO. Other
 * reasons say nothing about space: the URL may have expired, or the network failed.
 */
export const mayBeFull = (put: FailedPut): boolean => put.status === 500 || saysFull(put);

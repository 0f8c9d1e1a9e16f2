import { z } from "zod";
import { meansFull } from "../s3/errors";

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

import { z } from "zod";
import { byteSize } from "../config";
import { line, optional } from "../input";

/**
 * Scheme, host and port. A path would be lost without a word, so it is refused. Of the host only what names and
 * addresses are made of: it goes into the policy of pages, where * would be any host and ; the next rule, and into
 * commands that people copy into a shell.
 */
export const origin = z
  .string({ error: "is required" })
  .trim()
  .pipe(z.url({ protocol: /^https?$/, error: "must be an http or https URL", abort: true }))
  .transform((url, context) => {
    const { origin, hostname, href } = new URL(url);
    if (!/^([\w.-]+|\[[\da-f:.]+\])$/.test(hostname))
      context.addIssue({ code: "custom", message: "must be the name or the address of a host" });
    else if (href !== `${origin}/`) context.addIssue({ code: "custom", message: "must be scheme, host and port only" });
    return origin;
  });

const matching = (pattern: RegExp, words: string) => z.string({ error: "is required" }).trim().regex(pattern, words);

const region = matching(/^[a-z0-9-]{1,40}$/, "must be a region such as us-east-1");
const key = matching(/^[!-~]{1,200}$/, "must be letters, digits and signs, without spaces");
const capacity = matching(/\d/, "must be bytes, or a size such as 500GB")
  .pipe(byteSize)
  .refine((bytes) => bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER, "must be more than nothing and less than 9 PB");
const hours = matching(/^\d{1,4}$/, "must be a number of hours")
  .transform(Number)
  .refine((number) => number >= 1 && number <= 8_760, "must be 1 to 8760 hours");

const fields = {
  name: line({ min: 1, max: 50 }),
  endpoint: origin,
  /** What clients call, when it is not what the service calls. */
  publicEndpoint: optional(origin),
  region: optional(region),
  bucket: matching(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    "must have 3 to 63 lower-case letters, digits, dots and hyphens",
  ),
  capacity,
  /** How long the server itself keeps an upload that is not completed. */
  staleUploadHours: z.preprocess((value) => value || undefined, hours.optional()),
};

type Fields = {
  endpoint: string;
  publicEndpoint?: string | undefined;
  region?: string | undefined;
  capacity: number;
  staleUploadHours?: number | undefined;
};

/** As the register wants it. */
const whole = <T extends Fields>({ capacity, region, staleUploadHours, publicEndpoint, ...node }: T) => ({
  ...node,
  region: region ?? "us-east-1",
  staleUploadHours: staleUploadHours ?? 24, // as MinIO does by default
  publicEndpoint: publicEndpoint ?? node.endpoint,
  capacityBytes: capacity,
});

/** A node as a form or a command line names it. Text that is empty is absent. */
export const NewNode = z.object({ ...fields, accessKey: key, secretKey: key }).transform(whole);

/** The same for a node that is there: keys that are absent stay as they are. */
export const EditedNode = z.object({ ...fields, accessKey: optional(key), secretKey: optional(key) }).transform(whole);

import { z } from "zod";
import { line } from "../../platform/text/schemas";
import { optional } from "../../http/request-schemas";
import { bucketName, byteSize, nodeOrigin } from "../../platform/config-fields";

const required = { error: "is required", abort: true };
const matching = (pattern: RegExp, words: string) => z.string(required).trim().min(1, required).regex(pattern, words);

const region = matching(/^[a-z0-9-]{1,40}$/, "must be a region such as us-east-1").max(40);
const key = matching(/^[!-~]{1,200}$/, "must contain only printable ASCII characters without spaces");
const capacity = matching(/\d/, "must be a number of bytes or a size such as 500GB")
  .pipe(byteSize)
  .refine((bytes) => bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER, "must be greater than 0 and less than 9 PB");
const hours = matching(/^\d{1,4}$/, "must be a whole number of hours")
  .max(4)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 8_760, "must be between 1 and 8760 hours");

const fields = {
  name: line({ min: 1, max: 50 }),
  endpoint: nodeOrigin,
  /** The URL that clients call, if it differs from that of the service. */
  publicEndpoint: optional(nodeOrigin),
  region: optional(region),
  bucket: bucketName.max(63),
  capacity,
  /** How long the server itself keeps an incomplete upload. */
  staleUploadHours: z.preprocess((value) => value || undefined, hours.optional()),
  /** The largest PUT, if the server accepts more or less than such servers are known to. */
  maxPut: z.preprocess((value) => value || undefined, capacity.optional()),
};

type Fields = {
  endpoint: string;
  publicEndpoint?: string | undefined;
  region?: string | undefined;
  capacity: number;
  staleUploadHours?: number | undefined;
  maxPut?: number | undefined;
};

/** Converts the fields for the register. */
const whole = <T extends Fields>({ capacity, maxPut, region, staleUploadHours, publicEndpoint, ...node }: T) => ({
  ...node,
  region: region ?? "us-east-1",
  staleUploadHours: staleUploadHours ?? 24, // MinIO's default
  publicEndpoint: publicEndpoint ?? node.endpoint,
  capacityBytes: capacity,
  maxPutBytes: maxPut,
});

/** A node as entered in a form or on the command line. Empty text is absent. */
export const NodeFields = z.object({ ...fields, accessKey: key, secretKey: key });
export const NewNode = NodeFields.transform(whole);

/** The same for an existing node: absent keys stay as they are. */
export const EditedNode = z.object({ ...fields, accessKey: optional(key), secretKey: optional(key) }).transform(whole);

import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { NodeDraft } from "../../../../views/dashboard/storage/nodes/form";
import { maxPutBytesAt } from "../../../storage/nodes/kinds";
import type { NodeView } from "../../../storage/nodes/nodes";
import { typed, basisIn, mergeFields } from "../../form-input";

const fields = [
  "name",
  "endpoint",
  "publicEndpoint",
  "region",
  "bucket",
  "capacity",
  "maxPut",
  "staleUploadHours",
] as const;

/** The form as typed. */
export const draftIn = (body: unknown): NodeDraft =>
  Object.fromEntries(fields.map((field) => [field, typed(body, field)]));

/** The initial contents of a node's form. */
export const draftOf = (node: NodeView): NodeDraft => textsOf(node);

const textsOf = ({ name, endpoint, publicEndpoint, region, bucket, ...node }: NodeView) => ({
  name,
  endpoint,
  region,
  bucket,
  publicEndpoint: publicEndpoint === endpoint ? "" : publicEndpoint,
  capacity: exactly(node.capacityBytes),
  maxPut: node.maxPutBytes === maxPutBytesAt(endpoint) ? "" : exactly(node.maxPutBytes),
  staleUploadHours: String(node.staleUploadHours),
});

/** Merges what was typed into what someone else saved. A form that does not say what it was based on is taken as it is. */
export function merged(node: NodeView, body: unknown): { draft: NodeDraft; conflicts: FieldError[] } {
  const theirs = textsOf(node);
  const mine = Object.fromEntries(fields.map((field) => [field, typed(body, field)]));
  const { merged: draft, conflicts } = mergeFields({ mine, was: { ...theirs, ...basisIn(body, fields) }, theirs });
  return { draft, conflicts };
}

/** Formats a number of bytes in the largest unit in which it is whole: 500GB, 2TiB, 1234567. */
function exactly(size: number): string {
  const units = [
    ["TB", 1e12],
    ["TiB", 2 ** 40],
    ["GB", 1e9],
    ["GiB", 2 ** 30],
    ["MB", 1e6],
    ["MiB", 2 ** 20],
  ] as const;
  const fitting = units.find(([, unit]) => size > 0 && size % unit === 0);
  return fitting ? `${size / fitting[1]}${fitting[0]}` : String(size);
}

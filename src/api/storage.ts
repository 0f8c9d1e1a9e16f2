import { Elysia } from "elysia";
import { z } from "zod";
import { outside } from "../../db/access/keys/api-keys";
import type { Deps } from "./deps";
import { described } from "../platform/log";
import { ContentMd5, Filename, FolderPath, Metadata, MimeType, Size } from "../storage/uploads/file-input";
import { namedOrAbsent } from "../http/request-schemas";
import { contextOf } from "../platform/request-context";
import { keyedHash, sha256 } from "../security/secrets";
import type { Repeated } from "../storage/uploads/reserve";
import { fail, idempotencyKeyOf, idempotencyKeyParameter, ok } from "./envelope";
import { bodyExample, failure, success } from "../openapi/responses";
import { needs } from "../openapi/scopes";

const RequestUpload = z
  .object({
    filename: Filename,
    mimeType: MimeType,
    size: Size,
    folderPath: FolderPath.optional().default(""),
    metadata: namedOrAbsent(Metadata),
    contentMd5: ContentMd5.nullish().transform((value) => value ?? undefined),
    multipart: z
      .boolean("must be true or false")
      .nullish()
      .transform((value) => value ?? undefined)
      .meta({
        type: ["boolean", "null"],
        description: "Multipart upload: request a URL for each part. `uploadUrl` is then the URL of part 1.",
      }),
  })
  .refine(({ contentMd5, multipart }) => contentMd5 === undefined || !multipart, {
    path: ["contentMd5"],
    message: "applies only to a single PUT",
  })
  .meta({
    id: "UploadInput",
    anyOf: [{ properties: { contentMd5: { type: "null" } } }, { properties: { multipart: { enum: [false, null] } } }],
  });

type Wanted = z.infer<typeof RequestUpload>;

/** For the keyed area: the client asks where to upload, and then PUTs the bytes there (spec 4.7, 4.8, D34). */
export const requestUpload = ({ config, log, storage }: Deps) => {
  /** Identifies a repeated request by its key and contents, as hashes, because nothing needs to read them. */
  const repeatable = (apiKeyId: string | undefined, key: string, { multipart = false, ...file }: Wanted) => ({
    key: keyedHash(config.APP_SECRET, "idempotency/v1", JSON.stringify(["upload", apiKeyId, key])),
    fingerprint: sha256(JSON.stringify({ ...file, multipart })),
  });

  return new Elysia().post(
    "/storage/upload",
    async ({ body, request }) => {
      const { apiKeyId, id, uploadLimits } = contextOf(request);
      const faults = outside(uploadLimits, body);
      if (faults.length) return fail(400, "VALIDATION_ERROR", "The request is not valid.", faults);
      const key = idempotencyKeyOf(request);
      const wanted = { ...body, apiKeyId };
      try {
        const granted = await (key === undefined
          ? storage.reserve(wanted)
          : storage.reserveOnce(wanted, repeatable(apiKeyId, key, body)));
        return uploadResponse(granted);
      } catch (error) {
        log.error("upload failed", { id, ...described(error) });
        return fail(500, "UPLOAD_FAILED", "Upload failed");
      }
    },
    { parse: "json", body: RequestUpload, detail },
  );
};

function uploadResponse(granted: Repeated): Response {
  if (granted === "conflict")
    return fail(409, "CONFLICT", "This Idempotency-Key has already been used for a different upload.");
  if (granted === "full") return fail(507, "INSUFFICIENT_STORAGE", "Insufficient storage");
  if (granted === "parts-only") return fail(507, "INSUFFICIENT_STORAGE", "Insufficient storage", inParts);
  if (granted === "parts-or-md5") return fail(507, "INSUFFICIENT_STORAGE", "Insufficient storage", inPartsOrVerified);
  if (!("complete" in granted)) return ok(granted, 200, { "cache-control": "no-store" }); // the URL grants access
  const details = [{ field: "reservationId", message: granted.complete }];
  return fail(409, "CONFLICT", "The upload with this Idempotency-Key is complete.", details);
}

const inParts = [{ field: "multipart", message: "must be true: no storage node takes so much in one PUT" }];
const inPartsOrVerified = [
  {
    field: "contentMd5",
    message: "is required, or multipart must be true: the storage nodes with space keep interrupted uploads",
  },
];

const detail = {
  operationId: "createUpload",
  security: needs("files:write"),
  summary: "Request an upload URL",
  description:
    "Send exactly `size` bytes to `uploadUrl` with PUT. Storage responds with 200, and the file is registered without a further call. Large files can be sent in parts and resumed, using `_meta.reservationId`. A key can be limited in size, types and folder; a file outside is a 400 that names the field. A repeated request with the same Idempotency-Key returns the same reservation with a fresh URL.",
  parameters: [idempotencyKeyParameter("Valid for 24 hours, for the same API key and request body")],
  requestBody: bodyExample({
    filename: "harbour.jpg",
    mimeType: "image/jpeg",
    size: 482_113,
    folderPath: "photos/2026",
  }),
  responses: {
    200: success("UploadReservation", "Space is reserved; the URL is valid for one hour."),
    409: failure(
      "This Idempotency-Key has already been used for a different upload, or its upload is complete; then `details` has the `reservationId`.",
    ),
    500: failure("Upload failed: storage error. No space is reserved."),
    507: failure(
      "Insufficient storage: no storage node has enough space, or none accepts this file in a single PUT; then `details` says to request `multipart`, or to announce `contentMd5`.",
    ),
  },
};

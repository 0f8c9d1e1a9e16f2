import { Elysia } from "elysia";
import type { z } from "zod";
import * as uploads from "../../db/storage/uploads";
import type { Deps } from "./deps";
import { parseOptional } from "../http/request-body";
import { FailedPut, maxWantedParts, ranges, wantedFilter, WantedParts } from "../storage/uploads/file-input";
import { contextOf } from "../platform/request-context";
import { fail, ok } from "./envelope";
import { bodyExample, failure, success } from "../openapi/responses";
import { needs } from "../openapi/scopes";

const noStore = { "cache-control": "no-store" }; // URLs grant access
const notFound = () => fail(404, "NOT_FOUND", "Upload not found.");
const notOpen = () => fail(409, "CONFLICT", "The upload is not open.");
const storageFailed = () => fail(502, "UPLOAD_FAILED", "The storage node returned an error. Try again later.");

/** The parts that have arrived are not known. With an older list, the client would send some of them again. */
function unknown() {
  const message = "The storage node is not responding, so the parts that have arrived are unknown. Try again later.";
  const response = fail(503, "UPLOAD_FAILED", message);
  response.headers.set("retry-after", "10"); // seconds
  return response;
}

/**
 * For the keyed area: resuming an upload, in parts if there are several, and ending it. An upload belongs to its key.
 */
export const resumeUpload = (deps: Deps) =>
  new Elysia({ prefix: "/storage/uploads" })
    .get("/:id", ({ request, params: { id } }) => showStatus(deps, request, id), { detail: docs.status })
    .post("/:id/parts", ({ request, params: { id }, body }) => signParts(deps, request, id, body), {
      parse: parseOptional, // without a body, all parts are meant
      body: WantedParts,
      detail: docs.parts,
    })
    .post("/:id/url", ({ request, params: { id } }) => renewUrl(deps, request, id), { detail: docs.url })
    .post("/:id/complete", ({ request, params: { id } }) => complete(deps, request, id), { detail: docs.complete })
    .post("/:id/failed", ({ request, params: { id }, body }) => reportFailure(deps, request, id, body), {
      parse: "json",
      body: FailedPut,
      detail: docs.failed,
    })
    .delete("/:id", ({ request, params: { id } }) => abort(deps, request, id), { detail: docs.abort });

/** Returns undefined if the upload does not exist or belongs to another key, so that the two cannot be told apart. */
const ownId = async ({ db }: Deps, request: Request, id: string) =>
  (await uploads.find(db, id))?.apiKeyId === contextOf(request).apiKeyId ? id : undefined;

async function showStatus(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  return id ? statusResponse(deps, id, !contextOf(request).isHead) : notFound();
}

async function signParts(deps: Deps, request: Request, uploadId: string, body: z.infer<typeof WantedParts>) {
  const id = await ownId(deps, request, uploadId);
  const signed = id && (await deps.storage.partUrls(id, wantedFilter(body), maxWantedParts));
  if (!signed) return notFound();
  if (signed.outcome === "unavailable") return storageFailed();
  if (signed.outcome === "closed") return notOpen();
  const { outcome: _, ...urls } = signed;
  return ok(urls, 200, noStore);
}

async function renewUrl(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  const signed = id && (await deps.storage.renewUrl(id));
  if (!signed) return notFound();
  if (signed.outcome === "unavailable") return storageFailed();
  if (signed.outcome === "closed") return notOpen();
  if (signed.outcome === "multipart")
    return fail(409, "CONFLICT", "This is a multipart upload. Request URLs for its parts instead.");
  return ok(signed.grant, 200, noStore);
}

async function complete(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  const completed = id && (await deps.storage.complete(id));
  if (!completed) return notFound();
  if (completed.outcome === "unavailable") return storageFailed();
  if (completed.outcome === "closed") return notOpen();
  if (completed.outcome !== "missing") return statusResponse(deps, id, false);
  return fail(409, "CONFLICT", "Parts are missing.", ranges(completed.missing).map(asDetail));
}

const asDetail = (range: string) => ({ field: "parts", message: range });

async function reportFailure(deps: Deps, request: Request, uploadId: string, put: FailedPut) {
  const id = await ownId(deps, request, uploadId);
  return abortedResponse(deps, uploadId, id && (await deps.storage.fail(id, put)));
}

async function abort(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  return abortedResponse(deps, uploadId, id && (await deps.storage.abort(id)));
}

type Aborted = { outcome: uploads.Upload["state"] } | "" | undefined;

/** The response for an upload that was aborted, unless it is complete. */
async function abortedResponse(deps: Deps, id: string, upload: Aborted) {
  if (!upload) return notFound();
  const isKept = upload.outcome === "completed" || upload.outcome === "completing";
  return isKept ? fail(409, "CONFLICT", "The upload is complete.") : statusResponse(deps, id, false);
}

async function statusResponse({ storage }: Deps, id: string, mayAskStorage: boolean) {
  const status = await storage.status(id, mayAskStorage);
  if (!status) return notFound();
  if (status === "unknown") return unknown();
  const { id: _, outcome: __, ...publicStatus } = status;
  return ok(publicStatus, 200, noStore);
}

const errors = {
  404: failure("Upload not found, or it belongs to another key."),
  409: failure("The upload is not open: it was completed or aborted."),
  502: failure("Storage error. Nothing was changed; try again later."),
};

const statusExample = {
  state: "aborted",
  size: 200_000_000,
  received: 0,
  mode: "multipart",
  partSize: 67_108_864,
  partCount: 3,
  parts: [],
  missing: [1, 2, 3],
  urlExpiresAt: "2026-11-21T09:00:00.000Z",
  holdUntil: "2026-11-21T09:15:00.000Z",
};
const aborted = success(
  "UploadStatus",
  'The state is "aborted", or "aborting" until storage has released it.',
  statusExample,
);

/** What the OpenAPI document says about these routes. */
const docs = {
  status: {
    operationId: "getUpload",
    security: needs("files:write"),
    summary: "Get upload status",
    description:
      "By its `reservationId`, only for the key that requested it. Storage is queried at most once a second.",
    responses: {
      200: success("UploadStatus", "Current status."),
      404: errors[404],
      503: failure(
        "The upload is open and storage is not responding (`UPLOAD_FAILED`): which parts have arrived is unknown, so send nothing again yet. Or the service is busy (`OVERLOADED`).",
      ),
    },
  },
  parts: {
    operationId: "createPartUrls",
    security: needs("files:write"),
    summary: "Get URLs for parts of an upload",
    description:
      "Returns URLs for the missing parts in `from`…`to` or `numbers`, at most 100. Without either, or without a request body, all missing parts count; if `to` is before `from`, none do. For a single-PUT upload, the first call converts it to multipart and invalidates its `uploadUrl`.",
    requestBody: { ...bodyExample({ from: 1, to: 100 }), required: false },
    responses: { 200: success("PartUrls", "A URL for each missing part."), ...errors },
  },
  url: {
    operationId: "renewUploadUrl",
    security: needs("files:write"),
    summary: "Get a fresh upload URL",
    description: "For a single-PUT upload whose URL has expired.",
    responses: {
      200: success("UploadReservation", "The reservation. Its URL is valid for one hour."),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure("The upload is not open, or is a multipart upload."),
    },
  },
  complete: {
    operationId: "completeUpload",
    security: needs("files:write"),
    summary: "Complete an upload now",
    description: "Optional: the service detects completed uploads automatically. Use it to avoid waiting. Idempotent.",
    responses: {
      200: success(
        "UploadStatus",
        'All data has been received. The state is "completed", or "completing" while storage is still working.',
        { ...statusExample, state: "completed", received: statusExample.size, parts: [1, 2, 3], missing: [] },
      ),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure('Parts are missing (listed in `details`, such as "3" or "5-9"), or the upload was aborted.'),
    },
  },
  failed: {
    operationId: "reportUploadFailure",
    security: needs("files:write"),
    summary: "Report a rejected upload",
    description:
      "Use it when a PUT to the upload URL returns 507 or a `Code` about a quota. The upload is aborted, and your next reservation goes to a different storage node. The service checks automatically whether the node is full for everyone. For other errors this is the same as aborting the upload.",
    requestBody: bodyExample({ status: 507, code: "XMinioStorageFull" }),
    responses: {
      200: aborted,
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
  abort: {
    operationId: "abortUpload",
    security: needs("files:write"),
    summary: "Abort an upload",
    description: "Invalidates its URLs and frees its space. Idempotent.",
    responses: {
      200: aborted,
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
};

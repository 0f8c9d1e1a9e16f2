import { Elysia } from "elysia";
import type { z } from "zod";
import * as uploads from "../../db/storage/uploads";
import type { Deps } from "../boot/deps";
import { bodyExample, failure, success } from "../openapi/responses";
import { FailedPut, isForWantOfRoom } from "../storage/uploads/failed-put";
import { maxWantedParts, ranges, wantedFilter, WantedParts } from "../storage/uploads/wanted-parts";
import { contextOf } from "../http/request-context";
import { fail, ok } from "./envelope";

const noStore = { "cache-control": "no-store" }; // URLs are permissions
const notFound = () => fail(404, "NOT_FOUND", "There is no such upload.");
const notOpen = () => fail(409, "CONFLICT", "The upload is not open.");
const storageFailed = () => fail(502, "UPLOAD_FAILED", "The storage is in trouble. Try again later.");

/** No body asks for all parts (P31). */
const parseParts = async ({ request }: { request: Request }) => JSON.parse((await request.text()) || "{}") as unknown;

/** For the keyed area: resuming an upload, in parts when there are several, and ending it. It belongs to its key. */
export const resumeUpload = (deps: Deps) =>
  new Elysia({ prefix: "/storage/uploads" })
    .get("/:id", ({ request, params: { id } }) => showStatus(deps, request, id), { detail: docs.status })
    .post("/:id/parts", ({ request, params: { id }, body }) => signParts(deps, request, id, body), {
      parse: parseParts,
      body: WantedParts,
      detail: docs.parts,
    })
    .post("/:id/url", ({ request, params: { id } }) => freshUrl(deps, request, id), { detail: docs.url })
    .post("/:id/complete", ({ request, params: { id } }) => complete(deps, request, id), { detail: docs.complete })
    .post("/:id/failed", ({ request, params: { id }, body }) => reportFailure(deps, request, id, body), {
      parse: "json",
      body: FailedPut,
      detail: docs.failed,
    })
    .delete("/:id", ({ request, params: { id } }) => abort(deps, request, id), { detail: docs.abort });

/** Undefined when there is none, or it is another's: nobody learns which. */
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
  if (signed.outcome === "trouble") return storageFailed();
  if (signed.outcome === "closed") return notOpen();
  const { outcome: _, ...urls } = signed;
  return ok(urls, 200, noStore);
}

async function freshUrl(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  const signed = id && (await deps.storage.freshUrl(id));
  if (!signed) return notFound();
  if (signed.outcome === "trouble") return storageFailed();
  if (signed.outcome === "closed") return notOpen();
  if (signed.outcome === "multipart") return fail(409, "CONFLICT", "The upload comes in parts: ask for their URLs.");
  return ok({ uploadUrl: signed.uploadUrl, expiresIn: signed.expiresIn, method: "PUT" }, 200, noStore);
}

async function complete(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  const completed = id && (await deps.storage.complete(id));
  if (!completed) return notFound();
  if (completed.outcome === "trouble") return storageFailed();
  if (completed.outcome === "closed") return notOpen();
  if (completed.outcome !== "missing") return statusResponse(deps, id, false);
  return fail(409, "CONFLICT", "Parts are missing.", ranges(completed.missing).map(asDetail));
}

const asDetail = (range: string) => ({ field: "parts", message: range });

async function reportFailure(deps: Deps, request: Request, uploadId: string, put: z.infer<typeof FailedPut>) {
  const id = await ownId(deps, request, uploadId);
  return abortedResponse(deps, uploadId, id && (await deps.storage.fail(id, isForWantOfRoom(put))));
}

async function abort(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  return abortedResponse(deps, uploadId, id && (await deps.storage.abort(id)));
}

type Aborted = { outcome: uploads.Upload["state"] } | "" | undefined;

/** For an upload that was given up, unless it is complete. */
async function abortedResponse(deps: Deps, id: string, upload: Aborted) {
  if (!upload) return notFound();
  const isKept = upload.outcome === "completed" || upload.outcome === "completing";
  return isKept ? fail(409, "CONFLICT", "The upload is complete.") : statusResponse(deps, id, false);
}

async function statusResponse({ storage }: Deps, id: string, mayAskStorage: boolean) {
  const status = await storage.status(id, mayAskStorage);
  if (!status) return notFound();
  const { id: _, outcome: __, ...shown } = status;
  return ok(shown, 200, noStore);
}

const errors = {
  404: failure("There is no such upload, or it belongs to another key."),
  409: failure("The upload is not open: it is complete, or was given up."),
  502: failure("The storage is in trouble. Nothing has changed; try again later."),
};

const docs = {
  status: {
    summary: "See how far an upload is",
    description: "By its `reservationId`, for the key that requested it. Asks the storage, at most once a second.",
    responses: { 200: success("UploadStatus", "Where the upload is now."), 404: errors[404] },
  },
  parts: {
    summary: "Get URLs for parts of an upload",
    description:
      "For those of the parts `from`…`to`, or `numbers`, that are missing: the first 100 of them. All parts are meant when neither is given, or no body at all; none when `to` is before `from`. The first call for an upload that was to come in one PUT ends the validity of its `uploadUrl`.",
    requestBody: { ...bodyExample({ from: 1, to: 100 }), required: false },
    responses: { 200: success("PartUrls", "A URL for each part that is missing."), ...errors },
  },
  url: {
    summary: "Get a fresh upload URL",
    description: "For the one PUT of an upload that is not in parts, when its URL has expired.",
    responses: {
      200: success("FreshUrl", "The URL is good for an hour."),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure("The upload is not open, or comes in parts."),
    },
  },
  complete: {
    summary: "Complete an upload now",
    description:
      "Not necessary: the service notices by itself. This is for clients that do not want to wait for that; asking again does no harm.",
    responses: {
      200: success(
        "UploadStatus",
        'Everything is there. The state is "completed", or "completing" while the storage needs more time.',
      ),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure('Parts are missing: `details` names them, as in "3" or "5-9". Or the upload was given up.'),
    },
  },
  failed: {
    summary: "Tell that the storage did not take the bytes",
    description:
      "When a PUT to its URL is answered 507, or with a `Code` that speaks of a quota: the upload is given up, and your next reservation goes to another storage node. The service finds out by itself whether the node is full for everybody. For other errors this is the same as giving the upload up.",
    requestBody: bodyExample({ status: 507, code: "XMinioStorageFull" }),
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until the storage has let go of it.'),
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
  abort: {
    summary: "Give an upload up",
    description: "Its URLs die and its bytes are free again. Doing it again does no harm.",
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until the storage has let go of it.'),
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
};

import { Elysia } from "elysia";
import type { z } from "zod";
import * as uploads from "../../db/storage/uploads";
import type { Deps } from "./deps";
import { FailedPut, maxWantedParts, ranges, wantedFilter, WantedParts } from "../storage/uploads/upload-input";
import { contextOf } from "../platform/request-context";
import { fail, ok } from "./envelope";
import { docs } from "./docs/uploads";

const noStore = { "cache-control": "no-store" }; // URLs grant access
const notFound = () => fail(404, "NOT_FOUND", "Upload not found.");
const notOpen = () => fail(409, "CONFLICT", "The upload is not open.");
const storageFailed = () => fail(502, "UPLOAD_FAILED", "The storage node returned an error. Try again later.");

/** Which parts have arrived is not known: an older list would have the client send again what is there. */
function unknown() {
  const message = "The storage node is not responding, so the parts that have arrived are unknown. Try again later.";
  const response = fail(503, "UPLOAD_FAILED", message);
  response.headers.set("retry-after", "10"); // seconds
  return response;
}

/** Without a body, all parts are meant. */
const parseParts = async ({ request }: { request: Request }) => JSON.parse((await request.text()) || "{}") as unknown;

/**
 * For the keyed area: resuming an upload, in parts if there are several, and ending it. An upload belongs to its key.
 */
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

async function freshUrl(deps: Deps, request: Request, uploadId: string) {
  const id = await ownId(deps, request, uploadId);
  const signed = id && (await deps.storage.freshUrl(id));
  if (!signed) return notFound();
  if (signed.outcome === "unavailable") return storageFailed();
  if (signed.outcome === "closed") return notOpen();
  if (signed.outcome === "multipart")
    return fail(409, "CONFLICT", "This is a multipart upload. Request URLs for its parts instead.");
  const { outcome: _, ...url } = signed;
  return ok({ ...url, method: "PUT" }, 200, noStore);
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
  const { id: _, outcome: __, ...shown } = status;
  return ok(shown, 200, noStore);
}

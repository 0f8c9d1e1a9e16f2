import { Elysia } from "elysia";
import { z } from "zod";
import * as uploads from "../../db/storage/uploads";
import type { Deps } from "../boot/deps";
import { bodyExample, failure, success } from "../openapi/responses";
import { FailedPut, isForWantOfRoom } from "../storage/uploads/failed-put";
import type { Status } from "../storage/uploads/status";
import { contextOf } from "../http/request-context";
import { list } from "../http/request-schemas";
import { fail, ok } from "./envelope";

const most = 100; // URLs in one answer
const number = z.int("must be a whole number").min(1, "must be 1 or more").max(10_000, "must be 10000 or less");

/** Absent, or null (D8). */
const optional = <T>(schema: z.ZodType<T>, type: "integer" | "array") =>
  z
    .preprocess((value) => value ?? undefined, schema.optional())
    .optional()
    .meta({ type: [type, "null"] });

const absent = (name: string) => ({ properties: { [name]: { type: "null" as const } } });

const WantedParts = z
  .object({
    from: optional(number, "integer"),
    to: optional(number, "integer"),
    numbers: optional(list(number, most, "must be a list of numbers"), "array"),
  })
  .refine(({ from, to, numbers }) => !numbers || (from === undefined && to === undefined), {
    path: ["numbers"],
    message: "must not come together with from or to",
  })
  .meta({ anyOf: [absent("numbers"), { allOf: [absent("from"), absent("to")] }] });

const noStore = { "cache-control": "no-store" }; // URLs are permissions
const notThere = () => fail(404, "NOT_FOUND", "There is no such upload.");
const isClosed = () => fail(409, "CONFLICT", "The upload is not open.");
const inTrouble = () => fail(502, "UPLOAD_FAILED", "The storage is in trouble. Try again later.");

const told = ({ id: _, outcome: __, ...status }: Status) => ok(status, 200, noStore);

/** For the keyed area: resuming an upload, in parts when there are several, and ending it. It belongs to its key. */
export const resumeUpload = ({ db, storage }: Deps) => {
  /** Undefined when there is none, or it is another's: nobody learns which. */
  const ownId = async (request: Request, id: string) =>
    (await uploads.find(db, id))?.apiKeyId === contextOf(request).apiKeyId ? id : undefined;
  const status = async (id: string, mayLook: boolean) => {
    const found = await storage.status(id, mayLook);
    return found ? told(found) : notThere();
  };

  /** An upload that was given up, unless it is complete. */
  const ended = async (now: { outcome: uploads.Upload["state"] } | "" | undefined, id: string) => {
    if (!now) return notThere();
    const isKept = now.outcome === "completed" || now.outcome === "completing";
    return isKept ? fail(409, "CONFLICT", "The upload is complete.") : status(id, false);
  };

  return new Elysia({ prefix: "/storage/uploads" })
    .get(
      "/:id",
      async ({ params, request }) => {
        const id = await ownId(request, params.id);
        return id ? status(id, !contextOf(request).isHead) : notThere();
      },
      { detail: docs.status },
    )
    .post(
      "/:id/parts",
      async ({ params, body, request }) => {
        const id = await ownId(request, params.id);
        const signed = id && (await storage.partUrls(id, wanted(body), most));
        if (!signed) return notThere();
        if (signed.outcome === "trouble") return inTrouble();
        if (signed.outcome === "closed") return isClosed();
        const { outcome: _, ...urls } = signed;
        return ok(urls, 200, noStore);
      },
      {
        parse: async ({ request }) => JSON.parse((await request.text()) || "{}") as unknown, // no body asks for all (P31)
        body: WantedParts,
        detail: docs.parts,
      },
    )
    .post(
      "/:id/url",
      async ({ params, request }) => {
        const id = await ownId(request, params.id);
        const signed = id && (await storage.freshUrl(id));
        if (!signed) return notThere();
        if (signed.outcome === "trouble") return inTrouble();
        if (signed.outcome === "closed") return isClosed();
        if (signed.outcome === "multipart")
          return fail(409, "CONFLICT", "The upload comes in parts: ask for their URLs.");
        return ok({ uploadUrl: signed.uploadUrl, expiresIn: signed.expiresIn, method: "PUT" }, 200, noStore);
      },
      { detail: docs.url },
    )
    .post(
      "/:id/complete",
      async ({ params, request }) => {
        const id = await ownId(request, params.id);
        const ended = id && (await storage.complete(id));
        if (!ended) return notThere();
        if (ended.outcome === "trouble") return inTrouble();
        if (ended.outcome === "closed") return isClosed();
        if (ended.outcome !== "missing") return status(params.id, false);
        return fail(409, "CONFLICT", "Parts are missing.", ranges(ended.missing).map(asDetail));
      },
      { detail: docs.complete },
    )
    .post(
      "/:id/failed",
      async ({ params, body, request }) => {
        const id = await ownId(request, params.id);
        return ended(id && (await storage.fail(id, isForWantOfRoom(body))), params.id);
      },
      { parse: "json", body: FailedPut, detail: docs.failed },
    )
    .delete(
      "/:id",
      async ({ params, request }) => {
        const id = await ownId(request, params.id);
        return ended(id && (await storage.abort(id)), params.id);
      },
      { detail: docs.abort },
    );
};

const answers = {
  404: failure("There is no such upload, or it belongs to another key."),
  409: failure("The upload is not open: it is complete, or was given up."),
  502: failure("The storage is in trouble. Nothing has changed; try again later."),
};

const docs = {
  status: {
    summary: "See how far an upload is",
    description: "By its `reservationId`, for the key that requested it. Asks the storage, at most once a second.",
    responses: { 200: success("UploadStatus", "Where the upload is now."), 404: answers[404] },
  },
  parts: {
    summary: "Get URLs for parts of an upload",
    description:
      "For those of the parts `from`…`to`, or `numbers`, that are missing: the first 100 of them. All parts are meant when neither is given, or no body at all; none when `to` is before `from`. The first call for an upload that was to come in one PUT ends the validity of its `uploadUrl`.",
    requestBody: { ...bodyExample({ from: 1, to: 100 }), required: false },
    responses: { 200: success("PartUrls", "A URL for each part that is missing."), ...answers },
  },
  url: {
    summary: "Get a fresh upload URL",
    description: "For the one PUT of an upload that is not in parts, when its URL has expired.",
    responses: {
      200: success("FreshUrl", "The URL is good for an hour."),
      400: { $ref: "#/components/responses/NotValid" },
      ...answers,
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
      ...answers,
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
      404: answers[404],
      409: failure("The upload is complete."),
    },
  },
  abort: {
    summary: "Give an upload up",
    description: "Its URLs die and its bytes are free again. Doing it again does no harm.",
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until the storage has let go of it.'),
      404: answers[404],
      409: failure("The upload is complete."),
    },
  },
};

const wanted = ({ from = 1, to, numbers }: z.infer<typeof WantedParts>) => {
  if (numbers) return (part: number) => numbers.includes(part);
  return (part: number) => part >= from && part <= (to ?? Infinity);
};

/** 3, 5, 6, 7 are "3" and "5-7". */
function ranges(numbers: number[]): string[] {
  const starts = numbers.filter((n, i) => n - 1 !== numbers[i - 1]);
  const ends = numbers.filter((n, i) => n + 1 !== numbers[i + 1]);
  return starts.map((start, i) => (start === ends[i] ? String(start) : `${start}-${ends[i]}`));
}

const asDetail = (range: string) => ({ field: "parts", message: range });

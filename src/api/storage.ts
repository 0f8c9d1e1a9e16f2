import { Elysia } from "elysia";
import { z } from "zod";
import * as uploads from "../../db/uploads";
import type { Deps } from "../deps";
import { line } from "../input";
import { described } from "../log";
import { bodyExample, failure, success } from "../openapi/answers";
import { UploadReservation } from "../openapi/schemas";
import { visitOf } from "../visit";
import { fail, ok } from "./envelope";

const most = 5 * 2 ** 40; // 5 TiB
const bytes = (text: string) => Buffer.byteLength(text);
/** Marks that turn text around: a name would look like another one. */
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const text = z
  .string({ error: ({ input }) => (input === undefined ? "is required" : "must be text") })
  .refine((value) => value.isWellFormed(), "must be valid Unicode")
  .refine((value) => !bidi.test(value), "must not contain marks that change the direction of text");

const Filename = text
  .pipe(line({ min: 1, max: 255 }))
  .refine((name) => bytes(name) <= 255, "must have at most 255 bytes")
  .refine((name) => !/[/\\]/.test(name), "must not contain / or \\")
  .refine((name) => name !== "." && name !== "..", "must be a name");

const MimeType = text
  .pipe(line({ min: 3, max: 255 }))
  .pipe(z.string().refine(isMimeType, "must be a MIME type such as image/png"))
  .meta({ examples: ["image/png"] });

const Size = z
  .number({ error: ({ input }) => (input === undefined ? "is required" : "must be a number") })
  .refine((size) => Number.isInteger(size) && size >= 0 && size <= most, `must be an integer from 0 to ${most}`)
  .meta({ type: "integer", minimum: 0, maximum: most });

/** A path of folders, normalised: "a/b", or "" for the root. */
const FolderPath = z.preprocess(
  (value) => value ?? "",
  text
    .pipe(line({ max: 1024 }))
    .transform((path) =>
      path
        .split("/")
        .map((name) => name.trim())
        .filter((name) => name && name !== "."),
    )
    .refine((names) => names.length <= 32, "must have at most 32 folders")
    .refine((names) => names.every((name) => bytes(name) <= 255), "must have folder names of at most 255 bytes")
    .refine((names) => !names.some((name) => name === ".." || name.includes("\\")), "must not contain .. or \\")
    .transform((names) => names.join("/"))
    .refine((path) => bytes(path) <= 1024, "must have at most 1024 bytes"),
);

const RequestUpload = z.object({
  filename: Filename,
  mimeType: MimeType,
  size: Size,
  folderPath: FolderPath.optional().default(""),
});

const Progress = z.object({
  state: z.enum(["pending", "open", "completing", "completed", "aborting", "aborted"]),
  size: z.int().meta({ examples: [200_000_000] }),
  received: z.int().nullable().meta({ description: "Bytes of finished PUTs, as far as the storage says." }),
});

/** For the keyed area: the client asks where to, and then PUTs the bytes there (spec 4.7, 4.8, D34). */
export const requestUpload = ({ db, log, storage }: Deps) =>
  new Elysia()
    .post(
      "/storage/upload",
      async ({ body, request }) => {
        const { apiKeyId, id } = visitOf(request);
        try {
          const grant = await storage.reserve({ ...body, apiKeyId });
          if (grant === "full") return fail(507, "INSUFFICIENT_STORAGE", "Insufficient storage");
          return ok(grant, 200, { "cache-control": "no-store" }); // the URL is a permission
        } catch (error) {
          log.error("upload failed", { id, ...described(error) });
          return fail(500, "UPLOAD_FAILED", "Upload failed");
        }
      },
      {
        parse: "json",
        body: RequestUpload,
        detail: {
          summary: "Request an upload URL",
          description:
            "Then send the bytes to `uploadUrl` with PUT and exactly the announced length. The storage answers 200, and the file is taken over without a further call.",
          requestBody: bodyExample({
            filename: "harbour.jpg",
            mimeType: "image/jpeg",
            size: 482_113,
            folderPath: "photos/2026",
          }),
          responses: {
            200: success(UploadReservation, "Room is reserved; the URL is good for an hour."),
            500: failure("Upload failed: the storage is in trouble. Nothing is reserved."),
            507: failure("Insufficient storage: no storage node has enough space."),
          },
        },
      },
    )
    .get(
      "/storage/uploads/:id",
      async ({ params, request }) => {
        const upload = await uploads.find(db, params.id);
        const progress = upload?.apiKeyId === visitOf(request).apiKeyId && (await storage.progress(params.id));
        if (!upload || !progress) return fail(404, "NOT_FOUND", "There is no such upload.");
        const { state, received = null } = progress;
        return ok({ state, size: upload.size, received }, 200, { "cache-control": "no-store" });
      },
      {
        detail: {
          summary: "See how far an upload is",
          description: "By its `reservationId`, for the key that requested it.",
          responses: {
            200: success(Progress, "Where the upload is now.", {
              state: "completed",
              size: 482_113,
              received: 482_113,
            }),
            404: failure("There is no such upload."),
          },
        },
      },
    );

/** RFC 6838 section 4.2, with parameters. It becomes a header of the provider's answers. */
function isMimeType(type: string): boolean {
  const name = "[a-z0-9][a-z0-9!#$&^_.+-]{0,126}";
  const value = '(?:[a-z0-9!#$%&\'*+.^_`|~-]+|"[ -!#-\\[\\]-~]*")';
  return new RegExp(`^${name}/${name}(?:\\s*;\\s*${name}=${value})*$`, "i").test(type);
}

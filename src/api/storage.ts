import { Elysia } from "elysia";
import { z } from "zod";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { bodyExample, failure, success } from "../openapi/responses";
import { Filename, FolderPath, MimeType, Size } from "../storage/uploads/file-input";
import { visitOf } from "../http/request-context";
import { fail, ok } from "./envelope";

const RequestUpload = z.object({
  filename: Filename,
  mimeType: MimeType,
  size: Size,
  folderPath: FolderPath.optional().default(""),
  multipart: z
    .boolean("must be true or false")
    .nullish()
    .transform((value) => value ?? undefined)
    .meta({
      type: "boolean",
      description: "It will be sent in parts: ask for their URLs. `uploadUrl` is then for part 1.",
    }),
});

/** For the keyed area: the client asks where to, and then PUTs the bytes there (spec 4.7, 4.8, D34). */
export const requestUpload = ({ log, storage }: Deps) =>
  new Elysia().post(
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
          "Then send the bytes to `uploadUrl` with PUT and exactly the announced length. The storage answers 200, and the file is taken over without a further call. A large file may come in parts and be resumed: `_meta.reservationId` is the id for that.",
        requestBody: bodyExample({
          filename: "harbour.jpg",
          mimeType: "image/jpeg",
          size: 482_113,
          folderPath: "photos/2026",
        }),
        responses: {
          200: success("UploadReservation", "Room is reserved; the URL is good for an hour."),
          500: failure("Upload failed: the storage is in trouble. Nothing is reserved."),
          507: failure("Insufficient storage: no storage node has enough space."),
        },
      },
    },
  );

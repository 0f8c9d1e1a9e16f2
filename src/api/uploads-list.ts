import { Elysia } from "elysia";
import { z } from "zod";
import { openOf } from "../../db/storage/uploads-list";
import type { Deps } from "./deps";
import { contextOf } from "../platform/request-context";
import { pageSize } from "../http/request-schemas";
import { success } from "../openapi/responses";
import { needs } from "../openapi/scopes";
import { planOf } from "../storage/uploads/plan";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { ok } from "./envelope";

const ListUploads = z.object({
  limit: pageSize(50),
  cursor: cursor(z.tuple([z.string().max(100)]), 500),
});

type Row = Awaited<ReturnType<typeof openOf>>["rows"][number];

/** As last seen at the storage, which is not queried again. */
const uploadJson = ({ upload, folder: folderPath }: Row) => {
  const { id: reservationId, filename, mimeType, state, size, received, urlExpiresAt, holdUntil, createdAt } = upload;
  const about = { reservationId, filename, mimeType, folderPath, state, size, received };
  return { ...about, ...planOf(upload), urlExpiresAt, holdUntil, createdAt };
};

/** For the keyed area: a key's uploads in progress, for clients that lost a response. */
export const openUploads = ({ config, db }: Deps) =>
  new Elysia().get(
    "/storage/uploads",
    async ({ query: { limit, cursor: position }, request }) => {
      const { apiKeyId = "" } = contextOf(request);
      const { rows, total, next } = await openOf(db, apiKeyId, { limit, after: position?.[0] });
      const nextPage = next === undefined ? undefined : { limit, cursor: cursorAfter([next]) };
      return ok({ count: rows.length, uploads: rows.map(uploadJson) }, 200, {
        "cache-control": "no-store",
        ...hintFor(request, ListUploads.shape),
        ...pageHeaders(`${config.BASE_URL}/api/v1/storage/uploads`, total, nextPage),
      });
    },
    {
      query: ListUploads,
      detail: {
        operationId: "listUploads",
        security: needs("files:write"),
        summary: "List open uploads",
        description:
          "Uploads of this key that are neither completed nor aborted, newest first, with their status as of the last check with storage. Use the `reservationId` to resume or abort one.",
        responses: { 200: success("OpenUploads", "Open uploads.") },
      },
    },
  );

import { Elysia } from "elysia";
import { z } from "zod";
import * as archive from "../../db/broadcasts/archive";
import { translator } from "../../views/languages/translator";
import type { Deps } from "./deps";
import { archiveUrl, excerptOf, publicLine, publicText } from "../broadcasts/letter/text";
import { pageSize } from "../http/request-schemas";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { fail } from "./envelope";
import type { PreparedResponses } from "./prepared-responses";
import { notModified, success } from "../openapi/responses";
import { needs } from "../openapi/scopes";

const ListBroadcasts = z.object({
  limit: pageSize(20),
  cursor: cursor(z.tuple([z.int().min(0).max(8.64e15), z.string().max(100)]), 500),
});

type Needs = Pick<Deps, "config" | "db">;
type Listed = Awaited<ReturnType<typeof archive.listArchived>>["broadcasts"][number];

const t = translator("en"); // the API is in English, whatever the site's language is

const itemOf = ({ config }: Needs, { id, slug, sentAt, ...text }: Listed) => ({
  id,
  slug,
  subject: publicLine(text.subject, t),
  excerpt: excerptOf(text, t),
  sentAt,
  url: archiveUrl(config.BASE_URL, slug),
});

/** The archive of the newsletter, for sites that show it themselves. Listed broadcasts only. */
export const readBroadcasts = (deps: Needs, { respond }: PreparedResponses) => {
  const { config, db } = deps;
  const url = `${config.BASE_URL}/api/v1/newsletter/broadcasts`;

  return new Elysia({ prefix: "/newsletter/broadcasts" })
    .get(
      "/",
      ({ query: { limit, cursor: position }, request }) =>
        respond("broadcasts", request, async () => {
          const after = position && { sentAt: new Date(position[0]), id: position[1] };
          const { broadcasts, total, next } = await archive.listArchived(db, { limit, after });
          const following = next && { limit, cursor: cursorAfter([next.sentAt.getTime(), next.id]) };
          const items = broadcasts.map((broadcast) => itemOf(deps, broadcast));
          return {
            data: { count: items.length, broadcasts: items },
            headers: { ...hintFor(request, ListBroadcasts.shape), ...pageHeaders(url, total, following) },
          };
        }),
      { query: ListBroadcasts, detail: docs.list },
    )
    .get("/:slug", async ({ params: { slug }, request }) => (await one(deps, slug, request, respond)) ?? notFound(), {
      detail: docs.one,
    });
};

const notFound = () => fail(404, "NOT_FOUND", "Broadcast not found.");

async function one(deps: Needs, slug: string, request: Request, respond: PreparedResponses["respond"]) {
  const broadcast = await archive.readBySlug(deps.db, slug);
  const sentAt = broadcast?.finishedAt;
  if (!broadcast?.isListed || !sentAt) return;
  const text = publicText(broadcast.page, t);
  return respond("broadcasts", request, async () => ({ data: { ...itemOf(deps, { ...broadcast, sentAt }), text } }));
}

const docs = {
  list: {
    tags: ["Newsletter"],
    operationId: "listBroadcasts",
    security: needs("content:read"),
    summary: "List the broadcasts in the archive",
    description: "Returns the listed broadcasts that have been sent, newest first.",
    responses: { 200: success("BroadcastList", "Broadcasts without their text."), ...notModified },
  },
  one: {
    tags: ["Newsletter"],
    operationId: "getBroadcast",
    security: needs("content:read"),
    summary: "Read a broadcast in the archive",
    description: "`text` is plain text, with fallbacks instead of merge fields.",
    responses: { 200: success("FullBroadcast", "The broadcast with its text."), ...notModified },
  },
};

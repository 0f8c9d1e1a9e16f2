import { Elysia } from "elysia";
import { z } from "zod";
import { countByFilter, type KeyedFilter, listByRow, profileById } from "../../db/newsletter/by-row";
import { freeze, readSegment, type Segment } from "../../db/newsletter/segments/definition";
import { segmentById } from "../../db/newsletter/segments/saved";
import { termsOf } from "../../db/newsletter/segments/terms";
import type { Deps } from "./deps";
import { optional, pageSize } from "../http/request-schemas";
import { success } from "../openapi/responses";
import { needs } from "../openapi/scopes";
import { subscriberJson } from "../people/subscriber-json";
import { emailAddress } from "../platform/text/email-address";
import { term } from "../platform/text/schemas";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { fail, ok } from "./envelope";

const moment = z.iso
  .datetime({ offset: true, error: "must be a time with its zone, such as 2026-11-20T10:00:00Z" })
  .max(40)
  .transform((text) => new Date(text));

const maxSegment = 400; // a URL has to hold it, beside a search, with twelve bytes a character

const ListSubscribers = z.object({
  limit: pageSize(50),
  segment: optional(term({ max: maxSegment })).meta({
    description: "Who: the ID of a saved segment, as in the dashboard’s URL, or conditions as JSON. Save longer ones.",
  }),
  q: optional(term({ max: 500 })).meta({ description: "Case-insensitive text in the address or name." }),
  email: emailAddress.optional().meta({ description: "The subscriber with this address, however it is written." }),
  updatedSince: moment
    .optional()
    .meta({ description: "Changed at or after this time, with a zone.", examples: ["2026-11-20T10:00:00Z"] }),
  count: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .meta({ description: "Whether `X-Total-Count` has the number of all, which takes time with conditions." }),
  cursor: cursor(z.tuple([z.int().min(0)]), 100),
});
type ListQuery = z.infer<typeof ListSubscribers>;

const noStore = { "cache-control": "no-store" };
const notFound = () => fail(404, "NOT_FOUND", "Subscriber not found.");

/** For the keyed area: who is on the list. */
export const keyedSubscribers = (deps: Deps) =>
  new Elysia({ prefix: "/subscribers" })
    .get("/", ({ query, request }) => list(deps, request, query), { query: ListSubscribers, detail: docs.list })
    .get("/:id", ({ params: { id } }) => showOne(deps, id), { detail: docs.one });

async function list({ config, db, now }: Deps, request: Request, query: ListQuery) {
  const { limit, cursor: position, count, segment: who, email, q, updatedSince } = query;
  const segment = who === undefined ? undefined : await segmentOf(db, who);
  if (who !== undefined && !segment) return invalidSegment();
  const frozen = segment && (await db.read(async (orm) => freeze(segment, await termsOf(orm, now()))));
  const filter: KeyedFilter = { email, q, updatedSince, segment: frozen };
  const { people, next } = await listByRow(db, filter, { limit, after: position?.[0] });
  const total = count === "true" ? await countByFilter(db, filter) : undefined;
  const same = { limit, segment: who, q, email, updatedSince: updatedSince?.toISOString() };
  const following = next === undefined ? undefined : { ...same, cursor: cursorAfter([next]) };
  return ok({ count: people.length, subscribers: people.map(subscriberJson) }, 200, {
    ...noStore,
    ...hintFor(request, ListSubscribers.shape),
    ...pageHeaders(`${config.BASE_URL}/api/v1/subscribers`, total, following),
  });
}

/** The segment that a program names. Undefined if there is none: it must never mean everyone. */
async function segmentOf(db: Deps["db"], who: string): Promise<Segment | undefined> {
  if (who.startsWith("{")) return readSegment(who);
  const saved = await segmentById(db, who);
  return saved && readSegment(saved.definition);
}

const invalidSegment = () =>
  fail(400, "VALIDATION_ERROR", "The request is not valid.", [
    { field: "segment", message: "must be the ID of a saved segment, or conditions as JSON" },
  ]);

async function showOne({ db }: Deps, id: string) {
  const profile = await profileById(db, id);
  return profile ? ok(subscriberJson(profile), 200, noStore) : notFound();
}

const docs = {
  list: {
    operationId: "listSubscribers",
    security: needs("newsletter:read"),
    summary: "List subscribers",
    description:
      "In the order in which they were added, whatever their status. A page with conditions looks for people only so long: it may be short, or empty, and yet have a next one. Erased people are not listed.",
    responses: { 200: success("SubscriberList", "Subscribers, with what is known of each.") },
  },
  one: {
    operationId: "getSubscriber",
    security: needs("newsletter:read"),
    summary: "Get a subscriber",
    responses: { 200: success("Subscriber", "The subscriber.") },
  },
};

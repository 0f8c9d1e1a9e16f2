import { Elysia } from "elysia";
import { z } from "zod";
import { ownerEmail } from "../../db/contact/owner";
import { erasePerson } from "../../db/people/erasures";
import { countByFilter, type KeyedFilter, listByRow, profileById } from "../../db/newsletter/by-row";
import { changeOne, type Entry, nameAll } from "../../db/newsletter/by-key";
import { freeze, readSegment, type Segment } from "../../db/newsletter/segments/definition";
import { segmentById, termsOf } from "../../db/newsletter/segments/saved";
import type { Deps } from "./deps";
import { optional, pageSize } from "../http/request-schemas";
import { bodyExample, failure, limited, success } from "../openapi/responses";
import { needs } from "../openapi/scopes";
import {
  moment,
  readEntry,
  readPatch,
  readPerson,
  siteOf,
  SubscriberBatch,
  SubscriberInput,
  subscriberJson,
  SubscriberPatch,
} from "../people/subscriber-input";
import { erasureLog, prepareDataDir } from "../platform/data-dir";
import { contextOf } from "../platform/request-context";
import { keyActorOf } from "../security/require-api-key";
import type { Refusal } from "../security/refusal";
import { keyedHash } from "../security/secrets";
import { describe, limits as limitOf, tooMany } from "../security/limits/limits";
import { checkLater } from "../people/erasure-check";
import { emailAddress } from "../platform/text/email-address";
import { term } from "../platform/text/schemas";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { fail, idempotencyKeyOf, idempotencyKeyParameter, ok } from "./envelope";

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
    .post("/", ({ request, body }) => create(deps, request, body), {
      parse: "json",
      body: SubscriberInput,
      detail: docs.create,
    })
    .post("/batch", ({ request, body }) => createMany(deps, request, body), {
      parse: "json",
      body: SubscriberBatch,
      detail: docs.createMany,
    })
    .get("/:id", ({ params: { id } }) => showOne(deps, id), { detail: docs.one })
    .patch("/:id", ({ request, params: { id }, body }) => change(deps, request, id, body), {
      parse: "json",
      body: SubscriberPatch,
      detail: docs.update,
    })
    .delete("/:id", ({ request, params: { id } }) => erase(deps, request, id), { detail: docs.erase });

async function list({ config, db, now }: Deps, request: Request, query: ListQuery) {
  const { limit, cursor: position, count, segment: who, email, q, updatedSince } = query;
  const segment = who === undefined ? undefined : await segmentOf(db, who);
  if (who !== undefined && !segment)
    return invalid([{ field: "segment", message: "must be the ID of a saved segment, or conditions as JSON" }]);
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

const invalid = (faults: { field: string; message: string }[]) =>
  fail(400, "VALIDATION_ERROR", "The request is not valid.", faults);

async function showOne({ db }: Deps, id: string) {
  const profile = await profileById(db, id);
  return profile ? ok(subscriberJson(profile), 200, noStore) : notFound();
}

/** Adds whom the program names, as far as that is theirs to say. */
async function create({ config, db, now }: Deps, request: Request, input: z.infer<typeof SubscriberInput>) {
  const at = now();
  const read = readPerson(input, await siteOf(db), at);
  if (read.faults) return invalid(read.faults);
  const terms = { origin: originOf(request), repeatable: repeatableOf(config, request, input) };
  const results = await nameAll(db, [read], terms, at);
  if (results === "conflict") return usedBefore();
  const [{ result = "blocked", id, ignored = [] } = {}] = results;
  const profile = id === undefined ? undefined : await profileById(db, id);
  const data = { result, ignored, subscriber: profile ? subscriberJson(profile) : null };
  return ok(data, result === "created" ? 201 : 200, noStore);
}

const batchCost = 10; // requests of a key's quota

/** Adds many, and says what became of each. */
async function createMany(deps: Deps, request: Request, { subscribers }: z.infer<typeof SubscriberBatch>) {
  const { config, db, limits, now } = deps;
  const context = contextOf(request);
  const at = now();
  for (let n = 1; n < batchCost; n++) {
    const verdict = await limits.takeFromBlock(limitOf.key, context.apiKeyId ?? "", at.getTime());
    describe(limitOf.key, verdict, context);
    if (!verdict.admitted) return refused(tooMany(verdict));
  }
  const site = await siteOf(db);
  const people: Entry[] = [];
  for (const [n, input] of subscribers.entries()) {
    people.push(readEntry(input, site, at));
    if (n % 100 === 99) await new Promise((turn) => setImmediate(turn)); // requests run in between
  }
  const by = await keyActorOf(db, request);
  const terms = { origin: originOf(request), by, repeatable: repeatableOf(config, request, subscribers) };
  const results = await nameAll(db, people, terms, at);
  if (results === "conflict") return usedBefore();
  return ok({ count: results.length, results: results.map((one, index) => ({ index, ...one })) }, 200, noStore);
}

/** Identifies a repeated request by its key and contents, as hashes that nobody can guess the people from. */
function repeatableOf({ APP_SECRET }: Deps["config"], request: Request, people: unknown) {
  const key = idempotencyKeyOf(request);
  const hash = (value: unknown) => keyedHash(APP_SECRET, "idempotency/v1", JSON.stringify(value));
  const { apiKeyId, route } = contextOf(request);
  return key === undefined ? undefined : { key: hash([route, apiKeyId, key]), fingerprint: hash(people) };
}

const usedBefore = () => fail(409, "CONFLICT", conflict);
const refused = ({ status, code, message }: Refusal) => fail(status, code, message);

async function change({ db, now }: Deps, request: Request, id: string, input: z.infer<typeof SubscriberPatch>) {
  const read = readPatch(input, await siteOf(db));
  if (read.faults) return invalid(read.faults);
  const by = await keyActorOf(db, request);
  const ignored = await changeOne(db, { id, patch: read.patch }, { origin: originOf(request), by }, now());
  const profile = ignored && (await profileById(db, id));
  if (!profile) return notFound();
  return ok({ ignored: [...read.ignored, ...ignored], subscriber: subscriberJson(profile) }, 200, noStore);
}

/** Erases someone and suppresses the address. What is left in the database's file goes after the response. */
async function erase(deps: Deps, request: Request, id: string) {
  const { config, db, limits, now } = deps;
  const { apiKeyId = "" } = contextOf(request);
  const attempt = await limits.attempt(limitOf.erasures, apiKeyId);
  if (!attempt.verdict.admitted) {
    describe(limitOf.erasures, attempt.verdict, contextOf(request));
    return refused(tooMany(attempt.verdict));
  }
  const profile = await profileById(db, id);
  if (!profile) {
    await attempt.forgive();
    return notFound();
  }
  await attempt.keep(); // so that a restart forgives no one
  prepareDataDir(config.DATA_DIR);
  const { email } = profile.subscriber;
  const what = { email, scope: ["subscription" as const, "suppression" as const] };
  const owner = await ownerEmail(deps);
  const by = { ...(await keyActorOf(db, request)), via: "api" as const, key: { id: apiKeyId, owner } };
  const erasure = await erasePerson(db, erasureLog(config), what, by, now());
  checkLater(deps, erasure, email);
  return ok({ id, erasureId: erasure.id }, 202, noStore);
}

/** The person's history names the key. */
const originOf = (request: Request) => ({ via: "api" as const, apiKeyId: contextOf(request).apiKeyId ?? null });

const conflict = "This Idempotency-Key has already been used for other subscribers.";
const idempotencyKey = idempotencyKeyParameter("Valid for 24 hours, for the same API key and request body");
const ada = {
  email: "ada@example.com",
  name: "Ada Ferris",
  tags: ["customer"],
  language: "es",
  consent: { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z", url: "https://shop.example/pay" },
};

const docs = {
  list: {
    operationId: "listSubscribers",
    security: needs("newsletter:read"),
    summary: "List subscribers",
    description:
      "In the order in which they were added, whatever their status. A page with conditions looks for people only so long: it may be short, or empty, and yet have a next one. Erased people are not listed.",
    responses: { 200: success("SubscriberList", "Subscribers, with what is known of each.") },
  },
  create: {
    operationId: "createSubscriber",
    security: needs("newsletter:write"),
    summary: "Add a subscriber, or what is new about one",
    description:
      "Says how the person agreed. Someone new is active, or with the setting doubleOptIn pending until they confirm, and gets the welcome email or the link (`created`, 201). Everything else is 200. `known`: tags, topics and values of fields are added, an empty name or language is filled, and nothing is taken away; topics that the person left stay left, and `ignored` names them. `left`: those who unsubscribed stay unsubscribed; with doubleOptIn, if they agreed after they left, they get one link to confirm. `suppressed`: the address gets no email. `blocked`: what was stored under this address was erased, and nothing is stored again.",
    parameters: [idempotencyKey],
    requestBody: bodyExample(ada),
    responses: {
      201: success("SubscriberResult", "Someone new."),
      200: success("SubscriberResult", "Someone who was here, or may not be added."),
      409: failure(conflict),
    },
  },
  createMany: {
    operationId: "createSubscribers",
    security: needs("newsletter:write"),
    summary: "Add up to 1,000 subscribers",
    description:
      "The same for each, in their order; one that is not valid stops no other. The body may have 1 MiB. A batch counts as 10 of a key’s requests. People are stored a hundred at a time: if the answer is lost, send the same body with the same Idempotency-Key again, and it goes on from there and says the same.",
    parameters: [idempotencyKey],
    requestBody: bodyExample({ subscribers: [ada] }),
    responses: { 200: success("BatchResult", "What became of each."), 409: failure(conflict) },
  },
  one: {
    operationId: "getSubscriber",
    security: needs("newsletter:read"),
    summary: "Get a subscriber",
    responses: { 200: success("Subscriber", "The subscriber.") },
  },
  update: {
    operationId: "updateSubscriber",
    security: needs("newsletter:write"),
    summary: "Change a subscriber",
    description:
      "Changes what the body names and leaves the rest. Null removes a name, a language or a value. `status` can become `unsubscribed`; people confirm, come back and are mailed again by their own action alone. Topics that the person left are not put back: `ignored` names them.",
    requestBody: bodyExample({ name: "Ada Ferris", tags: { add: ["vip"], remove: ["trial"] } }),
    responses: { 200: success("ChangedSubscriber", "The subscriber as it is now.") },
  },
  erase: {
    operationId: "eraseSubscriber",
    security: needs("newsletter:write"),
    summary: "Erase a subscriber",
    description:
      "Deletes what is stored of the subscriber, as in the dashboard, and suppresses the address, so that only the person can add it again. Messages in the inbox stay. It cannot be undone. A key can erase 60 people in an hour, and the owner gets an email. To keep the record without sending email, change `status` instead.",
    responses: {
      202: success("ErasedSubscriber", "Erased. What is left in the database’s file goes soon."),
      ...limited,
    },
  },
};

import { expect, test } from "bun:test";
import { byEmail, unsubscribe } from "../../db/newsletter/subscribers";
import { nameAll } from "../../db/newsletter/by-key";
import { cleanUp } from "../../db/ops/cleanup";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";

const path = "/api/v1/subscribers";
const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z" };
const person = (n: number, more: object = {}) => ({ email: `n${n}@example.com`, consent, ...more });
const people = (count: number, more: object = {}) => Array.from({ length: count }, (_, n) => person(n, more));

type Entry = { index: number; result: string; id?: string; details?: { field: string }[] };

async function start() {
  const service = await testService();
  const headers = await service.key("Shop", ["newsletter:write"]);
  const send = async (subscribers: unknown, more: Record<string, string> = {}, at = "/batch") => {
    const body = at ? { subscribers } : subscribers;
    const answer = await service.post(path + at, body, { ...headers, ...more });
    type Data = { count: number; results: Entry[]; result: string; subscriber: { id: string } };
    const { data, error } = (await answer.json()) as { data: Data; error: { message: string } | null };
    return { status: answer.status, data, error, answer };
  };
  const count = async (what: string) => (await look<{ n: number }>(service.db, `select count(*) n from ${what}`))[0]?.n;
  return { ...service, headers, send, count };
}
const once = (key: string) => ({ "idempotency-key": key });
const resultsOf = ({ results }: { results: Entry[] }) => results.map(({ result }) => result);

test("a thousand people at once, an answer for each in their order; one that is not valid stops no other", async () => {
  const { count, db, now, send } = await start();
  await send([person(3)]);
  await unsubscribe(db, "n3@example.com", { via: "link" }, now());
  const sent: unknown[] = people(1_000, { tags: ["customer"], name: "x".repeat(100) });
  sent[1] = { email: "nobody", consent: {} };
  sent[2] = null;
  sent[4] = person(5); // twice in one batch
  sent[6] = person(6, { topics: ["unheard-of"] });
  expect(JSON.stringify(sent).length).toBeGreaterThan(200_000);
  const { status, data } = await send(sent);
  expect([status, data.count, data.results.map(({ index }) => index)]).toEqual([
    ...[200, 1_000, Array.from({ length: 1_000 }, (_, n) => n)],
  ] as never);
  expect(resultsOf(data).slice(0, 8)).toEqual([
    ...["created", "invalid", "invalid", "left", "created", "known", "invalid", "created"],
  ]);
  expect(data.results[1]?.details?.map(({ field }) => field)).toEqual(["email", "consent.how", "consent.at"]);
  expect(data.results[6]?.details).toEqual([{ field: "topics.0", message: "is no topic of this site" }] as never);
  expect(data.results[0]?.id).toBe((await byEmail(db, "n0@example.com"))?.id ?? "");
  expect(await count("subscribers")).toBe(996);
  expect(await count("outbox where kind = 'welcome'")).toBe(996);
  const entries = await look<{ actor: string; details: string }>(
    db,
    "select actor, details from audit_events where action = 'subscriber.import' order by created_at, id",
  );
  expect([entries.length, entries[1]]).toMatchObject([11, { actor: "API key Shop" }]);
});

test("with a key, a repetition says the same and stores nothing, whatever happened since", async () => {
  const { clock, count, db, now, send } = await start();
  const first = await send(people(250), once("a"));
  await unsubscribe(db, "n7@example.com", { via: "link" }, now());
  clock.time += 86_399_000;
  expect((await send(people(250), once("a"))).data).toEqual(first.data);
  expect(await count("subscriber_events")).toBe(251);
  const other = await send(people(251), once("a"));
  expect([other.status, other.error?.message]).toEqual([
    ...[409, "This Idempotency-Key has already been used for other subscribers."],
  ] as never);
  clock.time += 2_000;
  expect(resultsOf((await send(people(250), once("a"))).data)[7]).toBe("left"); // a day later it is another request
  clock.time += 86_401_000;
  await cleanUp(db, now());
  expect(await count("api_batches")).toBe(0);
});

test("one person, too: the same key says created again", async () => {
  const { count, send } = await start();
  const first = await send(person(0), once("a"), "");
  const again = await send(person(0), once("a"), "");
  expect([first.status, again.status, again.data]).toEqual([201, 201, first.data]);
  expect([(await send(person(0), {}, "")).status, await count("subscriber_events")]).toEqual([200, 1]);
  expect((await send(person(1), once("a"), "")).status).toBe(409);
  expect((await send([person(1)], once("a"))).status).toBe(200); // another endpoint, another key
});

test("a repetition goes on where the first request was cut off, and neither doubles a person", async () => {
  const { count, db, now } = await start();
  const entries = people(250).map(({ email }) => ({
    person: { email, tags: [], fields: [], consent: { how: consent.how, at: now() } },
    ignored: [],
  }));
  const terms = { origin: { via: "api" as const }, repeatable: { key: "k", fingerprint: "f" } };
  let commits = 0;
  const failing: typeof db = {
    ...db,
    write: (work, how) => {
      if (++commits > 2) throw new Error("The power is gone");
      return db.write(work, how);
    },
  };
  await expect(nameAll(failing, entries, terms, now())).rejects.toThrow("The power is gone");
  expect(await count("subscribers")).toBe(200);
  const [one, two] = await Promise.all([nameAll(db, entries, terms, now()), nameAll(db, entries, terms, now())]);
  expect(one).toEqual(two);
  expect(Array.isArray(one) && one.every(({ result }) => result === "created")).toBe(true);
  expect([await count("subscribers"), await count("subscriber_events")]).toEqual([250, 250]);
});

test("a batch is refused as a whole if it is no list, too long or too large, and without a key it is not read", async () => {
  const { headers, post, send } = await start();
  for (const none of [undefined, {}, "n", people(1_001)]) expect((await send(none)).status).toBe(400);
  const large = people(1_000, { name: "x".repeat(1_000) });
  expect((await send(large)).status).toBe(413);
  const allowed = { subscribers: people(900, { name: "x".repeat(100) }) };
  expect(JSON.stringify(allowed).length).toBeGreaterThan(64 * 1024);
  expect((await post(`${path}/batch`, allowed)).status).toBe(413); // before anyone knows who asks
  expect((await post(`${path}/batch`, allowed, { "x-api-key": "site_live_unknown" })).status).toBe(413);
  const numbers = `{"subscribers":[${Array(60_000).fill(1).join()}]}`;
  expect((await post(`${path}/batch`, numbers, headers)).status).toBe(413);
  expect((await send(people(2))).status).toBe(200);
});

test("a batch counts as ten requests of the key", async () => {
  const { send } = await start();
  const remaining = ({ answer }: { answer: Response }) => answer.headers.get("ratelimit");
  expect([remaining(await send([])), remaining(await send([person(1)]))]).toEqual([
    '"key";r=590;t=60',
    '"key";r=580;t=60',
  ]);
  for (let n = 0; n < 58; n++) await send([]);
  const refused = await send([person(2)]);
  expect([refused.status, refused.answer.headers.get("retry-after")]).toEqual([429, "60"]);
});

import { afterEach, describe, expect, test } from "bun:test";
import { byEmail, subscribe, unsubscribe } from "../../db/newsletter/subscribers";
import { expirePending } from "../../db/newsletter/pending";
import { confirm, confirmByHand } from "../../db/newsletter/confirm";
import { importAll } from "../../db/newsletter/import";
import { addField } from "../../db/newsletter/fields";
import { leaveTopic } from "../../db/newsletter/preferences";
import { maxTags } from "../../db/newsletter/tags";
import { addTopic } from "../../db/newsletter/topics";
import { erasePerson } from "../../db/people/erasures";
import { suppress } from "../../db/suppressions/suppressions";
import { everything, look } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import * as settings from "../../test/support/settings";

const path = "/api/v1/subscribers";
const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z", url: "https://shop.example/pay" };
const by = { actor: "cli" };

type Person = { id: string; status: string; tags: string[]; topics: string[]; fields: object; name: string | null };
type Result = { result: string; ignored: string[]; subscriber: Person | null };

async function start() {
  const folder = temporaryFolder();
  folders.push(folder);
  const service = await testService({ DATA_DIR: folder.path });
  const { db, now, post, send } = service;
  const headers = await service.key("Shop", ["newsletter:write"]);
  const name = async (email: string, more: object = {}) => {
    const answer = await post(path, { email, consent, ...more }, headers);
    const { data, error } = (await answer.json()) as { data: Result; error: { details?: { field: string }[] } | null };
    return { status: answer.status, data, fields: error?.details?.map(({ field }) => field) };
  };
  const said = async (email: string, more: object = {}) => {
    const { status, data } = await name(email, more);
    return [status, data.result, data.subscriber?.status ?? null];
  };
  const emails = async () =>
    (await look<{ kind: string }>(db, "select kind from outbox order by created_at, id")).map(({ kind }) => kind);
  const doubleOptIn = (value: boolean) => settings.set(db, "doubleOptIn", String(value), { by: "cli" }, now());
  const ask = async (method: string, id: string, body?: object) => {
    const init = body ? { body: JSON.stringify(body), headers: { ...headers, ...json } } : { headers };
    const answer = await send(`${path}/${id}`, { method, ...init });
    const { data, error } = (await answer.json()) as { data: Changed; error: Failure | null };
    return { status: answer.status, data, fields: error?.details?.map(({ field }) => field), answer };
  };
  return { ...service, folder, headers, name, said, emails, doubleOptIn, ask };
}
const json = { "content-type": "application/json" };
type Failure = { details?: { field: string }[] };
type Changed = { ignored: string[]; subscriber: Person; erasureId: string };
const folders: Disposable[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]();
});
const at = (name: string) => `${name}@example.com`;

test("who left and is named since is not among those whom a manager confirms: only their own link brings them back", async () => {
  const { db, doubleOptIn, now, said } = await start();
  await subscribe(db, { email: at("left") }, { via: "form" }, now());
  await unsubscribe(db, at("left"), { via: "link" }, now());
  const gone = { email: at("gone"), name: null, source: null, state: "unsubscribed" as const, createdAt: now() };
  await importAll(db, [gone], { revive: false, origin: { via: "import" } }, now());
  await doubleOptIn(true);
  const since = { consent: { ...consent, at: new Date(now().getTime() + 1).toISOString() } };
  for (const name of ["left", "gone"]) expect(await said(at(name), since)).toEqual([200, "left", "pending"]);
  await subscribe(db, { email: at("new") }, { via: "form" }, now());
  const everyone = { selection: { matching: {} }, why: "They said so by phone" };
  const changed = await confirmByHand(db, everyone, by, now());
  expect(changed.count).toBe(1);
  const pending = "select email from subscribers where pending_at is not null order by email";
  expect(await look(db, pending)).toEqual([{ email: at("gone") }, { email: at("left") }]);
});

test("a text of a field is one line, as in a form: it goes into subjects and files", async () => {
  const { db, name, now } = await start();
  await addField(db, { name: "City", key: "city", type: "text", options: [] }, by, now());
  for (const city of ["Oslo\u0000", "Oslo\nBergen", "Oslo\u0007", " ", "x".repeat(201)]) {
    const { status, fields } = await name(at("ada"), { fields: { city } });
    expect([city, status, fields]).toEqual([city, 400, ["fields.city"]]);
  }
  const { data } = await name(at("ada"), { fields: { city: " O\u0301slo\u202e " } });
  expect(data.subscriber?.fields).toEqual({ city: "Óslo" });
});

test("a shop adds someone new, with everything it knows, the consent as proof and one welcome email", async () => {
  const { db, emails, name, now, said } = await start();
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now());
  await addTopic(db, { name: "News", sentence: "", isDefault: true }, by, now());
  await addField(db, { name: "Orders", key: "orders", type: "number", options: [] }, by, now());
  const all = { name: "Ada Ferris", source: "shop", tags: ["customer"], topics: ["recipes"], language: "es-MX" };
  const { status, data } = await name("Ada@example.com", { ...all, fields: { orders: 3 } });
  expect([status, data]).toEqual([
    201,
    {
      result: "created",
      ignored: [],
      subscriber: expect.objectContaining({
        ...{ ...all, email: "Ada@example.com", language: "es", fields: { orders: 3 }, status: "active" },
        consent: { ...consent, at: "2026-11-20T10:00:00.000Z" },
      }),
    },
  ] as never);
  expect(await emails()).toEqual(["welcome"]);
  expect(
    await look(
      db,
      "select kind, via, note, source, case when api_key_id is null then 0 else 1 end k from subscriber_events",
    ),
  ).toEqual([{ kind: "subscribed", via: "api", note: consent.how, source: "shop", k: 1 }]);
  const plain = await name(at("bea"));
  expect(plain.data.subscriber?.topics).toEqual(["news"]); // what everyone new gets
  expect(await said("ADA@EXAMPLE.COM")).toEqual([200, "known", "active"]);
  expect(await emails()).toEqual(["welcome", "welcome"]);
});

test("about someone who is here, things are added and nothing is taken away", async () => {
  const { db, name, now } = await start();
  for (const each of ["Recipes", "Crafts", "News"])
    await addTopic(db, { name: each, sentence: "", isDefault: false }, by, now());
  const first = { tags: ["customer"], topics: ["recipes", "crafts"] };
  await name(at("ada"), first);
  const origin = { via: "preferences" as const };
  await leaveTopic(db, { email: at("ada"), origin, now: now() }, { slug: "recipes", recipient: undefined });
  const { status, data } = await name(at("ada"), {
    ...{ name: "Ada", tags: ["VIP"], topics: ["recipes", "news"], language: "Klingon" },
  });
  expect([status, data]).toMatchObject([
    200,
    {
      result: "known",
      ignored: ["language", "topics.recipes"], // which she left
      subscriber: { name: "Ada", tags: ["customer", "VIP"], topics: ["crafts", "news"], language: null },
    },
  ] as never);
  const again = await name(at("ada"), { name: "Someone Else", language: "nl" });
  expect(again.data.subscriber).toMatchObject({ name: "Ada", language: "nl", tags: ["customer", "VIP"] } as never);
  const changes = "select note from subscriber_events where kind = 'changed' and via = 'api' order by created_at, id";
  expect(await look(db, changes)).toEqual([{ note: "+VIP\ntopics: +News\nname" }, { note: "language: nl" }]);
});

test("what the site has no place for is named", async () => {
  const { name } = await start();
  const many = (from: number) => Array.from({ length: 50 }, (_, n) => `tag ${from + n}`);
  for (let from = 0; from < maxTags; from += 50) await name(at(`n${from}`), { tags: many(from) });
  const { data } = await name(at("ada"), { tags: ["tag 1", "One too many"] });
  expect([data.ignored, data.subscriber?.tags]).toEqual([["tags.One too many"], ["tag 1"]]);
});

test("without consent, or with what the site does not have, nothing is stored", async () => {
  const { db, headers, name, now, post } = await start();
  await addField(db, { name: "Plan", key: "plan", type: "choice", options: ["Free", "Paid"] }, by, now());
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now());
  const refused: [object, string[]][] = [
    [{ consent: undefined }, ["consent"]],
    [{ consent: { ...consent, how: "Yes" } }, ["consent.how"]],
    [{ consent: { ...consent, at: "2026-11-20" } }, ["consent.at"]],
    [{ consent: { ...consent, at: "2026-11-21T12:02:00Z" } }, ["consent.at"]], // two minutes ahead
    [{ consent: { ...consent, url: "javascript:alert(1)" } }, ["consent.url"]],
    [{ topics: ["recipes", "unheard-of"] }, ["topics.1"]],
    [{ fields: { mood: "good", plan: "Free" } }, ["fields.mood"]],
    [{ fields: { plan: "Golden" } }, ["fields.plan"]],
    [{ fields: { plan: ["Free"] } }, ["fields.plan"]],
    [{ fields: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [n, 1])) }, ["fields"]],
    [{ tags: Array(51).fill("a") }, ["tags"]],
    [{ email: "ada" }, ["email"]],
  ];
  for (const [more, fields] of refused) {
    const answer = await name(at("ada"), more);
    expect([more, answer.status, answer.fields]).toEqual([more, 400, fields] as never);
  }
  expect((await post(path, "[", headers)).status).toBe(400);
  expect(await byEmail(db, at("ada"))).toBeUndefined();
});

describe("nobody comes back by key", () => {
  test("who left stays unsubscribed, and nothing about them changes", async () => {
    const { db, emails, name, now, said } = await start();
    await name(at("ada"));
    await unsubscribe(db, at("ada"), { via: "link" }, now());
    const before = await byEmail(db, at("ada"));
    const more = { name: "Ada", tags: ["VIP"], consent: { ...consent, at: now().toISOString() } };
    expect(await said(at("ada"), more)).toEqual([200, "left", "unsubscribed"]);
    expect([await byEmail(db, at("ada")), await emails()]).toEqual([before, ["welcome"]] as never);
  });

  test("who gets no email is stored, and gets none", async () => {
    const { db, emails, now, said } = await start();
    const no = { email: at("ada"), reason: "complaint" as const };
    await db.write((orm) => suppress(orm, no, { via: "provider" }, now()));
    expect(await said(at("ada"))).toEqual([200, "suppressed", "suppressed"]);
    expect(await said(at("ada"), { tags: ["VIP"] })).toEqual([200, "suppressed", "suppressed"]);
    expect(await emails()).toEqual([]);
  });

  test("of whom was erased, nothing is stored, suppressed or not", async () => {
    const { db, folder, name, now } = await start();
    for (const scope of [["subscription" as const], ["subscription" as const, "suppression" as const]]) {
      const email = at(scope.join("-"));
      await subscribe(db, { email }, { via: "form" }, now());
      await erasePerson(db, `${folder.path}/erasures.log`, { email, scope }, { actor: "cli", via: "cli" }, now());
      const { status, data } = await name(email);
      expect([status, data]).toEqual([200, { result: "blocked", ignored: [], subscriber: null }]);
      expect(await byEmail(db, email)).toBeUndefined();
      await subscribe(db, { email }, { via: "form" }, now()); // by their own action
      expect((await name(email)).data.result).toBe("known");
    }
  });
});

describe("with double opt-in", () => {
  test("someone new waits for their own confirmation, and gets one link, however often the shop sends them", async () => {
    const { db, doubleOptIn, emails, now, said } = await start();
    await doubleOptIn(true);
    expect(await said(at("ada"))).toEqual([201, "created", "pending"]);
    expect(await said(at("ada"), { tags: ["VIP"] })).toEqual([200, "known", "pending"]);
    expect(await emails()).toEqual(["confirm"]);
    const askedAt = (await byEmail(db, at("ada")))?.pendingAt ?? new Date(0);
    await confirm(db, { email: at("ada"), askedAt }, { via: "confirm" }, now());
    expect(await said(at("ada"))).toEqual([200, "known", "active"]);
  });

  test("who left gets one link if they agreed since, and only the link brings them back", async () => {
    const { clock, db, doubleOptIn, emails, name, now, said } = await start();
    await name(at("ada"));
    clock.time += 3_600_000;
    await unsubscribe(db, at("ada"), { via: "link" }, now());
    await doubleOptIn(true);
    clock.time += 3_600_000;
    expect(await said(at("ada"))).toEqual([200, "left", "unsubscribed"]); // what she agreed to before she left
    const later = { consent: { ...consent, at: now().toISOString() } };
    expect(await said(at("ada"), later)).toEqual([200, "left", "pending"]);
    clock.time += 31 * 86_400_000;
    expect(await said(at("ada"), later)).toEqual([200, "left", "pending"]);
    await expirePending(db, now());
    expect(await said(at("ada"), later)).toEqual([200, "left", "unsubscribed"]); // the shop sends her every night
    expect(await emails()).toEqual(["welcome", "confirm"]);
  });
});

describe("changing someone", () => {
  test("what the body names changes, the rest stays, and the history says so once", async () => {
    const { ask, db, name, now } = await start();
    for (const each of ["Recipes", "Crafts"])
      await addTopic(db, { name: each, sentence: "", isDefault: false }, by, now());
    await addField(db, { name: "Orders", key: "orders", type: "number", options: [] }, by, now());
    const { data } = await name(at("ada"), { name: "Ada", language: "nl", tags: ["a", "b"], topics: ["recipes"] });
    const id = data.subscriber?.id ?? "";
    const changes = {
      ...{ name: null, tags: { add: ["c"], remove: ["A"] }, topics: { add: ["crafts"], remove: ["recipes"] } },
      fields: { orders: 4 },
    };
    const one = await ask("PATCH", id, changes);
    const now1 = { name: null, language: "nl", tags: ["b", "c"], topics: ["crafts"], fields: { orders: 4 } };
    expect([one.status, one.data]).toMatchObject([200, { ignored: [], subscriber: now1 }] as never);
    expect((await ask("PATCH", id, {})).data.subscriber).toMatchObject(now1 as never);
    const two = await ask("PATCH", id, { name: "Ada Ferris", language: "Klingon", fields: { orders: null } });
    expect(two.data).toMatchObject({ ignored: ["language"], subscriber: { language: "nl", fields: {} } } as never);
    expect((await ask("PATCH", id, { language: "" })).data.subscriber).toMatchObject({ language: null } as never);
    const notes = await look(db, "select note from subscriber_events where kind = 'changed' order by created_at, id");
    expect(notes).toEqual([
      { note: "+c −a\ntopics: +Crafts −Recipes\nfields: Orders\nname" },
      { note: "fields: Orders\nname" },
      { note: "language: none" },
    ]);
    expect(await look(db, "select 1 from audit_events where action like 'subscriber.%'")).toEqual([]);
  });

  test("a program takes people off the list, and cannot confirm them or bring them back", async () => {
    const { ask, db, name, doubleOptIn } = await start();
    await doubleOptIn(true);
    const { data } = await name(at("ada"));
    const id = data.subscriber?.id ?? "";
    for (const status of ["active", "paused", "suppressed"])
      expect(await ask("PATCH", id, { status })).toMatchObject({ status: 400, fields: ["status"] } as never);
    for (let n = 0; n < 2; n++) {
      const left = await ask("PATCH", id, { status: "unsubscribed" });
      expect(left.data.subscriber.status).toBe("unsubscribed");
    }
    expect(await look(db, "select kind, via from subscriber_events where kind = 'unsubscribed'")).toEqual([
      { kind: "unsubscribed", via: "api" },
    ]);
    const entries = await look(db, "select actor, target from audit_events where action = 'subscriber.unsubscribe'");
    expect(entries).toEqual([{ actor: "API key Shop", target: at("ada") }]);
    expect((await ask("PATCH", id, { topics: { add: ["nothing"] }, fields: { x: 1 } })).fields).toEqual([
      ...["topics.add.0", "fields.x"],
    ]);
  });

  test("a topic that the person left stays left", async () => {
    const { ask, db, name, now } = await start();
    for (const each of ["Recipes", "Crafts"])
      await addTopic(db, { name: each, sentence: "", isDefault: true }, by, now());
    const { data } = await name(at("ada"));
    const origin = { via: "preferences" as const };
    await leaveTopic(db, { email: at("ada"), origin, now: now() }, { slug: "recipes", recipient: undefined });
    const { status, data: changed } = await ask("PATCH", data.subscriber?.id ?? "", { topics: { add: ["recipes"] } });
    expect([status, changed.ignored, changed.subscriber.topics]).toEqual([200, ["topics.recipes"], ["crafts"]]);
  });
});

describe("erasing someone", () => {
  test("nothing of them is left, the address is suppressed, the audit log has it and the owner is told once a day", async () => {
    const { ask, clock, db, emails, name } = await start();
    const secret = "zebulon.quux@example.com";
    const { data } = await name(secret, { name: "Zebulon Quux", tags: ["Zebulon"] });
    const id = data.subscriber?.id ?? "";
    const { status, data: erased } = await ask("DELETE", id);
    expect([status, erased]).toEqual([202, { id, erasureId: expect.stringMatching(/^[0-9a-f-]{36}$/) }] as never);
    expect((await ask("GET", id)).status).toBe(404);
    expect((await ask("DELETE", id)).status).toBe(404);
    expect(await byEmail(db, secret)).toBeUndefined();
    const stored = await everything(db);
    expect(stored.toLowerCase().includes("quux")).toBe(false);
    expect((await name(secret)).data).toEqual({ result: "blocked", ignored: [], subscriber: null });
    const entries = await look<{ actor: string }>(db, "select actor from audit_events where action = 'person.erase'");
    expect(entries).toEqual([{ actor: "API key Shop" }]);

    const bea = await name(at("bea"));
    await ask("DELETE", bea.data.subscriber?.id ?? "");
    expect((await emails()).filter((kind) => kind === "notice")).toHaveLength(1);
    const told = await look(db, "select recipient from outbox where kind = 'notice'");
    expect(told).toEqual([{ recipient: "owner@example.com" }]);
    clock.time += 86_400_001;
    const cleo = await name(at("cleo"));
    await ask("DELETE", cleo.data.subscriber?.id ?? "");
    expect((await emails()).filter((kind) => kind === "notice")).toHaveLength(2);
  });

  test("sixty an hour: a key that leaked cannot empty the list", async () => {
    const { ask, clock, name } = await start();
    const ids: string[] = [];
    for (let n = 0; n < 62; n++) ids.push((await name(at(`n${n}`))).data.subscriber?.id ?? "");
    const statuses: number[] = [];
    expect((await ask("DELETE", "nobody")).status).toBe(404); // and counts nothing
    for (const id of ids.slice(0, 61)) statuses.push((await ask("DELETE", id)).status);
    expect([statuses.slice(0, 60), statuses[60]]).toEqual([Array(60).fill(202), 429]);
    const refused = await ask("DELETE", ids[60] ?? "");
    expect([refused.answer.headers.get("ratelimit-policy"), refused.answer.headers.has("retry-after")]).toEqual([
      ...['"erasures";q=60;w=3600', true],
    ]);
    expect((await ask("GET", ids[60] ?? "")).status).toBe(200);
    clock.time += 3_600_001;
    expect((await ask("DELETE", ids[60] ?? "")).status).toBe(202);
  });
});

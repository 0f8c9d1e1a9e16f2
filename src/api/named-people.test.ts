import { describe, expect, test } from "bun:test";
import { byEmail, subscribe, unsubscribe } from "../../db/newsletter/subscribers";
import { confirm } from "../../db/newsletter/confirm";
import { addField } from "../../db/newsletter/fields";
import { expirePending } from "../../db/newsletter/pending";
import { leaveTopic } from "../../db/newsletter/preferences";
import { maxTags } from "../../db/newsletter/tags";
import { addTopic } from "../../db/newsletter/topics";
import { erasePerson } from "../../db/people/erasures";
import { suppress } from "../../db/suppressions/suppressions";
import { look } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import * as settings from "../../test/support/settings";

const path = "/api/v1/subscribers";
const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z", url: "https://shop.example/pay" };
const by = { actor: "cli" };

type Person = { id: string; status: string; tags: string[]; topics: string[]; fields: object; name: string | null };
type Result = { result: string; ignored: string[]; subscriber: Person | null };

async function start() {
  const service = await testService();
  const { db, now, post } = service;
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
  return { ...service, headers, name, said, emails, doubleOptIn };
}
const at = (name: string) => `${name}@example.com`;

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
  const refused: [object, string[]][] = [
    [{ consent: undefined }, ["consent"]],
    [{ consent: { ...consent, how: "Yes" } }, ["consent.how"]],
    [{ consent: { ...consent, at: "2026-11-20" } }, ["consent.at"]],
    [{ consent: { ...consent, at: "2026-11-21T12:02:00Z" } }, ["consent.at"]], // two minutes ahead
    [{ consent: { ...consent, url: "javascript:alert(1)" } }, ["consent.url"]],
    [{ topics: ["unheard-of"] }, ["topics.0"]],
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
    const { db, name, now } = await start();
    using folder = temporaryFolder();
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

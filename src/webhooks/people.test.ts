import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import type { WebhookType } from "../../db/events/webhook-events";
import * as endpoints from "../../db/webhooks/endpoints";
import { importAll } from "../../db/newsletter/import";
import { endPauses } from "../../db/newsletter/pause";
import { pauseFor, savePreferences } from "../../db/newsletter/preferences";
import { relabel } from "../../db/newsletter/list";
import { byEmail, subscribe } from "../../db/newsletter/subscribers";

const by = { actor: "cli" };
const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z" };

async function start(events: WebhookType[] = []) {
  const service = await testService();
  const { db, now } = service;
  const fields = { name: "Shop", url: "https://shop.example/hook", events, withPeople: true };
  await endpoints.add(db, { fields, secret: "sealed" }, by, now());
  const told = async () => {
    const rows = await look<{ body: string }>(db, "select body from webhook_deliveries order by id");
    return rows.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
  };
  return { ...service, told };
}

test("whoever changes a subscriber, by key, on their own page or in the dashboard: a webhook says so", async () => {
  const { clock, db, key, now, post, send, told } = await start();
  const headers = await key("Shop", ["newsletter:write"]);
  const ada = { email: "ada@example.com", consent };
  await post("/api/v1/subscribers", ada, headers);
  await post("/api/v1/subscribers", ada, headers); // nothing new
  await post("/api/v1/subscribers", { ...ada, tags: ["VIP"] }, headers);
  const { id = "" } = (await byEmail(db, ada.email)) ?? {};
  const patch = { method: "PATCH", headers: { ...headers, "content-type": "application/json" } };
  await send(`/api/v1/subscribers/${id}`, { ...patch, body: JSON.stringify({ name: "Ada" }) });
  const them = { email: ada.email, origin: { via: "preferences" as const }, now: now() };
  const nothing = { offered: [], chosen: [], siteLanguage: "en" };
  await savePreferences(db, them, { ...nothing, language: "nl", name: undefined });
  await pauseFor(db, them, new Date(now().getTime() + 86_400_000));
  clock.time += 86_400_001;
  await endPauses(db, now());
  const labels = { add: ["Friend"], remove: [] };
  await relabel(db, { selection: { ids: [id] }, labels }, by, now());
  const said = (await told()).map(({ type, data }) => [type, data.via, data.id === id, data.name, data.email]);
  expect(said).toEqual([
    ["subscriber.subscribed", "api", true, null, ada.email],
    ["subscriber.updated", "api", true, null, ada.email],
    ["subscriber.updated", "api", true, "Ada", ada.email],
    ["subscriber.updated", "preferences", true, "Ada", ada.email],
    ["subscriber.paused", "preferences", true, "Ada", ada.email],
    ["subscriber.resumed", "clock", true, "Ada", ada.email],
    ["subscriber.updated", "manager", true, "Ada", ada.email],
  ]);
});

test("an import reports no one, and a change of a thousand people is one call", async () => {
  const { db, now, told } = await start(["subscriber.updated", "audience.changed"]);
  const people = Array.from({ length: 1_001 }, (_, n) => ({
    ...{ email: `n${n}@example.com`, state: "active" as const, createdAt: now() },
    tags: ["Old list"],
  }));
  const terms = { revive: false, update: true, origin: { via: "import" as const } };
  await subscribe(db, { email: "n0@example.com" }, { via: "form" }, now());
  await importAll(db, people, terms, now());
  expect(await told()).toEqual([]);
  await relabel(db, { selection: { matching: {} }, labels: { add: ["VIP"], remove: [] } }, by, now());
  expect(await told()).toMatchObject([
    { type: "audience.changed", data: { via: "manager", count: 1_000 } },
    { type: "audience.changed", data: { via: "manager", count: 1 } },
  ]);
});

import Ajv from "ajv/dist/2020";
import formats from "ajv-formats";
import { expect, test } from "bun:test";
import * as confirmations from "../../db/newsletter/confirm";
import { importAll } from "../../db/newsletter/import";
import * as people from "../../db/newsletter/list";
import { subscribe, unsubscribe } from "../../db/newsletter/subscribers";
import { pauseFor } from "../../db/newsletter/preferences";
import { relabel } from "../../db/newsletter/list";
import * as postActions from "../../db/posts/bulk";
import * as posts from "../../db/posts/edit";
import * as projects from "../../db/projects/projects";
import { suppress } from "../../db/suppressions/suppressions";
import { applyVerdict } from "../../db/storage/verification";
import { record } from "../../db/ops/alerts";
import * as endpoints from "../../db/webhooks/endpoints";
import { webhookTypes } from "../../db/events/webhook-events";
import { broadcastStage } from "../../test/support/broadcasts/broadcasts";
import { hours, startedSequence } from "../../test/support/broadcasts/sequences";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { set } from "../../test/support/settings";
import { store } from "../../test/support/storage/stored-files";
import { eventSchema } from "./reference";
import type { JsonSchema, OpenApi } from "./responses";

const by = { actor: "owner@example.com" };
const everyone = { matching: {} };

/** Lets everything happen that endpoints hear of; one may have people, the other may not. */
async function everything() {
  const service = await testService();
  const { db, clock, post } = service;
  const now = () => new Date(clock.time);
  for (const withPeople of [true, false]) {
    const added = await endpoints.add(
      db,
      { fields: { name: "Blog", url: "https://example.com/", events: [], withPeople }, secret: "sealed" },
      by,
      now(),
    );
    await endpoints.ping(db, added?.id ?? "", by, now());
  }

  await set(db, "doubleOptIn", "true", { by: by.actor }, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com", name: "Ada" });
  await confirmations.confirmByHand(db, { selection: everyone, why: "She asked" }, by, now());
  await people.unsubscribe(db, everyone, by, now());
  await people.reactivate(db, everyone, by, now());
  await changeAda(service);
  const complaint = { email: "ada@example.com", reason: "complaint" as const };
  await db.write((orm) => suppress(orm, complaint, { via: "provider" }, now()));
  await people.remove(db, everyone, by, now());
  await post("/api/contact", { name: "Bo", email: "bo@example.com", message: "x".repeat(2_000) });

  const post1 = { title: "Tides", slug: "tides", excerpt: "", content: "Hello", coverImage: "", author: "", tags: [] };
  await posts.create(db, { ...post1, published: true, publishedAt: now() }, by, now());
  for (const action of ["tag", "unpublish"] as const)
    await postActions.applyAction(db, { action, selection: { matching: {} }, tagName: "sea" }, by, now());
  const telling = { confirmMs: 0, recipient: undefined };
  const fault = { subject: "", title: "Only 3 GB are free", detail: "Make space." };
  for (const faults of [[fault], [fault], [], []])
    await record(db, { name: "disk", faults, unknown: [] }, telling, now());
  const project = { title: "Clock", slug: "clock", description: "", imageUrl: "", liveUrl: "", githubUrl: "" };
  await projects.create(db, { ...project, featured: false, status: "DRAFT", tech: [], author: "" }, by, now());
  await store(service, {});
  const verifier = { name: "Scanner", url: "https://example.com/", events: ["upload.verify"], withPeople: false };
  await endpoints.add(db, { fields: verifier, secret: "sealed" }, by, now());
  const [refused = ""] = await store(service, {});
  await db.write((orm) => applyVerdict(orm, refused, { isAccepted: false, by: "Scanner", reason: "EICAR" }, now()));
  const stage = await broadcastStage({ people: 1, db });
  await stage.confirmed();
  stage.clock.time = clock.time;
  await startedSequence(db, now(), { name: "Short", waits: [hours(0)] });
  await startedSequence(db, now(), { name: "Long", waits: [hours(1)] });
  await subscribe(db, { email: "cy@example.com" }, { via: "manager" }, now());
  const sender = stage.sender();
  await sender.drain();
  await unsubscribe(db, "cy@example.com", { via: "link" }, now());
  await sender.drain();
  await sender.close();
  return service;
}

async function changeAda({ db, now }: Awaited<ReturnType<typeof testService>>) {
  const labels = { add: ["VIP"], remove: [] };
  await relabel(db, { selection: everyone, labels }, by, now());
  const ada = { email: "ada@example.com", origin: { via: "preferences" as const }, now: now() };
  await pauseFor(db, ada, new Date(now().getTime() + 86_400_000));
  await pauseFor(db, ada, undefined);
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ email: `n${n}@example.com`, state: "active" as const, createdAt: now() },
  }));
  await importAll(db, many, { revive: false, origin: { via: "import" } }, now());
  await relabel(db, { selection: everyone, labels: { add: ["Crowd"], remove: [] } }, by, now());
  await look(db, "delete from subscribers where email <> 'ada@example.com'");
}

/** The sender adds a link to the bytes (src/webhooks/verify.test.ts). */
function asSent(text: string) {
  const { type, data, ...event } = JSON.parse(text);
  const link = type === "upload.verify" && { url: "https://s.example/", expiresAt: event.timestamp };
  return { type, ...event, data: { ...data, ...link } };
}

test("every event that an endpoint gets is as the document describes it, with people and without", async () => {
  const { db, get } = await everything();
  const document = (await (await get("/openapi.json")).json()) as OpenApi;
  const ajv = formats(new Ajv({ strict: false }));
  ajv.addSchema({ $id: "document", ...document });
  const bodies = (await look(db, "select body from webhook_deliveries")).map(({ body }) => asSent(String(body)));

  const unknown: unknown[] = [];
  for (const { type, timestamp, data } of bodies) {
    const { $ref = "" } = document.webhooks[type]?.post.requestBody ?? {};
    const isDocumented = ajv.compile({ $ref: `document${$ref}/content/application~1json/schema` });
    if (!isDocumented({ type, timestamp, data })) unknown.push([type, data, ajv.errorsText(isDocumented.errors)]);
    const event = eventSchema(document, document.webhooks[type]?.post.requestBody ?? { $ref: "" });
    const facts = event.properties?.data as JsonSchema;
    for (const name of Object.keys(data)) if (!(name in (facts.properties ?? {}))) unknown.push([type, name]);
  }
  expect(unknown).toEqual([]);
  const told = new Set(bodies.map(({ type }) => type));
  expect([...told].sort()).toEqual([...webhookTypes, "ping"].sort());
  expect(Object.keys(document.webhooks).sort()).toEqual([...told].sort());
});

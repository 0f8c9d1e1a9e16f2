import { afterEach, expect, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { byId, erasePerson } from "../../../db/people/erasures";
import { serviceWithPerson, traces, zebulon } from "../../../test/support/broadcasts/people";
import { addRecipients } from "../../../test/support/broadcasts/sent";
import { everything, isOnPostgres, look, onSqlite } from "../../../test/support/look";
import { checkFile } from "../../people/erasure-check";

const path = "/dashboard/people";
const at = (rest: string, email = zebulon.email) => `${path}${rest}?address=${encodeURIComponent(email)}`;
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function stage() {
  const service = await serviceWithPerson();
  afterwards.push(
    () => service.folder[Symbol.dispose](),
    () => service.db.close(),
  );
  const text = async (url: string) => (await service.manager.get(url)).text();
  return { ...service, text };
}

const whole = { subscription: "yes", messages: "yes", suppression: "yes", request: "Asked by phone" };

test("the page of a subscriber shows what happened to them, and what is stored", async () => {
  const { manager, text } = await stage();
  const found = await manager.get(at("", " ZEBULON.quux@example.com"));
  const page = found.headers.get("location") ?? "";
  expect([found.status, page.startsWith("/dashboard/newsletter/")]).toEqual([303, true]);
  const shown = await text(page);
  for (const words of [
    ...["Bounced", "Welcome", "Trash", "peculiar sentence", "Subscribed via blog", "Suppressed (bounce: 550"],
    ...["1 (0 reported as delivered)", "1 subscription, 1 broadcast, 1 email, 2 messages, 3 events"],
  ])
    expect(shown).toContain(words);
});

test("who never wrote is not asked about messages", async () => {
  const { db, manager, now } = await stage();
  await subscribers.subscribe(db, { email: "silent@example.com" }, { via: "form" }, now());
  const page = await (await manager.get(at("/erase", "silent@example.com"))).text();
  expect(page).not.toMatch(/0 messages from|type="checkbox"[^>]* name="messages"/);
  expect(page).toContain('<input type="hidden" name="messages" value="yes">');
});

test("the broadcasts of a person come newest first, in whichever order they were written", async () => {
  const { db, stage: sending, text } = await stage();
  const id = await sending.confirmed();
  await addRecipients(db, id, [{}, {}]);
  await look(db, "update broadcasts set subject = 'Long ago', started_at = 1 where id = ?", [id]);
  const { broadcasts } = JSON.parse(await text(at("/export.json")));
  expect(broadcasts.map(({ subject }: { subject: string }) => subject)).toEqual(["News", "Long ago"]);
});

test("people who never subscribed have a page too; for an invalid address the form is shown again", async () => {
  const { post, text, manager } = await stage();
  await post("/api/contact", {
    name: "Only Wrote",
    email: "wrote@example.com",
    message: "Never subscribed to anything.",
  });
  const shown = await text(at("", "wrote@example.com"));
  for (const words of [
    "Not a subscriber",
    "Only Wrote",
    "0 subscriptions, 0 broadcasts, 0 emails, 1 message, 0 events",
  ])
    expect(shown).toContain(words);
  expect(await text(at("/print", "wrote@example.com"))).toContain("Never subscribed to anything.");
  expect((await manager.get(at("", "nobody"))).status).toBe(422);
});

test("emails of sequences are not counted as broadcasts", async () => {
  const { db, manager, text } = await stage();
  await look(db, "update broadcasts set kind = 'step', post_id = null");
  const shown = await text((await manager.get(at(""))).headers.get("location") ?? "");
  expect(shown).toContain("0 and 1 email of sequences (0 reported as delivered)");
  expect(shown).toContain("1 subscription, 0 broadcasts, 1 email of sequences, 1 email, 2 messages");
});

test("the page of an address that was erased leads to the proof, and says that it does", async () => {
  const { manager, text } = await stage();
  const erased = { address: zebulon.email, typed: zebulon.email };
  const proof = (await manager.submit(`${path}/erase`, { ...whole, ...erased })).headers.get("location") ?? "";
  expect(await text(at(""))).toContain(`<a href="${proof}">Proof</a>`);
});

test("People’s data has one name: in the navigation, as title and heading, and where pages lead back to it", async () => {
  const { manager } = await stage();
  const page = async (url: string) => (await manager.get(url)).text();
  const html = await page(path);
  expect(html.match(/<title>([^·]+) ·/)?.[1]).toBe("People’s data");
  expect(html.match(/<h1[^>]*>([^<]+)/)?.[1]).toBe("People’s data");
  expect(html).not.toContain('class="crumb"');
  expect(html).toMatch(/href="\/dashboard\/people"[^>]*aria-current="page"[^>]*>[\s\S]*?People’s data/);
  const erased = { address: zebulon.email, typed: zebulon.email };
  const proof = (await manager.submit(`${path}/erase`, { ...whole, ...erased })).headers.get("location") ?? "";
  expect(proof).toContain("/erasures/");
  for (const url of [at("", "never@example.com"), proof])
    expect((await page(url)).match(/class="crumb">\s*<a href="([^"]+)"[\s\S]*?<span>([^<]+)/)?.slice(1)).toEqual([
      path,
      "People’s data",
    ]);
});

test("the export is everything as JSON, without hashes and tokens, and on record", async () => {
  const { db, text } = await stage();
  const json = await text(at("/export.json"));
  const [sub] = await look<{ id: string }>(db, "select id from subscribers where email = ?", [zebulon.email]);
  const [known] = await look<{ hash: string }>(db, "select hash from suppressions where reason = 'bounce'");
  for (const hidden of [known?.hash ?? "?", sub?.id ?? "?", "owner@example.com", "bada", "token"])
    expect(json).not.toContain(hidden);
  const person = JSON.parse(json);
  expect(person).toMatchObject({
    ...{ format: "postroom-person/2", address: zebulon.email },
    subscription: { email: zebulon.email, name: `${zebulon.name} II`, source: "fair", status: "suppressed" },
    suppression: { reason: "bounce", detail: `550 <${zebulon.email}> unknown` },
    events: [
      { kind: "suppressed" },
      { kind: "changed", via: "manager", note: "name\nsource" },
      { kind: "subscribed", via: "form", source: "blog" },
    ],
    emails: [{ kind: "welcome", recipient: zebulon.email, state: "queued" }],
    broadcasts: [{ subject: "News", state: "simulated", error: null }],
    providerReports: [{ type: "email.bounced", bounceType: "Permanent/General" }],
    changes: [{ action: "message.trash" }, { action: "subscriber.change" }],
  });
  expect(person.messages.map(({ box, message }: Record<string, string>) => [box, message])).toEqual([
    ["inbox", `${zebulon.message} Again.`],
    ["trash", zebulon.message],
  ]);
  expect(await look(db, "select target from audit_events where action = 'person.export'")).toEqual([
    { target: zebulon.email },
  ]);
});

test("an owner erases after typing the address; the proof names no one", async () => {
  const { db, manager, text, now } = await stage();
  const question = await text(at("/erase"));
  expect(question).toContain("1 subscription, 1 broadcast");
  const fields = { ...whole, address: zebulon.email };
  const refused: [Record<string, string>, string][] = [
    [{ ...fields, typed: "someone@example.com" }, `Enter ${zebulon.email} exactly.`],
    [{ ...fields, typed: zebulon.email, request: `For ${zebulon.email}` }, "Leave the address out"],
    [{ address: zebulon.email, typed: zebulon.email }, "Choose what to erase."],
  ];
  for (const [given, words] of refused) {
    const again = await manager.submit(`${path}/erase`, given);
    const html = await again.text();
    expect([again.status, html.includes(words), html.split(" autofocus").length]).toEqual([422, true, 2]);
  }
  expect(await look(db, "select count(*) n from erasures")).toEqual([{ n: 0 }]);

  const done = await manager.submit(`${path}/erase`, { ...fields, typed: zebulon.email.toLowerCase() });
  const proof = done.headers.get("location") ?? "";
  expect([done.status, proof.startsWith(`${path}/erasures/`)]).toEqual([303, true]);
  expect(await text(path)).toContain(`href="${proof}"`); // and is found again
  const shown = await text(proof);
  for (const words of ["Olive Owner", "Asked by phone", "Subscription, messages, address suppressed"])
    expect(shown).toContain(words);
  expect(shown.includes("PostgreSQL removes deleted rows when it vacuums.")).toBe(isOnPostgres);
  const left = (await everything(db)).toLowerCase();
  for (const trace of traces)
    expect([trace, left.includes(trace), shown.toLowerCase().includes(trace)]).toEqual([trace, false, false]);
  expect(await byId(db, proof.split("/").at(-1) ?? "")).toMatchObject({ at: now(), isWaiting: false });
  const after = await text(at(""));
  expect([after.includes("Not a subscriber"), after.includes(proof)]).toEqual([true, true]);
});

onSqlite("searching the file")("the proof does not mistake a longer address for the one that was erased", async () => {
  const { db, post, text, logFile, now } = await stage();
  await post("/api/newsletter/subscribe", { email: `x${zebulon.email}` });
  const what = { email: zebulon.email, scope: ["subscription" as const, "messages" as const] };
  const erasure = await erasePerson(db, logFile, what, { actor: "cli", via: "cli" }, now());
  await checkFile(db, erasure, zebulon.email, { maxVacuumBytes: 0, now });
  expect(await text(`${path}/erasures/${erasure.id}`)).toContain("for example in a longer address");
});

test("managers who are no owners see and export, and do not erase", async () => {
  const { db, signIn } = await stage();
  const manager = await signIn({ email: "milo@example.com", name: "Milo", role: "manager" });
  expect((await manager.get(at("/export.json"))).status).toBe(200);
  const page = await (await manager.get((await manager.get(at(""))).headers.get("location") ?? "")).text();
  expect([page.includes("Only owners can erase a person’s data."), page.includes("erase-person")]).toEqual([
    true,
    false,
  ]);
  expect((await manager.get(at("/erase"))).status).toBe(403);
  const fields = { ...whole, address: zebulon.email, typed: zebulon.email };
  expect((await manager.submit(`${path}/erase`, fields)).status).toBe(403);
  expect(await look(db, "select count(*) n from erasures")).toEqual([{ n: 0 }]);
});

import { expect, test } from "bun:test";
import { changePeople } from "../../../db/newsletter/change-people";
import { endPauses } from "../../../db/newsletter/pause";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as mailList from "../../../db/mail/list";
import { suppress } from "../../../db/suppressions/suppressions";
import { addTopic, allTopics, archiveTopic } from "../../../db/newsletter/topics";
import { look } from "../../../test/support/look";
import { nextPeer, testService } from "../../../test/support/service";
import { whyNot } from "../../mail/deliver";
import { preferencesLink, recordLink, unsubscribeLink } from "../../security/links";

const email = "solveig@example.no";
const path = "/newsletter/preferences";

/** A subscriber named Solveig, two topics, and what they do on the page of their own. */
async function withSomeone(name: string | null = "Solveig Aase") {
  const service = await testService();
  const { config, db, now, get, send } = service;
  for (const topic of ["Field notes", "Workshops"])
    await addTopic(db, { name: topic, sentence: `About ${topic}.`, isDefault: false }, { actor: "cli" }, now());
  const input = { email, name, language: "es", topics: ["field-notes"] };
  await subscribers.subscribe(db, input, { via: "form" }, now());
  const link = preferencesLink(config, email);
  const page = async (url = link) => (await get(url)).text();
  const press = (fields: Record<string, string> | [string, string][], peer = nextPeer()) =>
    send(link, { method: "POST", body: new URLSearchParams(fields) }, peer);
  /** Presses a button, and returns the page that it leads to. */
  const follow = async (fields: Record<string, string> | [string, string][]) =>
    page((await press(fields)).headers.get("location") ?? "");
  const person = () => subscribers.byEmail(db, email);
  const events = () => look(db, "select kind, via, note from subscriber_events order by created_at, id");
  const mails = () => look(db, "select kind, recipient from outbox where kind = 'record'");
  return { ...service, link, page, press, follow, person, events, mails };
}

const tickedIn = (html: string) => [...html.matchAll(/value="([\w-]+)" checked/g)].map(([, slug]) => slug);

test("opening the page changes nothing, and shows no address and no name", async () => {
  const { page, link, get, events, person } = await withSomeone();
  const before = [await events(), await person()];
  for (const headers of [{}, { "sec-purpose": "prefetch" }]) await get(link, headers);
  const html = await page();
  expect(html).toContain('<html lang="es">');
  expect(html).toContain("so•••@example.no");
  expect(html.replaceAll(/(href|action)="[^"]*"/g, "")).not.toMatch(/solveig|Aase/i);
  expect(html).not.toContain("<script");
  expect(tickedIn(html)).toEqual(["field-notes"]);
  expect(tickedIn(await page(`${link}&topic=workshops`))).toEqual(["field-notes", "workshops"]);
  expect([await events(), await person()]).toEqual(before);
});

test("topics, language and name are saved together, as one change; what is left empty stays", async () => {
  const { follow, person, events, page } = await withSomeone();
  const html = await follow([
    ["do", "save"],
    ["offered", "field-notes,workshops"],
    ["topics", "workshops"],
    ["language", "nl"],
    ["name", ""],
  ]);
  expect(html).toContain('<html lang="nl">');
  expect(html).toContain("Opgeslagen.");
  expect(tickedIn(html)).toEqual(["workshops"]);
  expect(await person()).toMatchObject({ name: "Solveig Aase", language: "nl" });
  await follow({ do: "save", language: "klingon", name: "Solveig" });
  expect(await person()).toMatchObject({ name: "Solveig", language: "nl" });
  expect(tickedIn(await page())).toEqual(["workshops"]); // the form offered none
  expect((await events()).filter(({ kind }) => kind === "changed")).toEqual([
    { kind: "changed", via: "preferences", note: "topics: +Workshops −Field notes\nlanguage: nl" },
    { kind: "changed", via: "preferences", note: "name" },
  ]);
});

test("a topic that they left comes back by their own choice alone; an archived one can still be left", async () => {
  const { db, now, follow, page, person } = await withSomeone();
  const [notes] = await db.read(allTopics);
  if (!notes) throw new Error("No topic");
  const save = (...topics: string[]) =>
    follow([
      ["do", "save"],
      ["offered", "field-notes,workshops"],
      ...topics.map((slug) => ["topics", slug] as [string, string]),
    ]);
  await save();
  const { row, id } = (await person()) ?? { row: 0, id: "" };
  const wanted = { person: { row, id }, topics: { add: [notes], remove: [] } };
  await db.write((orm) => changePeople(orm, [wanted], { via: "manager" }, now()));
  expect(tickedIn(await page())).toEqual([]);
  expect(tickedIn(await save("field-notes", "made-up"))).toEqual(["field-notes"]);
  await archiveTopic(db, { id: notes.id, isArchived: true }, { actor: "cli" }, now());
  expect(await page()).toContain("Field notes");
  expect(await save()).not.toContain("Field notes");
  expect(tickedIn(await save("field-notes"))).toEqual([]);
});

test("a break ends by itself or by its button, and leaving is one press away", async () => {
  const { db, clock, now, follow, person, events, page } = await withSomeone();
  const html = await follow({ do: "pause", months: "2" });
  expect(html).toContain("21 de enero de 2027");
  expect((await person())?.pausedUntil).toEqual(new Date("2027-01-21T12:00:00Z"));
  expect(await follow({ do: "resume" })).toContain("Tu pausa ha terminado.");
  await follow({ do: "pause", months: "1000" });
  expect((await person())?.pausedUntil).toEqual(new Date("2027-02-21T12:00:00Z"));
  clock.time = Date.parse("2027-02-21T12:00:00Z");
  await endPauses(db, now());
  expect((await person())?.pausedUntil).toBeNull();
  expect(await follow({ do: "leave" })).toContain("/api/newsletter/subscribe-again?");
  expect(await person()).toMatchObject({ state: "unsubscribed" });
  await follow({ do: "save", offered: "field-notes,workshops", language: "de" });
  await follow({ do: "pause", months: "1" });
  expect(await person()).toMatchObject({ state: "unsubscribed", language: "es", pausedUntil: null });
  expect(await page()).not.toContain("<fieldset");
  const kinds = (await events()).map(({ kind, via }) => [kind, via]);
  expect(kinds.slice(-5)).toEqual([
    ["paused", "preferences"],
    ["resumed", "preferences"],
    ["paused", "preferences"],
    ["resumed", "clock"],
    ["unsubscribed", "preferences"],
  ]);
});

test("what is stored is emailed to the address itself, three times a day, and its link works for an hour", async () => {
  const { config, clock, now, follow, mails, get } = await withSomeone();
  for (let i = 0; i < 3; i++) expect(await follow({ do: "record" })).toContain("va de camino a");
  expect(await follow({ do: "record" })).toContain("tres veces");
  expect(await mails()).toEqual(Array(3).fill({ kind: "record", recipient: email }));
  const link = recordLink(config, email, now());
  const answer = await get(link);
  expect(answer.headers.get("content-disposition")).toStartWith("attachment");
  expect(await answer.json()).toMatchObject({
    address: email,
    subscription: { name: "Solveig Aase", language: "es" },
  });
  expect((await get(link.replace("email=solveig", "email=other"))).status).toBe(400);
  expect((await get(link.replace("/newsletter/record?", "/api/newsletter/confirm?"))).status).toBe(400);
  clock.time += 3_600_001;
  expect((await get(link)).status).toBe(410);
});

test("a wrong token gets the bytes of every link that is not valid, whoever's address is in it", async () => {
  const { config, get, send } = await withSomeone();
  const invalid = await (await get("/api/newsletter/unsubscribe?email=a&token=b")).text();
  const other = new URL(preferencesLink(config, "someone@else.example")).searchParams.get("token") ?? "";
  for (const address of [email, "nobody@example.com"])
    for (const method of ["GET", "POST"]) {
      const answer = await send(`${path}?${new URLSearchParams({ email: address, token: other })}`, { method });
      expect([answer.status, await answer.text()]).toEqual([400, invalid]);
    }
});

test("twenty changes in ten minutes are enough, but leaving is never refused", async () => {
  const { press, person, config, get } = await withSomeone();
  const peer = nextPeer();
  for (let i = 0; i < 20; i++) expect((await press({ do: "resume" }, peer)).status).toBe(303);
  expect((await press({ do: "pause", months: "1" }, peer)).status).toBe(429);
  expect((await press({ do: "leave" }, peer)).status).toBe(303);
  expect(await person()).toMatchObject({ state: "unsubscribed", pausedUntil: null });
  expect((await get(unsubscribeLink(config, email))).status).toBe(200);
});

test.each(["bounce", "complaint"] as const)(
  "no page promises email to an address that gets none because of a %s; its owner may lift what is theirs",
  async (reason) => {
    const { db, now, follow, page, send, link, person } = await withSomeone();
    await db.write((orm) => suppress(orm, { email, reason }, { via: "provider" }, now()));
    const stopped = "Por ahora no se envía nada a";
    const again = link.replace("/newsletter/preferences", "/api/newsletter/subscribe-again");
    for (const html of [await page(), await follow({ do: "save" }), await follow({ do: "resume" })]) {
      expect(html).toContain(stopped);
      expect(html).not.toMatch(/Recibirás el próximo|se aplican desde/);
    }
    expect((await send(again, { method: "POST" }, nextPeer())).status).toBe(303);
    const isLifted = (await person())?.suppressedAt === null;
    expect(isLifted).toBe(reason === "complaint");
    const answer = await page(again);
    expect([answer.includes(stopped), answer.includes("recibirá el boletín")]).toEqual([!isLifted, isLifted]);
  },
);

test("nothing is sent during a break, also no welcome that was still waiting", async () => {
  const { db, now, follow } = await withSomeone();
  const [mail] = (await mailList.list(db, { kind: "welcome" }, { page: 1, per: 10 })).rows;
  if (!mail) throw new Error("No welcome email");
  expect(await whyNot(db, mail, now())).toBeUndefined();
  await follow({ do: "pause", months: "1" });
  expect(await whyNot(db, mail, now())).toBe("Taking a break");
  await follow({ do: "resume" });
  expect(await whyNot(db, mail, now())).toBeUndefined();
});

import { expect, test } from "bun:test";
import { create } from "../../db/broadcasts/edit";
import { changePeople } from "../../db/newsletter/change-people";
import { addField, allFields } from "../../db/newsletter/fields";
import { type FieldValue, storedValue } from "../../db/newsletter/field-values";
import * as subscribers from "../../db/newsletter/subscribers";
import { addTopic } from "../../db/newsletter/topics";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { fakeProvider, refusal } from "../../test/support/mail";
import { confirmBroadcast } from "./freeze";
import { writeEmails } from "./letter/emails";
import { Sender } from "./sender";

const content =
  'From {city, "your town"}.\n\n{orders, "no"} orders, last {last}, member: {member}.\n\nRead {topic "recipes"}.';

/** Ada has a value of each field, Bo has none. */
async function stageWithFields() {
  const clock = { time: 0 };
  const provider = await fakeProvider({ now: () => new Date(clock.time) });
  const stage = await broadcastStage({ env: { ...provider.env, BASE_URL: "https://x.example" } });
  const { db, now } = stage;
  clock.time = stage.clock.time;
  const types = { city: "text", orders: "number", last: "date", member: "boolean" } as const;
  for (const [key, type] of Object.entries(types)) await addField(db, { key, name: key, type, options: [] }, by, now());
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now());
  for (const email of ["ada@x.example", "bo@x.example"])
    await subscribers.subscribe(db, { email, language: "de" }, { via: "form" }, now());
  const set = async (values: Record<string, FieldValue>) => {
    const person = await subscribers.byEmail(db, "ada@x.example");
    const fields = (await db.read(allFields)).flatMap((field) => {
      const value = field.key in values ? storedValue(field, values[field.key]) : undefined;
      return value ? [{ field, value }] : [];
    });
    if (person) await db.write((orm) => changePeople(orm, [{ person, fields }], { via: "manager" }, now()));
  };
  await set({ city: "<Köln> & {name}", orders: 1_234, last: "2026-11-20", member: true });
  const fields = {
    subject: 'To {city, "you"}',
    preheader: "",
    fromName: "",
    archive: "none" as const,
    content,
    segment: {},
  };
  const { id } = await create(db, { source: { kind: "own" }, fields }, by, now());
  expect(await confirmBroadcast({ config: stage.config, db }, id, { at: now(), by }, now())).toMatchObject({
    outcome: "changed",
    checks: expect.arrayContaining([expect.objectContaining({ code: "no-value" })]) as never,
  });
  const sender = new Sender({ ...stage }, { write: writeEmails });
  const later = async (ms: number) => {
    stage.clock.time += ms;
    clock.time = stage.clock.time;
    await sender.drain();
  };
  const close = async () => {
    await sender.close();
    await db.close();
    await provider.stop();
  };
  return { ...stage, provider, sender, set, later, close };
}

test("values of the site's fields are filled in, escaped, in the language of the text; without one, the fallback is", async () => {
  const { provider, sender, close } = await stageWithFields();
  await sender.drain();
  const [ada, bo] = ["ada@x.example", "bo@x.example"].map((to) =>
    provider.attempts.find((email) => email.to.includes(to)),
  );
  expect([ada?.subject, bo?.subject]).toEqual(["To <Köln> & {name}", "To you"]);
  expect(ada?.html).toContain("From &lt;Köln&gt; &amp; {name}.");
  expect(ada?.text).toContain("From <Köln> & {name}.\n\n1,234 orders, last 20 November 2026, member: Yes.");
  expect(bo?.text).toContain("From your town.\n\nno orders, last, member:.");
  const link = /Recipes <(https:[^>]+)>/.exec(ada?.text ?? "")?.[1] ?? "";
  expect([new URL(link).pathname, new URL(link).searchParams.get("topic")]).toEqual([
    "/newsletter/preferences",
    "recipes",
  ]);
  expect(new URL(link).searchParams.get("email")).toBe("ada@x.example");
  expect(ada?.html).toContain('topic=recipes">Recipes</a>');
  await close();
});

test("an attempt is repeated with the values of the first, whatever became of them", async () => {
  const { db, provider, sender, set, later, close } = await stageWithFields();
  provider.behave = (email) => (provider.deliver(email), "reset");
  await sender.drain();
  const first = provider.attempts.find(({ to }) => to.includes("ada@x.example"));
  const [batch] = await look<{ frozen: string }>(db, "select frozen from broadcast_batches");
  expect(JSON.parse(batch?.frozen ?? "")[0].slice(4)).toEqual([
    "de",
    { city: "<Köln> & {name}", orders: "1,234", last: "20 November 2026", member: "Yes" },
  ]);
  await set({ city: "Bonn" });
  provider.behave = () => undefined;
  await later(3_600_000);
  expect(provider.attempts.filter(({ to }) => to.includes("ada@x.example"))).toEqual([first, first] as never);
  await close();
});

test("after a refusal the values are those of now", async () => {
  const { provider, sender, set, later, close } = await stageWithFields();
  provider.behave = () => refusal(429, "rate_limit_exceeded");
  await sender.drain();
  await set({ city: "Bonn" });
  provider.behave = () => undefined;
  await later(3_600_000);
  const subjects = provider.attempts.filter(({ to }) => to.includes("ada@x.example")).map(({ subject }) => subject);
  expect(subjects).toEqual(["To <Köln> & {name}", "To Bonn"]);
  await close();
});

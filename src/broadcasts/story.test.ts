import { expect, test } from "bun:test";
import * as subscribers from "../../db/newsletter/subscribers";
import { openCourse, placesIn } from "../../test/support/broadcasts/sequences";
import { fakeProvider } from "../../test/support/mail";
import { nextPeer, testService } from "../../test/support/service";
import { confirmLink } from "../security/links";
import { writeEmails } from "./letter/emails";
import { Sender } from "./sender";

const email = "ada@reader.example";
const day = 86_400_000;

async function openSite() {
  const clock = { time: 0 };
  const provider = await fakeProvider({ now: () => new Date(clock.time) });
  const service = await testService({ BASE_URL: "https://site.example", ...provider.env });
  const { config, db, now, deps } = service;
  clock.time = service.clock.time;
  await openCourse({ config, db }, now());
  const sender = new Sender(deps, { write: writeEmails });
  const later = async (ms: number) => {
    service.clock.time += ms;
    clock.time = service.clock.time;
    await sender.drain();
  };
  const emails = () => provider.delivered().filter(({ key }) => key.startsWith("b/"));
  const close = async () => {
    await sender.close();
    provider.stop();
  };
  return { ...service, later, emails, close };
}

test("someone signs up in Spanish with two topics, confirms, gets a sequence of three, drops a topic, takes a break and leaves", async () => {
  const { config, db, post, send, get, later, emails, close } = await openSite();
  const person = () => subscribers.byEmail(db, email);
  const press = (url: string, fields: Record<string, string>) =>
    send(url, { method: "POST", body: new URLSearchParams(fields) }, nextPeer());
  const subjects = () => emails().map(({ subject }) => subject);
  const signUp = { email, language: "es", topics: ["field-notes", "workshops"] };
  expect((await post("/api/newsletter/subscribe", signUp)).status).toBe(201);
  await later(0);
  const asked = (await person())?.pendingAt;
  expect([asked, subjects()]).toEqual([expect.any(Date), []]);

  const confirm = confirmLink(config, email, asked ?? new Date(0));
  const confirmed = await send(confirm, { method: "POST" }, nextPeer());
  expect(confirmed.status).toBe(303);
  expect(await (await get(confirmed.headers.get("location") ?? "")).text()).toContain('<html lang="es">');
  await later(0);
  expect([(await person())?.pendingAt, subjects()]).toEqual([null, ["First"]]);
  const [first] = emails();
  expect(first?.html).toContain('lang="es"');
  expect(first?.text).toContain("Hola amiga.");
  const [own = ""] = /https:\/\/site\.example\/newsletter\/preferences\?\S+/.exec(first?.text ?? "") ?? [];

  expect(await (await get(own)).text()).toContain("Tu boletín");
  await press(own, {
    do: "save",
    offered: "field-notes,workshops",
    topics: "field-notes",
    language: "es",
    name: "Ada",
  });
  expect(await (await get(own)).text()).toMatch(/value="field-notes" checked/);
  expect(await (await get(own)).text()).not.toMatch(/value="workshops" checked/);
  await later(day);
  expect(subjects()).toEqual(["First", "Second"]);
  expect(emails()[1]?.text).toContain("Hola Ada.");

  await press(own, { do: "pause", months: "1" });
  await later(3 * day);
  expect(subjects()).toEqual(["First", "Second"]);
  await press(own, { do: "resume" });
  await later(0);
  expect(subjects()).toEqual(["First", "Second", "Third"]);
  expect(await placesIn(db)).toEqual({ [email]: "done" });

  await press(own, { do: "leave" });
  expect(await (await get(own)).text()).toContain('<html lang="es">');
  expect(await person()).toMatchObject({ state: "unsubscribed", language: "es" });
  await later(30 * day);
  expect(subjects()).toHaveLength(3);
  await close();
});

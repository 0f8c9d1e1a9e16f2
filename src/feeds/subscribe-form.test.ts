import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { suppress } from "../../db/suppressions/suppressions";
import { erasePerson } from "../../db/people/erasures";
import * as subscribers from "../../db/newsletter/subscribers";
import { languages } from "../../db/settings/rules";
import { temporaryFolder } from "../../test/support/processes";
import { nextPeer, testService } from "../../test/support/service";
import * as settings from "../../test/support/settings";

// The page of the form is the same whoever's address was typed: it tells no one who is subscribed

const form = { via: "form" } as const;
const by = { actor: "test", via: "cli" } as const;
const emails = ["new", "active", "pending", "stale", "left", "suppressed", "listed", "forgotten"].map(
  (name) => `${name}@example.com`,
);

/** A service that knows one address in every state, and what a visitor gets who types each of them. */
async function known() {
  const service = await testService();
  const { clock, db, now, send } = service;
  using folder = temporaryFolder();
  const subscribe = (name: string) => subscribers.subscribe(db, { email: `${name}@example.com` }, form, now());
  const suppressed = (name: string) =>
    db.write((orm) => suppress(orm, { email: `${name}@example.com`, reason: "bounce" }, { via: "provider" }, now()));
  const set = (key: string, value: string) => settings.set(db, key, value, { by: "test" }, now());

  for (const name of ["active", "left", "suppressed", "forgotten"]) await subscribe(name);
  await subscribers.unsubscribe(db, "left@example.com", form, now());
  await suppressed("suppressed");
  await suppressed("listed");
  const what = { email: "forgotten@example.com", scope: ["subscription" as const, "suppression" as const] };
  await erasePerson(db, join(folder.path, "erasures.log"), what, by, now());
  await set("doubleOptIn", "true");
  for (let n = 0; n < 5; n++, clock.time += 25 * 3_600_000) await subscribe("stale"); // gets no more links
  clock.time += 8 * 24 * 3_600_000;
  await subscribe("pending");
  await set("doubleOptIn", "false");

  /** Everything that tells one response from another. */
  const answerTo = async (email: string) => {
    const init = { method: "POST", body: new URLSearchParams({ email }) };
    const response = await send("/newsletter/subscribe", init, nextPeer());
    const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
    return { status: response.status, headers, text: await response.text() };
  };
  return { ...service, answerTo, set };
}

const distinct = (pages: object[]) => [...new Set(pages.map((page) => JSON.stringify(page)))];

test.each(languages)("whatever is known of an address, its page in the language %s is the same", async (language) => {
  for (const isDoubleOptIn of ["false", "true"]) {
    const { answerTo, set } = await known();
    await set("language", language);
    await set("doubleOptIn", isDoubleOptIn);
    const pages = await Promise.all(emails.map(answerTo));
    expect(pages[0]?.status).toBe(200);
    expect(distinct(pages)).toHaveLength(1);
  }
});

test("a site that takes no more subscribers in this hour says so of every address, and changes nothing", async () => {
  const { answerTo, db, now, set } = await known();
  await subscribers.subscribe(db, { email: "last@example.com" }, form, now());
  await set("newSubscribersPerHour", "1");
  const before = await subscribers.byEmail(db, "left@example.com");
  const pages = await Promise.all(emails.map(answerTo));
  expect(pages[0]?.status).toBe(429);
  expect(distinct(pages)).toHaveLength(1);
  expect(await subscribers.byEmail(db, "left@example.com")).toEqual(before);
});

test("whether an address was new, and so wrote more, does not tell by when the page comes", async () => {
  const { answerTo, deps } = await known();
  const moment = Promise.withResolvers<void>();
  using sleep = spyOn(deps, "sleep").mockReturnValue(moment.promise);
  const order: string[] = [];
  const answers = emails.map((email) => answerTo(email).then(() => order.push(email)));
  while (sleep.mock.calls.length < emails.length) await new Promise(setImmediate);
  for (let n = 0; n < 100; n++) await new Promise(setImmediate);
  expect(order).toEqual([]);
  moment.resolve();
  await Promise.all(answers);
  expect(new Set(sleep.mock.calls.flat()).size).toBe(1);
});

test("a form that says its language is answered in it, also where something has to be corrected", async () => {
  const { send, set } = await known();
  const answerTo = async (email: string) => {
    const body = new URLSearchParams({ email, language: "de-AT" });
    return (await send("/newsletter/subscribe", { method: "POST", body }, nextPeer())).text();
  };
  expect(await answerTo("new@example.com")).toContain('<html lang="de">');
  expect(await answerTo("new")).toContain('<html lang="de">');
  await set("newSubscribersPerHour", "1");
  expect(await answerTo("new@example.com")).toContain('<html lang="de">');
});

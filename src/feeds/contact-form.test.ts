import { expect, test } from "bun:test";
import * as messageList from "../../db/contact/list";
import { look, unplug } from "../../test/support/look";
import { nextPeer, testService } from "../../test/support/service";
import * as settings from "../../test/support/settings";

const valid = { name: "Hana Sato", email: "hana@example.com", message: "Hello, may I ask you something?" };
const shop = "https://shop.example";

async function form(env: Record<string, string> = {}) {
  const service = await testService({
    BASE_URL: "https://site.example",
    BLOG_URL: "https://blog.example",
    CORS_ORIGINS: shop,
    ...env,
  });
  const submit = (fields: Record<string, string> | string, headers: Record<string, string> = {}, peer = nextPeer()) =>
    service.send("/contact", { method: "POST", body: new URLSearchParams(fields), headers }, peer);
  const box = (box: "inbox" | "spam" | "quarantine") =>
    messageList.list(service.db, { box }, { page: 1, per: 100 }).then(({ rows }) => rows);
  return { ...service, submit, box };
}

test("a form of an allowed site stores a message as the API does, and says thank you", async () => {
  const { submit, post, box, db } = await form();
  const answer = await submit({ ...valid, source: "shop" }, { origin: shop, "sec-fetch-site": "cross-site" });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const page = await answer.text();
  expect(page).toContain("Thank you for your message.");
  expect(page).toContain(`<a href="${shop}">Back to shop.example</a>`);
  expect(await box("inbox")).toMatchObject([{ ...valid, source: "shop" }]);
  expect(await look(db, "select count(*) n from outbox")).toEqual([{ n: 1 }]);
  expect((await post("/api/contact", { ...valid, source: "shop" })).status).toBe(201); // a duplicate
  expect(await box("inbox")).toHaveLength(1);
});

test("a line break in a form is the one that the API stores, so both are the same message", async () => {
  const { submit, post, box } = await form();
  await submit({ ...valid, message: "Two lines\r\nof a message" });
  await post("/api/contact", { ...valid, message: "Two lines\nof a message" });
  expect(await box("inbox")).toMatchObject([{ message: "Two lines\nof a message", source: "landing" }]);
});

test("afterwards the visitor goes where the form says, if that is one of our sites", async () => {
  const { submit, box } = await form();
  const next = `${shop}/thanks?from=contact#top`;
  const answer = await submit({ ...valid, next });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, next]);
  const elsewhere = [
    "https://evil.example",
    `${shop}.evil.example/`,
    "//evil.example",
    "javascript:alert(1)",
    "/thanks",
    `blob:${shop}/0b0d`,
  ];
  for (const next of [...elsewhere, "https://shop.example@evil.example/", "http://shop.example/"]) {
    const answer = await submit({ ...valid, next });
    expect([next, answer.status, answer.headers.get("location")]).toEqual([next, 200, null]);
  }
  expect(await box("inbox")).toHaveLength(1);
});

test("what is wrong is said at its field, with all that was typed, and nothing is stored", async () => {
  const { submit, box } = await form();
  const next = `${shop}/thanks`;
  const typed = { name: 'A"><b>', email: "hana", message: "</textarea>", source: "shop", website: "https://a.example" };
  const answer = await submit({ ...typed, next });
  const page = await answer.text();
  expect(answer.status).toBe(400);
  expect(page).toContain('value="A&#34;>&lt;b>"');
  expect(page).toContain(">&lt;/textarea&gt;</textarea>");
  expect(page).toContain('<input type="hidden" name="source" value="shop">');
  expect(page).toContain('<input type="hidden" name="website" value="https://a.example">');
  expect(page).toContain(`<input type="hidden" name="next" value="${next}">`);
  expect(page).toContain("Enter a valid email address.");
  expect(page).not.toContain("Name must be");
  const empty = await (await submit({ name: " ", email: "", message: "x".repeat(2_001) })).text();
  for (const text of ["Name must be", "Enter a valid email", "Message must be"]) expect(empty).toContain(text);
  const again = await submit({ ...typed, next }, { origin: "https://site.example", "sec-fetch-site": "same-origin" });
  expect(await again.text()).toContain(`<a href="${shop}">Back to shop.example</a>`);
  expect(await box("inbox")).toEqual([]);
});

test("browsers let the corrected form lead to the page it says, and to no other site", async () => {
  const { submit } = await form();
  const policyOf = async (next: string) =>
    (await submit({ ...valid, message: "", next })).headers.get("content-security-policy");
  expect(await policyOf(`${shop}/thanks`)).toContain(`form-action 'self' ${shop};`);
  expect(await policyOf("https://evil.example/")).toContain("form-action 'self';");
});

test("the longest message fits, in any script; what is no form of ours is refused", async () => {
  const { submit, send, box } = await form();
  expect((await submit({ ...valid, name: "📮".repeat(100), message: "📮".repeat(2_000) })).status).toBe(200);
  expect(await box("inbox")).toHaveLength(1);
  const json = { method: "POST", body: JSON.stringify(valid), headers: { "content-type": "application/json" } };
  expect((await send("/contact", json)).status).toBe(400);
  const twice = `${new URLSearchParams({ ...valid, message: "Something else to ask" })}&name=Other`;
  for (const body of ["", twice, `source=${"x".repeat(101)}&${new URLSearchParams(valid)}`])
    expect((await submit(body)).status).toBe(400);
  expect(await box("inbox")).toHaveLength(1);
});

test("other sites send no messages in a visitor's name", async () => {
  const { submit, box } = await form();
  for (const origin of ["https://evil.example", "https://shop.example.evil.example"]) {
    const answer = await submit(valid, { origin, "sec-fetch-site": "cross-site" });
    const page = await answer.text();
    expect([answer.status, page.includes("Hana Sato")]).toEqual([400, false]);
    expect(page).toContain(`Forms on ${origin} are not accepted here yet.`);
  }
  expect(await box("inbox")).toEqual([]);
});

test("a page that hides its origin gets the filled form, which the visitor sends from ours", async () => {
  const { submit, box } = await form();
  const hidden = await submit(valid, { origin: "null", "sec-fetch-site": "cross-site" });
  expect([hidden.status, await box("inbox")]).toEqual([400, []]);
  expect(await hidden.text()).toContain('<input id="name" name="name" required autocomplete="name" value="Hana Sato">');
  expect((await submit(valid, { origin: "null", "sec-fetch-site": "same-origin" })).status).toBe(200);
  expect(await box("inbox")).toHaveLength(1);
});

test("form and API share one limit of five in ten minutes, and the page keeps the message", async () => {
  const { submit, post } = await form();
  const peer = nextPeer();
  for (let i = 0; i < 3; i++) expect((await submit({ ...valid, name: `Hana ${i}` }, {}, peer)).status).toBe(200);
  for (let i = 0; i < 2; i++) expect((await post("/api/contact", valid, {}, peer)).status).toBe(201);
  const refused = await submit(valid, {}, peer);
  const page = await refused.text();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "600"]);
  expect(page).toContain("Try again in 600 seconds.");
  expect(page).toContain(`>${valid.message}</textarea>`);
});

test("the hidden field, the quarantine and the cap are those of the API", async () => {
  const { submit, box, db, now } = await form();
  const set = (key: string, value: string) => settings.set(db, key, value, { by: "test" }, now());
  const spam = await submit({ ...valid, website: "https://pills.example" });
  expect([spam.status, await spam.text()]).toEqual([200, expect.stringContaining("Thank you") as never]);
  expect(await box("spam")).toHaveLength(1);
  await set("messagesPerHourBeforeQuarantine", "1");
  for (const name of ["One", "Two", "Three"]) await submit({ ...valid, name });
  expect([await box("inbox"), await box("quarantine")].map(({ length }) => length)).toEqual([1, 2]);
  await set("storedMessagesPerHour", "1");
  const refused = await submit({ ...valid, name: "Four" });
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect(await refused.text()).toContain(`>${valid.message}</textarea>`);
});

test("a failing database is a page that keeps the message, and reloading leads to the site", async () => {
  const { submit, get, db } = await form();
  const reloaded = await get("/contact");
  expect([reloaded.status, reloaded.headers.get("location")]).toEqual([303, "https://blog.example"]);
  await unplug(db);
  const failed = await submit(valid);
  const page = await failed.text();
  expect([failed.status, page.includes("Your message was not saved")]).toEqual([500, true]);
  expect(page).toContain(`>${valid.message}</textarea>`);
});

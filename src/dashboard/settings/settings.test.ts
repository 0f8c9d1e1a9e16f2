import { describe, expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import { hourlyLimit } from "../../../db/limits/hourly-limits";
import { claim } from "../../../db/mail/claim";
import * as settings from "../../../db/settings/settings";
import { set } from "../../../test/support/settings";
import { testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const path = "/dashboard/settings";
const htmx = {
  "hx-request": "true",
  "hx-request-type": "partial",
  "hx-current-url": `http://localhost:3000${path}/site`,
};

const pages = ["site", "brand", "email", "newsletter", "limits", "security", "appearance"];

/** All pages of Settings, one after the other. */
const pagesOf = async (reader: { get: (path: string) => Promise<Response> }) =>
  (await Promise.all(pages.map(async (page) => (await reader.get(`${path}/${page}`)).text()))).join("\n");

async function service(env: Record<string, string> = {}) {
  const own = await testService(env);
  const manager = await own.signIn();
  /** The fields of a form as the page has them, including hidden ones. */
  const fieldsOf = async (form: string, reader = manager) => {
    const page = await pagesOf(reader);
    return fieldsIn(page.split(`id="${form}"`)[1]?.split("</form>")[0] ?? "");
  };
  const saved = () => settings.readPublic(own.db);
  const events = async () => (await audit.list(own.db, { group: "setting" }, { page: 1, per: 50 })).events;
  return { ...own, manager, fieldsOf, saved, events };
}

function fieldsIn(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    if (name && name !== "_token" && !/type="radio"/.test(tag)) fields[name] = /value="([^"]*)"/.exec(tag)?.[1] ?? "";
  }
  for (const [, name = "", value = ""] of html.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>([^<]*)</g))
    fields[name] = value;
  return fields;
}

describe("a section", () => {
  test("offers the time zones, UTC first, and keeps one by another name", async () => {
    const { db, manager, now } = await service();
    const page = async () => (await manager.get(`${path}/site`)).text();
    expect(await page()).toMatch(/<select[^>]* name="timeZone"[^>]*><option value="" selected>UTC</);
    expect(await page()).toContain('<option value="Europe/Oslo">Oslo</option>');
    await set(db, "timeZone", "europe/oslo", { by: "ada@example.com" }, now());
    expect(await page()).toContain('<option value="europe/oslo" selected>');
    const wrong = await manager.submit(`${path}/site`, { timeZone: "Oslo", "timeZone.stamp": "none" });
    expect(await wrong.text()).toMatch(/<select[^>]* name="timeZone"[^>]* aria-invalid="true"/);
  });

  test("saves what was typed, for every API key to read, and says who did it", async () => {
    const { manager, fieldsOf, saved, events } = await service();
    const fields = { ...(await fieldsOf("form-site")), siteTitle: "  Tide tables ", siteKeywords: "tides, moon" };
    const answer = await manager.submit(`${path}/site`, fields);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/site#site`]);
    expect(await saved()).toEqual({ siteTitle: "Tide tables", siteKeywords: "tides, moon" });
    const page = await (await manager.get(`${path}/site`)).text();
    expect(page).toContain("Site details saved.");
    expect(page).toContain(`<span title="${manager.manager.email}">by Olive Owner</span>`);
    expect(
      (await events()).map(({ action, target, actor, address, details }) => ({
        action,
        target,
        actor,
        address,
        details,
      })),
    ).toContainEqual({
      action: "setting.change",
      target: "siteTitle",
      actor: manager.manager.email,
      address: "127.0.0.1",
      details: { to: "Tide tables" },
    });
  });

  test("through htmx replaces itself, with new stamps, so that it can be saved again", async () => {
    const { manager, fieldsOf, saved } = await service();
    const answer = await manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), siteTitle: "One" }, htmx);
    const html = await answer.text();
    expect(answer.headers.get("hx-retarget")).toBe("#form-site");
    expect(html).toContain("Site details saved.");
    const again = await manager.submit(`${path}/site`, { ...fieldsIn(html), siteTitle: "Two" }, htmx);
    expect(again.status).toBe(200);
    expect(await saved()).toEqual({ siteTitle: "Two" });
  });

  test("the language is one of six, and English is not stored before someone chooses it", async () => {
    const { db, manager, fieldsOf, saved } = await service();
    const choose = async (language: string) =>
      manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), language });
    await choose("");
    expect(await saved()).toEqual({});
    expect((await choose("de")).status).toBe(303);
    expect(await saved()).toEqual({ language: "de" });
    expect(await pagesOf(manager)).toContain('<option value="de" selected>');
    const refused = await choose("tlh");
    expect([refused.status, await saved()]).toEqual([422, { language: "de" }]);
    await expect(set(db, "language", "tlh", { by: "cli" }, new Date())).rejects.toThrow("choice");
    await choose("en");
    expect(await pagesOf(manager)).toContain('<option value="en" selected>');
  });

  test("an empty value removes the setting", async () => {
    const { manager, fieldsOf, saved, events } = await service();
    await manager.submit(`${path}/owner`, { ...(await fieldsOf("form-owner")), name: "Ada", jobTitle: "Analyst" });
    await manager.submit(`${path}/owner`, { ...(await fieldsOf("form-owner")), jobTitle: "  " });
    expect(await saved()).toEqual({ name: "Ada" });
    expect((await events())[0]).toMatchObject({
      action: "setting.remove",
      target: "jobTitle",
      details: { from: "Analyst" },
    });
  });

  test("saving what is there already changes nothing and notes nothing", async () => {
    const { manager, fieldsOf, events } = await service();
    await manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), siteTitle: "One" });
    await manager.submit(`${path}/site`, await fieldsOf("form-site"));
    expect(await events()).toHaveLength(1);
  });

  test.each([
    ["owner", "email", "nobody"],
    ["owner", "email", "a b@example.com"],
    ["owner", "github", "javascript:alert(1)"],
    ["owner", "github", "github.com/ada"],
    ["owner", "linkedin", "https://"],
    ["owner", "name", "x".repeat(101)],
    ["site", "siteTitle", "a\u0000b"],
    ["site", "siteDescription", "x".repeat(501)],
    ["site", "postUrl", "ftp://blog.example/{slug}"],
    ["analytics", "googleAnalyticsId", "ABC"],
    ["analytics", "googleAnalyticsId", "g-abcdef"],
    ["analytics", "googleAnalyticsId", "G-1"],
    ["analytics", "googleAnalyticsId", `G-"><script>`],
  ])("%s: a wrong %s (%j) is refused, kept in its field, and changes nothing", async (section, key, value) => {
    const { manager, fieldsOf, saved } = await service();
    const fields = { ...(await fieldsOf(`form-${section}`)), [key]: value };
    for (const headers of [{}, htmx] as Record<string, string>[]) {
      const answer = await manager.submit(`${path}/${section}`, fields, headers);
      const html = await answer.text();
      expect(answer.status).toBe(422);
      expect(html).toContain(`id="${section}-${key}-error"`);
      expect(html).not.toContain("<script>alert");
      expect(html).not.toContain(`"><script>`);
    }
    expect(await saved()).toEqual({});
  });

  test.each(["G-ABC123DEF4", "UA-12345-1", "AW-123456789", "GT-ABCD123"])("%s is an analytics id", async (id) => {
    const { manager, fieldsOf, saved } = await service();
    await manager.submit(`${path}/analytics`, { ...(await fieldsOf("form-analytics")), googleAnalyticsId: id });
    expect(await saved()).toEqual({ googleAnalyticsId: id });
  });
});

describe("two managers at the same time", () => {
  async function race() {
    const own = await service();
    const other = await own.signIn({ email: "bo@example.com" });
    const mine = await own.fieldsOf("form-site");
    await other.submit(`${path}/site`, { ...(await own.fieldsOf("form-site", other)), siteTitle: "Theirs" });
    const answer = await own.manager.submit(`${path}/site`, { ...mine, siteTitle: "Mine", siteKeywords: "new" }, htmx);
    return { ...own, answer, html: await answer.text() };
  }

  test("the second one sees both values, and nothing was changed", async () => {
    const { answer, html, saved } = await race();
    expect(answer.status).toBe(409);
    expect(html).toContain("Your value");
    expect(html).toContain(`<span class="value">Mine</span>`);
    expect(html).toContain(`<span class="value">Theirs</span>`);
    expect(html).toContain(">by Olive Owner (bo@example.com)</span>"); // two managers have this name
    expect(await saved()).toEqual({ siteTitle: "Theirs" });
  });

  test("the later one can keep their own value", async () => {
    const { manager, html, saved } = await race();
    await manager.submit(`${path}/site`, { ...fieldsIn(html), "siteTitle.keep": "mine" }, htmx);
    expect(await saved()).toEqual({ siteTitle: "Mine", siteKeywords: "new" });
  });

  test("may keep theirs, and save the rest", async () => {
    const { manager, html, saved } = await race();
    await manager.submit(`${path}/site`, { ...fieldsIn(html), "siteTitle.keep": "theirs" }, htmx);
    expect(await saved()).toEqual({ siteTitle: "Theirs", siteKeywords: "new" });
  });

  test("asks again after another change in the meantime", async () => {
    const { manager, signIn, fieldsOf, html, saved } = await race();
    const third = await signIn({ email: "cy@example.com" });
    await third.submit(`${path}/site`, { ...(await fieldsOf("form-site", third)), siteTitle: "Third" });
    const answer = await manager.submit(`${path}/site`, { ...fieldsIn(html), "siteTitle.keep": "mine" }, htmx);
    expect(answer.status).toBe(409);
    expect(await saved()).toEqual({ siteTitle: "Third" });
  });

  test("a setting that was removed and made anew is not the one on the screen", async () => {
    const { manager, fieldsOf, clock, saved } = await service();
    await manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), siteTitle: "First" });
    const old = await fieldsOf("form-site");
    clock.time += 1_000;
    await manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), siteTitle: "" });
    clock.time += 1_000;
    await manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), siteTitle: "Second" });
    expect((await manager.submit(`${path}/site`, { ...old, siteTitle: "Late" })).status).toBe(409);
    expect(await saved()).toEqual({ siteTitle: "Second" });
  });
});

describe("custom keys", () => {
  const add = (key: string, value = "1") => ({ key, value, stamp: "none" });

  test("are added, edited and removed, for every API key to read", async () => {
    const { manager, saved } = await service();
    const asked = await (await manager.get(`${path}/custom/new`)).text();
    expect(asked).toContain("<title>Add key");
    expect(asked).toContain("Anyone with an API key that may read settings");
    await manager.submit(`${path}/custom`, add("postal.Address-1", "Harbour 1\nBergen"), htmx);
    expect(await saved()).toEqual({ "postal.Address-1": "Harbour 1\nBergen" });
    const form = fieldsIn(await (await manager.get(`${path}/custom/postal.Address-1/edit`)).text());
    await manager.submit(`${path}/custom`, { ...form, value: "Harbour 2" }, htmx);
    expect(await saved()).toEqual({ "postal.Address-1": "Harbour 2" });
    const question = await (await manager.get(`${path}/custom/postal.Address-1/remove`, htmx)).text();
    expect(question).toContain("Remove “postal.Address-1”?");
    const answer = await manager.submit(`${path}/custom/postal.Address-1/remove`, fieldsIn(question), htmx);
    expect(await answer.text()).toContain("“postal.Address-1” removed.");
    expect(await saved()).toEqual({});
  });

  test.each([
    ["smtpPassword", "looks like a secret"],
    ["STRIPE_API-KEY", "looks like a secret"],
    ["1st", "starting with a letter"],
    ["with space", "starting with a letter"],
    ["x".repeat(65), "starting with a letter"],
    ["", "starting with a letter"],
    ["siteTitle", "has its own field"],
    ["timeZone", "has its own field"],
    ["postalAddress", "has its own field"],
  ])("the key %j is refused", async (key, reason) => {
    const { manager, saved } = await service();
    const answer = await manager.submit(`${path}/custom`, add(key), htmx);
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(reason) as never]);
    expect(await saved()).toEqual({});
  });

  test("may be named like what every object has", async () => {
    const { manager, saved } = await service();
    for (const key of ["constructor", "toString"]) await manager.submit(`${path}/custom`, add(key), htmx);
    expect(Object.entries(await saved())).toEqual([
      ["constructor", "1"],
      ["toString", "1"],
    ]);
  });

  test("saying again that a key is public changes nothing and notes nothing; that it is not does", async () => {
    const { db, events, saved } = await service();
    const say = (isPublic: boolean) => set(db, "motto", "One", { by: "cli", isPublic }, new Date());
    for (let n = 0; n < 2; n++) await say(true);
    expect([await saved(), (await events()).length]).toEqual([{ motto: "One" }, 1]);
    await say(false);
    expect([await saved(), (await events()).length]).toEqual([{}, 2]);
  });

  test("an existing key is not overwritten by adding it", async () => {
    const { manager, saved } = await service();
    await manager.submit(`${path}/custom`, add("motto", "One"));
    const answer = await manager.submit(`${path}/custom`, add("motto", "Two"), htmx);
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining("This key already exists") as never,
    ]);
    expect(await saved()).toEqual({ motto: "One" });
  });

  test("of two simultaneous edits the second shows both; a removal does not remove what it has not seen", async () => {
    const { manager, saved, clock } = await service();
    await manager.submit(`${path}/custom`, add("motto", "One"));
    const form = fieldsIn(await (await manager.get(`${path}/custom/motto/edit`)).text());
    clock.time += 1_000;
    await manager.submit(`${path}/custom`, { ...form, value: "Two" });
    const answer = await manager.submit(`${path}/custom`, { ...form, value: "Three" }, htmx);
    const html = await answer.text();
    expect([answer.status, html.includes("Two"), html.includes("Three")]).toEqual([409, true, true]);
    const removal = await manager.submit(`${path}/custom/motto/remove`, { stamp: form.stamp ?? "" }, htmx);
    expect(await removal.text()).toContain("was changed by someone else");
    expect(await saved()).toEqual({ motto: "Two" });
  });

  test("the nine named keys are not among them, and cannot be removed there", async () => {
    const { manager, fieldsOf, saved } = await service();
    await manager.submit(`${path}/site`, { ...(await fieldsOf("form-site")), siteTitle: "Here" });
    expect((await manager.get(`${path}/custom/siteTitle/remove`)).status).toBe(303);
    await manager.submit(`${path}/custom/siteTitle/remove`);
    expect(await saved()).toEqual({ siteTitle: "Here" });
  });
});

describe("email", () => {
  test("a test email is queued for the manager, noted, and pointed at", async () => {
    const { manager, db, clock } = await service();
    const answer = await manager.submit(
      `${path}/test-mail`,
      {},
      { ...htmx, "hx-current-url": `http://localhost:3000${path}/email` },
    );
    const html = await answer.text();
    expect(html).toContain(`Test email to ${manager.manager.email} queued.`);
    expect(html).toContain('href="/dashboard/outbox?kind=test"');
    const [mail] = await claim(db, 10, new Date(clock.time));
    expect(mail).toMatchObject({ kind: "test", recipient: manager.manager.email });
  });

  test("the state of the provider is shown, never its key", async () => {
    const without = await service();
    expect(await pagesOf(without.manager)).toContain("Emails are logged, not sent.");
    for (const [key, name] of [
      ["re_1234567890", "Resend"],
      ["smtps://ada:re_1234567890@mail.example", "SMTP (mail.example)"],
    ] as const) {
      const { manager } = await service({ MAILER_API_KEY: key });
      const page = await pagesOf(manager);
      expect(page).toContain(name);
      expect(page).not.toContain("re_1234567890");
    }
  });
});

describe("appearance", () => {
  test("is each manager's own and applies from the next page on", async () => {
    const { manager, signIn } = await service();
    const chosen = { theme: "dark", density: "comfortable", shortcuts: "off" };
    const answer = await manager.submit(`${path}/appearance`, chosen);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/appearance`]);
    const page = await (await manager.get(`${path}/appearance`)).text();
    expect(page).toContain('data-theme="dark" data-density="comfortable" data-shortcuts="off"');
    const other = await signIn({ email: "bo@example.com" });
    expect(await (await other.get(`${path}/appearance`)).text()).toContain(
      'data-density="compact" data-shortcuts="on"',
    );
  });

  test("the theme alone can be changed from any page, which is then shown again", async () => {
    const { manager } = await service();
    await manager.submit(`${path}/appearance`, { density: "comfortable", shortcuts: "off" });
    const referer = "http://localhost:3000/dashboard/newsletter?q=a";
    const answer = await manager.submit(`${path}/theme/dark`, {}, { referer });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/dashboard/newsletter?q=a"]);
    const page = await (await manager.get(`${path}/appearance`)).text();
    expect(page).toContain('data-theme="dark" data-density="comfortable" data-shortcuts="off"');
    const elsewhere = await manager.submit(`${path}/theme/bright`, {}, { referer: "https://evil.example//x" });
    expect(elsewhere.headers.get("location")).toBe("/dashboard");
    expect(await (await manager.get(path)).text()).not.toContain("data-theme");
  });

  test("invalid values become the default", async () => {
    const { manager, db } = await service();
    await manager.submit(`${path}/appearance`, { theme: `"><script>` });
    const [row] = (await look(db, "select preferences from managers")) as { preferences: string }[];
    expect(JSON.parse(row?.preferences ?? "")).toEqual({
      theme: "system",
      density: "compact",
      shortcuts: "on",
      firstSteps: "shown",
    });
  });
});

test("only owners can change where email goes and who it is from; managers see it, and why", async () => {
  const { db, signIn } = await testService();
  const owner = await signIn();
  await owner.submit(`${path}/owner`, {
    name: "Olive Owner",
    "name.stamp": "none",
    email: "olive@example.com",
    "email.stamp": "none",
  });
  await set(db, "postalAddress", "1 Sunny Lane", { by: "olive@example.com" }, new Date());
  const saved = async () => await look(db, "select key, value, version from settings order by key");
  const before = await saved();
  expect(before).toHaveLength(3);

  const bob = await signIn({ email: "bob@example.com", role: "manager" });
  const page = await pagesOf(bob);
  for (const text of ["Olive Owner", "olive@example.com", "1 Sunny Lane", "Only owners can change these values"])
    expect(page).toContain(text);
  expect(page).not.toContain(`action="${path}/owner"`);
  expect(page).not.toContain(`action="${path}/limits"`);
  expect(page).not.toContain("postalAddress/edit");
  for (const answer of [
    await bob.submit(`${path}/owner`, { email: "bob@example.com", "email.stamp": "none" }),
    await bob.submit(`${path}/owner`, { github: "https://github.com/bob" }),
    await bob.submit(`${path}/limits`, { emailsToStrangersPerHour: "0", "emailsToStrangersPerHour.stamp": "none" }),
    await bob.submit(`${path}/custom`, { key: "postalAddress", value: "Bob’s", stamp: "none" }),
    await bob.submit(`${path}/custom`, { key: " postalAddress ", value: "Bob’s", stamp: "none" }),
    await bob.get(`${path}/custom/postalAddress/edit`),
    await bob.get(`${path}/custom/postalAddress/remove`),
    await bob.submit(`${path}/custom/postalAddress/remove`, { stamp: "none" }),
  ])
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("Only owners can") as never]);
  expect(await saved()).toEqual(before);

  expect((await bob.submit(`${path}/site`, { siteTitle: "Bob’s", "siteTitle.stamp": "none" })).status).toBe(303);
  expect((await bob.submit(`${path}/custom`, { key: "tagline", value: "Hi", stamp: "none" })).status).toBe(303);
});

describe("the limits per hour", () => {
  const own = (fields: Record<string, string>) => ({
    ...fields,
    emailsToStrangersPerHour: "1,200",
    storedMessagesPerHour: "0",
  });

  test("say what holds while nothing is entered, to owners and to those who may not change them", async () => {
    const { manager, signIn } = await service();
    const page = await (await manager.get(`${path}/limits`)).text();
    const held = [...page.matchAll(/id="limits-[^"]+".*?placeholder="([^"]+)"[^>]*><span class="unit">an hour/g)];
    expect(held.map(([, words]) => words)).toEqual(["300", "600", "No limit", "No limit", "No limit"]);
    const bob = await signIn({ email: "bob@example.com", role: "manager" });
    expect(await (await bob.get(`${path}/limits`)).text()).toContain(
      '<dt>Messages before quarantine</dt><dd><span class="none">600</span>',
    );
  });

  test("are saved with an audit entry, apply immediately, and no API key can read them", async () => {
    const { db, manager, fieldsOf, saved, events, get, key } = await service();
    const answer = await manager.submit(`${path}/limits`, own(await fieldsOf("form-limits")));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/limits#limits`]);
    expect(await fieldsOf("form-limits")).toMatchObject({
      emailsToStrangersPerHour: "1200",
      messagesPerHourBeforeQuarantine: "",
      storedMessagesPerHour: "0",
    });
    expect(await db.read((orm) => hourlyLimit(orm, "emailsToStrangersPerHour"))).toBe(1200);
    expect(await events()).toMatchObject([
      { action: "setting.change", target: "storedMessagesPerHour", details: { to: "0" } },
      { action: "setting.change", target: "emailsToStrangersPerHour", details: { to: "1200" } },
    ]);
    expect(await saved()).toEqual({});
    expect(await (await get("/api/v1/settings", await key())).json()).toMatchObject({ data: { count: 0 } });
    await set(db, "newSubscribersPerHour", "9", { by: "cli", isPublic: true }, new Date());
    expect(await saved()).toEqual({});
  });

  test.each(["-1", "1.5", "ten", "10001", "1e3", "９"])(
    "take whole numbers from 0 to 10,000, not %p",
    async (typed) => {
      const { manager, fieldsOf, db } = await service();
      const answer = await manager.submit(`${path}/limits`, {
        ...(await fieldsOf("form-limits")),
        newSubscribersPerHour: typed,
      });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain("Enter a whole number from 0 to 10,000.");
      await expect(set(db, "newSubscribersPerHour", typed, { by: "cli" }, new Date())).rejects.toThrow("limit");
      expect(await settings.all(db)).toEqual([]);
    },
  );

  test("are no custom keys", async () => {
    const { db, manager } = await service();
    await set(db, "newSubscribersPerHour", "9", { by: "cli" }, new Date());
    const page = await pagesOf(manager);
    expect(page).not.toContain(`${path}/custom/newSubscribersPerHour`);
    const fields = { key: "storedMessagesPerHour", value: "1", stamp: "none" };
    expect((await manager.submit(`${path}/custom`, fields)).status).toBe(422);
  });
});

test("double opt-in is true or false, and only owners change it", async () => {
  const { manager: owner, fieldsOf, signIn, saved } = await service();
  const bob = await signIn({ email: "bob@example.com", role: "manager" });
  const fields = await fieldsOf("form-newsletter");
  const own = (value: string) => ({ key: "doubleOptIn", value, stamp: "none" });
  expect((await bob.submit(`${path}/custom`, own("true"))).status).toBe(403);
  expect((await owner.submit(`${path}/custom`, own("true"))).status).toBe(422); // nor would its key make it public
  expect((await bob.submit(`${path}/newsletter`, { ...fields, doubleOptIn: "true" })).status).toBe(403);
  expect((await owner.submit(`${path}/newsletter`, { ...fields, doubleOptIn: "perhaps" })).status).toBe(422);
  expect((await owner.submit(`${path}/newsletter`, { ...fields, doubleOptIn: "true" })).status).toBe(303);
  expect(await saved()).toEqual({}); // as an API key reads it
});

test("who has no subscribers yet is led to a page with a form, and to the form itself, which subscribes", async () => {
  const service = await testService();
  const manager = await service.signIn();
  const read = async (url: string) => (await manager.get(url)).text();
  expect(await read("/dashboard/newsletter")).toContain(`href="${path}/newsletter#form"`);
  const page = await read(`${path}/newsletter`);
  expect(page).toContain(`<a href="${service.config.BASE_URL}/newsletter">`);
  const [, action = ""] = /<pre[^>]*>&lt;form .*?action=.*?(\/newsletter\/\w+)/s.exec(page) ?? [];
  const body = new URLSearchParams({ email: "ada@example.com", source: "landing" });
  expect((await service.send(action, { method: "POST", body })).status).toBe(200);
  expect(await look(service.db, "select email, source from subscribers")).toEqual([
    { email: "ada@example.com", source: "landing" },
  ]);
});

test("the sign-up form says on which sites it is accepted, and where an owner allows others", async () => {
  const { signIn } = await testService({ BLOG_URL: "https://ada.example/blog" });
  const said = async (role: "owner" | "manager") => {
    const page = await (await (await signIn({ email: `${role}@example.com`, role })).get(`${path}/newsletter`)).text();
    return /Only forms on .*? are accepted\./s.exec(page)?.[0];
  };
  expect(await said("owner")).toBe(
    `Only forms on https://ada.example and on the sites allowed under <a href="${path}/set-up#CORS_ORIGINS">Set up</a> are accepted.`,
  );
  expect(await said("manager")).toBe(
    "Only forms on https://ada.example and on the sites that an owner allowed under Set up are accepted.",
  );
});

test("each section is on one page, saves alone, and its old address leads there", async () => {
  const { manager, fieldsOf } = await service();
  const root = await manager.get(path);
  expect([root.status, root.headers.get("location")]).toEqual([303, `${path}/site`]); // browsers keep the fragment
  const parts = ["site", "owner", "analytics", "server", "custom", "brand", "mail", "newsletter", "welcome", "limits"];
  const first = await (await manager.get(`${path}/site`)).text();
  for (const id of [...parts, "appearance"]) expect([id, first.split(`id="${id}"`).length]).toEqual([id, 2]);
  for (const [id, page] of [
    ["brand", "brand"],
    ["owner", "site"],
    ["newsletter", "newsletter"],
  ]) {
    const answer = await manager.submit(`${path}/${id}`, await fieldsOf(`form-${id}`));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/${page}#${id}`]);
  }
  expect(await (await manager.get(`${path}/newsletter`)).text()).toContain("No changes to save.");
});

test("double opt-in and the postal address have fields, which only owners change, and are no custom keys any more", async () => {
  const { db, manager, fieldsOf, signIn } = await service();
  await set(db, "postalAddress", "1 Sunny Lane", { by: "cli", isPublic: true }, new Date());
  const site = await (await manager.get(`${path}/site`)).text();
  expect(site).not.toContain("postalAddress");
  const fields = { ...(await fieldsOf("form-newsletter")), doubleOptIn: "true" };
  expect((await manager.submit(`${path}/newsletter`, fields)).status).toBe(303);
  expect(await look(db, "select key, value from settings order by key")).toEqual([
    { key: "doubleOptIn", value: "true" },
    { key: "postalAddress", value: "1 Sunny Lane" },
  ]);
  const bob = await signIn({ email: "bob@example.com", role: "manager" });
  expect((await bob.submit(`${path}/newsletter`, fields)).status).toBe(403);
  expect(await (await bob.get(`${path}/newsletter`)).text()).toContain("Only owners can change these values");
});

test("Security leads to the reader's own two-step verification, and not to the rule for all managers", async () => {
  const { manager } = await service();
  const security = await (await manager.get(`${path}/security`)).text();
  const [, href = "", place = ""] =
    /href="([^"#]+)#([^"]+)"[^>]*>(?:(?!<a ).)*Two-step verification/s.exec(security) ?? [];
  const account = await (await manager.get(href)).text();
  expect(account).toContain(`<h2 id="${place}">Two-step verification</h2>`);
});

test("the page of Settings that leads to the managers says in its name that access is decided there", async () => {
  const { manager } = await service();
  const page = await (await manager.get(`${path}/site`)).text();
  expect(page).toContain(`<a href="${path}/security">Access and security<`);
});

test("when a section was last changed leads to all changes of settings", async () => {
  const { manager } = await service();
  await manager.submit(`${path}/site`, { siteTitle: "Tides", "siteTitle.stamp": "none" });
  const page = await (await manager.get(`${path}/site`)).text();
  const [, link = ""] = /Last changed .*?<a href="([^"]*)">All changes of settings<\/a>/s.exec(page) ?? [];
  const events = await (await manager.get(link)).text();
  expect(link).toBe("/dashboard/audit?action=setting");
  expect(events).toContain("changed the setting");
});

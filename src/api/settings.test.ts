import { expect, test } from "bun:test";
import * as settings from "../../db/settings/settings";
import * as keyRules from "../../db/settings/rules";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";

const path = "/api/v1/settings";
const by = "owner@example.com";
type Entry = { action: string; actor: string; details: string };

async function site() {
  const service = await testService();
  const header = await service.key();
  const read = (headers = {}) => service.get(path, { ...header, ...headers });
  const values = async () =>
    ((await (await read()).json()) as { data: { settings: Record<string, string> } }).data.settings;
  const set = (key: string, value: string, change: Partial<settings.SettingChange> = {}) =>
    settings.save(service.db, [{ key, value, ...change }], { actor: by }, service.now());
  return { ...service, read, set, values };
}

test("the nine named keys are read as a flat object with their count and the time of the last change", async () => {
  const { read, set } = await site();
  for (const key of keyRules.contractKeys) await set(key, `the ${key}`);
  const answer = await read();
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      success: true,
      error: null,
      data: {
        count: 9,
        settings: Object.fromEntries(keyRules.contractKeys.map((key) => [key, `the ${key}`])),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    },
  ] as never);
});

test("without settings the list is empty, but has a time", async () => {
  const { read } = await site();
  expect(await (await read()).json()).toMatchObject({
    data: { count: 0, settings: {}, updatedAt: expect.any(String) as never },
  });
});

test("other keys can be read only if a manager made them public", async () => {
  const { set, values } = await site();
  await set("mastodon", "@ada", { isPublic: true });
  await set("internalNote", "hush");
  await set("siteTitle", "Ada", { isPublic: false }); // always public
  expect(await values()).toEqual({ mastodon: "@ada", siteTitle: "Ada" });
  await set("mastodon", "@ada@example.com");
  expect(await values()).toMatchObject({ mastodon: "@ada@example.com" });
  await set("mastodon", "@ada", { isPublic: false });
  expect(await values()).toEqual({ siteTitle: "Ada" });
});

const secrets = [
  "mailerApiKey",
  "MAILER_API_KEY",
  "api-key",
  "apikey",
  "googleClientSecret",
  "oauth.client_secret",
  "accessToken",
  "smtpPassword",
  "dbPasswd",
  "privateKey",
  "awsCredentials",
  "stripeKey",
  "STRIPE_KEY",
  "ｓｅｃｒｅｔ",
  "sessionSalt",
];

test.each(secrets)("%s looks like a secret: rejected, and never returned even if it is stored (D27)", async (key) => {
  const { db, set, values } = await site();
  await expect(set(key, "hush", { isPublic: true })).rejects.toThrow("secret");
  await db.write(
    async () =>
      void (await look(db, "insert into settings (key, value, is_public, updated_at) values (?, 'hush', 1, 1)", [key])),
  );
  expect(await values()).toEqual({});
});

test.each([
  ...keyRules.contractKeys,
  "keyboard",
  "recaptchaSiteKey",
  "tokyoOffice",
  "donkeyFacts",
  "privacyPolicy",
  "keynote",
  "author",
])("%s does not look like a secret", (key) => expect(keyRules.looksSecret(key)).toBe(false));

test.each(["", "1a", "a b", "a\n", "__proto__", "é", "x".repeat(65), "<b>"])(
  "%j is no name for a setting",
  async (key) => {
    const { set } = await site();
    await expect(set(key, "x")).rejects.toThrow("malformed");
  },
);

test("of two managers editing concurrently the second gets a conflict with both values", async () => {
  const { db, set } = await site();
  const stamp = async () => settings.stampOf((await settings.all(db)).find(({ key }) => key === "siteTitle"));
  const empty = await stamp();
  expect(await set("siteTitle", "One", { stamp: empty })).toEqual({ changed: ["siteTitle"] });
  const shown = await stamp();
  expect(await set("siteTitle", "Two", { stamp: shown })).toEqual({ changed: ["siteTitle"] });
  expect(await set("siteTitle", "Three", { stamp: shown })).toMatchObject({
    conflicts: [{ mine: "Three", theirs: { value: "Two", version: 2, updatedBy: by } }],
  });
  expect(await set("siteTitle", "Two", { stamp: shown })).toEqual({ changed: [] }); // they agree
  expect(await set("siteTitle", "")).toEqual({ changed: ["siteTitle"] });
  expect(await set("siteTitle", "Four", { stamp: shown })).toMatchObject({ conflicts: [{ theirs: undefined }] });
});

test("every change is on record, with who can read it since; what was stored already is none", async () => {
  const { db, set } = await site();
  await set("mastodon", "@ada");
  await set("mastodon", "@ada");
  await set("mastodon", "@ada", { isPublic: true });
  await set("mastodon", "");
  const entries = (await look(db, "select action, actor, details from audit_events order by id")) as Entry[];
  expect(entries.map(({ details, ...entry }) => ({ ...entry, details: JSON.parse(details) as unknown }))).toEqual([
    { action: "setting.change", actor: by, details: { to: "@ada" } },
    { action: "setting.change", actor: by, details: { from: "@ada", to: "@ada", public: "yes" } },
    { action: "setting.remove", actor: by, details: { from: "@ada" } },
  ]);
});

test("an unchanged response is a 304; changing a private setting makes no difference", async () => {
  const { read, set } = await site();
  await set("siteTitle", "Ada");
  const etag = (await read()).headers.get("etag") ?? "";
  await set("internalNote", "hush");
  expect((await read({ "if-none-match": etag })).status).toBe(304);
  await set("siteTitle", "Ada L.");
  expect((await read({ "if-none-match": etag })).status).toBe(200);
});

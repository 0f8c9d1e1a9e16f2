import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import { readPublic, readWelcome } from "../../../db/settings/settings";
import { set } from "../../../test/support/settings";
import { store } from "../../../test/support/storage/stored-files";
import { testService } from "../../../test/support/service";

const path = "/dashboard/settings/welcome";

const unescaped = (text: string) =>
  text.replaceAll("&#39;", "'").replaceAll("&#34;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

async function service() {
  const own = await testService({ BASE_URL: "https://site.example" });
  await set(own.db, "siteTitle", "Rain & Gauges", { by: "cli" }, own.now());
  const manager = await own.signIn({ email: "m@example.com", role: "manager" });
  /** The fields of the form as the page has them. */
  const fields = async () => {
    const html = await (await manager.get(path)).text();
    const form = html.split('id="form-welcome"')[1]?.split("</form>")[0] ?? "";
    const found: Record<string, string> = {};
    for (const [, name = "", value = ""] of form.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g))
      if (name !== "_token") found[name] = unescaped(value);
    for (const [, name = "", value = ""] of form.matchAll(/<textarea[^>]*name="([^"]+)"[^>]*>([^<]*)</g))
      found[name] = unescaped(value.replace(/^\n/, ""));
    return found;
  };
  const save = async (changed: Record<string, string>) => manager.submit(path, { ...(await fields()), ...changed });
  const preview = async (changed: Record<string, string>) =>
    manager.submit(`${path}/preview`, { ...(await fields()), ...changed });
  return { ...own, manager, fields, save, preview };
}

test("the form begins with the default in the language of the site, which is not stored", async () => {
  const { db, now, fields, save } = await service();
  await set(db, "language", "fr", { by: "cli" }, now());
  expect(await fields()).toMatchObject({
    welcomeSubject: "Bienvenue sur Rain & Gauges",
    welcomeText: expect.stringContaining("Merci de votre abonnement à la newsletter « **Rain \\& Gauges** »."),
  });
  expect((await save({ welcomeLinks: "" })).headers.get("location")).toBe(path);
  expect(await readWelcome(db)).toEqual({ subject: "", text: "", links: "posts" });
});

test("the text is kept to the byte: blanks at its ends and letters that are not composed", async () => {
  const { db, save } = await service();
  const text = "  Cafe\u0301 \n\n";
  await save({ welcomeText: text.replaceAll("\n", "\r\n") });
  expect((await readWelcome(db)).text).toBe(text);
  await save({ welcomeText: " \r\n" });
  expect((await readWelcome(db)).text).toBe(""); // the default
});

test("every manager can save the text, with an audit entry, and no API key can read it", async () => {
  const { db, manager, save, get, key } = await service();
  await save({ welcomeSubject: "Hello", welcomeText: "Dear {name},\n\n<Chart />", welcomeLinks: "none" });
  expect(await readWelcome(db)).toEqual({ subject: "Hello", text: "Dear {name},\n\n<Chart />", links: "none" });
  const { events } = await audit.list(db, { group: "setting" }, { page: 1, per: 50 });
  expect(events.map(({ target }) => target).sort()).toEqual([
    "siteTitle",
    "welcomeLinks",
    "welcomeSubject",
    "welcomeText",
  ]);
  expect(await (await get("/api/v1/settings", await key())).text()).not.toContain("Dear");
  expect(await readPublic(db)).toEqual({ siteTitle: "Rain & Gauges" });
  const page = await (await manager.get(path)).text();
  expect(page).toContain("{name} is empty for subscribers without a name.");
  expect(page).toContain("Readers will not see one part of the text.");
  expect(await (await manager.get("/dashboard/settings")).text()).not.toContain("welcomeSubject");
});

test.each([
  ["a long subject", { welcomeSubject: "x".repeat(151) }, "Subject must be at most 150 characters long."],
  ["a long text", { welcomeText: "x".repeat(10_001) }, "Text must be at most 10,000 characters long."],
  ["a text that no one sees", { welcomeText: "{/* nothing */}" }, "Readers would see nothing of this text."],
  [
    "a picture that no one sees",
    { welcomeText: "![x](/media/1/a.png)" },
    "Readers cannot see /media/1/a.png: it is not in Storage.",
  ],
  ["another choice", { welcomeLinks: "everything" }, ""],
])("%s is refused, and nothing is lost", async (_, changed, sentence) => {
  const { db, save } = await service();
  const answer = await save({ welcomeSubject: "Mine", ...changed });
  expect(answer.status).toBe(422);
  const html = await answer.text();
  expect(html).toContain(sentence);
  expect(html).toContain(Object.values(changed)[0] ?? "");
  expect((await readWelcome(db)).subject).toBe("");
});

test("a picture from Storage can be saved, and readers see it from then on", async () => {
  const own = await service();
  const [id = ""] = await store(own, { filename: "a.png", mimeType: "image/png" });
  const status = async () => (await own.get(`/media/${id}/a.png`)).status;
  expect(await status()).toBe(404);
  expect((await own.save({ welcomeText: `![x](/media/${id}/a.png)` })).status).toBe(303);
  expect(await status()).toBe(302);
});

test("the length of words is that of their characters, as everywhere", async () => {
  const { db, save } = await service();
  const longest = { welcomeSubject: "🌧".repeat(150), welcomeText: "🌧".repeat(10_000) };
  expect((await save(longest)).status).toBe(303);
  expect(await readWelcome(db)).toEqual({ subject: longest.welcomeSubject, text: longest.welcomeText, links: "posts" });
  expect((await save({ welcomeSubject: "🌧".repeat(151) })).status).toBe(422);
});

test("the preview shows what is typed and saves nothing; what cannot be saved is said there", async () => {
  const { db, manager, preview } = await service();
  const typed = await preview({ welcomeText: "Typed **words** [home](https://a.example)", welcomeLinks: "none" });
  const policy = typed.headers.get("content-security-policy") ?? "";
  expect([typed.status, policy]).toEqual([200, expect.stringMatching(/^sandbox;.*default-src 'none'/)]);
  expect(await typed.text()).toContain("Typed <strong>words</strong>");
  expect((await readWelcome(db)).text).toBe("");
  expect(await (await manager.get(`${path}/preview`)).text()).toContain("Thank you for subscribing to ");
  const long = await preview({ welcomeSubject: "x".repeat(151) });
  expect([long.status, await long.text()]).toEqual([
    422,
    "The words cannot be saved: Subject must be at most 150 characters long.",
  ]);
  const page = await manager.get(path);
  expect(page.headers.get("content-security-policy")).toContain("frame-src 'self'");
});

test("two managers do not overwrite each other; resetting asks for confirmation, and a stale confirmation changes nothing", async () => {
  const { db, now, manager, fields, save } = await service();
  const before = await fields();
  await save({ welcomeSubject: "Theirs" });
  const late = await manager.submit(path, { ...before, welcomeSubject: "Mine" });
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("Theirs")]);

  const question = async () => {
    const html = await (await manager.get(`${path}/reset`)).text();
    return Object.fromEntries(
      [...html.matchAll(/name="(welcome[^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name ?? "", value ?? ""]),
    );
  };
  const asked = await question();
  await set(db, "welcomeSubject", "Newer", { by: "cli" }, now());
  await manager.submit(`${path}/reset`, asked);
  expect((await readWelcome(db)).subject).toBe("Newer");
  await manager.submit(`${path}/reset`, await question());
  expect(await readWelcome(db)).toEqual({ subject: "", text: "", links: "posts" });
  expect(await (await manager.get(path)).text()).not.toContain("Reset…");
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as settings from "../../support/settings";
import { confirmedBroadcast } from "../../support/broadcasts/archive";
import { source } from "../../support/broadcasts/letters";
import { scripts } from "../../security/markup";
import { flaws } from "./axe";
import { openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  const { db, now, config } = stage;
  const site = { ...source().site, sender: [], url: config.BASE_URL, blogUrl: config.BLOG_URL };
  await confirmedBroadcast(db, now(), { subject: "Eighteen hours a year", content: "Counted.", site });
  await confirmedBroadcast(db, now(), {
    subject: "Rain gauges, and a library in four hundred lines",
    content: text,
    site,
  });
});
afterAll(() => stage.close());

const text = `Dear {name, "friend"},

On 4 November it rained eighty millimetres in a day. \`gauge.count()\` was [right](https://a.example).

## What four hundred lines can do

- accounts, because the librarian knows you,
- reminders, because she tells you.

> “A gauge counts tips.” From her email.

\`\`\`
def lend(book, person): shelf.take(book); card.write(book, person, today()); return "a line that is far too long"
\`\`\`

| Month | Rain | A column that makes this table wider than a phone |
|---|--:|---|
| October | 210 mm | unbreakableunbreakableunbreakableunbreakable |

### And then

1. one
2. two

---

Until the next dry day,\\
Noor`;
const pages = {
  "the archive": "/newsletter",
  "a broadcast": "/newsletter/rain-gauges-and-a-library-in-four-hundred-lines",
};

test("axe finds nothing on the archive and its pages, light or dark, wide or narrow, without a script", async () => {
  const page = await (await stage.visitor()).newPage();
  const found: string[] = [];
  for (const [name, path] of Object.entries(pages)) {
    expect([name, (await page.goto(path))?.status()]).toEqual([name, 200]);
    expect(await page.locator("script").count()).toBe(0);
    found.push(...(await flaws(page)).map((words) => `${name}, ${words}`));
  }
  expect(found).toEqual([]);
  await page.close();
});

test("a visitor reads and subscribes by keyboard, without a script, and a mistake is said at the field", async () => {
  const context = await stage.visitor({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/newsletter");
  await page.getByRole("link", { name: "Rain gauges" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Rain gauges" }).waitFor();
  const field = page.getByLabel("Get the next one by email");
  await field.fill("ada@localhost"); // valid for the browser
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Enter a valid email address.").waitFor();
  const again = page.getByLabel("Email address");
  expect(await again.inputValue()).toBe("ada@localhost");
  await again.fill("ada@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("You’ll receive the next newsletter.").waitFor();
  expect((await subscribers.byEmail(stage.db, "ada@example.com"))?.state).toBe("active");
  await page.getByRole("link", { name: "Back to the newsletter" }).click();
  await page.getByRole("heading", { name: "Newsletter", exact: true }).waitFor();
  expect(stage.complaints).toEqual([]);
});

test("axe finds nothing on the form's responses, even in German with its long words", async () => {
  const page = await (await stage.visitor()).newPage();
  const asked = [
    ["en", "x@localhost", "Back to the newsletter"],
    ["en", "grace@example.com", "Back to the newsletter"],
    ["de", "x@localhost", "Zurück zum Newsletter"],
  ] as const;
  for (const [language, email, back] of asked) {
    await settings.set(stage.db, "language", language, { by: "test" }, stage.now());
    await page.goto("/newsletter");
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    await page.locator("#email").fill(email);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: back }).waitFor();
    expect([language, email, await flaws(page)]).toEqual([language, email, []]);
  }
  await settings.set(stage.db, "language", "en", { by: "test" }, stage.now());
});

test("the guide's contact form works without a script from another site, and corrected it leads back there", async () => {
  const guide = await Bun.file(join(import.meta.dir, "../../../docs/newsletter.md")).text();
  const [, form = ""] = /## Contact form\n[\s\S]*?```html\n([\s\S]*?)```/.exec(guide) ?? [];
  await using site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }): Response =>
      new Response(url.endsWith("/thanks") ? "Back here" : html, { headers: { "content-type": "text/html" } }),
  });
  const { origin } = site.url;
  const html = form
    .replace("https://BASE_URL", stage.config.BASE_URL)
    .replace("https://example.com/thanks", `${origin}/thanks`);
  const { config } = stage;
  config.inEnvironment.add("CORS_ORIGINS");
  config.moreOrigins.push(origin); // or it is gone as soon as another process's change of the settings arrives
  config.CORS_ORIGINS.add(origin);
  const page = await (await stage.visitor()).newPage();
  const send = async (message: string) => {
    await page.locator("[name=message]").fill(message);
    await page.locator("button").click();
  };
  await page.goto(origin);
  await page.locator("[name=name]").fill("Hana Sato");
  await page.locator("[name=email]").fill("hana@example.com");
  await send("      too short      ");
  await page.waitForURL("**/contact");
  expect(await page.locator("[name=name]").inputValue()).toBe("Hana Sato");
  expect(await page.locator("script").count()).toBe(0);
  expect(await flaws(page)).toEqual([]);
  await send("Long enough to be a message."); // our page's policy allows the redirect to the other site
  await page.waitForURL(`${origin}/thanks`);
  config.moreOrigins.pop();
  config.CORS_ORIGINS.delete(origin);
});

test(`${scripts.length} scripts in subject, preheader and text run on no page of the archive`, async () => {
  const hostile = await openStage();
  const { db, now, config } = hostile;
  const site = { ...source().site, title: "x", sender: [], url: config.BASE_URL, blogUrl: config.BLOG_URL };
  const paths = Array.from({ length: Math.ceil(scripts.length / 20) }, (_, i) => `/newsletter?page=${i + 1}`);
  const around = (script: string) => `${script}\n\n[${script}](${script}) ![${script}](${script}) {name, "${script}"}`;
  for (const [i, script] of scripts.entries()) {
    const content =
      i % 15
        ? ""
        : scripts
            .slice(i, i + 15)
            .map(around)
            .join("\n\n"); // each is in one of the texts
    const { slug } = await confirmedBroadcast(db, now(), { subject: script, preheader: script, content, site });
    if (content) paths.push(`/newsletter/${slug}`);
  }
  const page = await (await hostile.visitor()).newPage();
  await page.route(/^(?!http:\/\/localhost)/, (route) => route.abort()); // images from elsewhere
  for (const path of paths) {
    expect([path, (await page.goto(path))?.status()]).toEqual([path, 200]);
    expect([path, await page.evaluate("window.hit")]).toEqual([path, undefined]);
  }
  expect(hostile.complaints).toEqual([]);
  await hostile.close();
});

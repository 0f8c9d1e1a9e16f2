/**
 * `npm run torture cuts [cuts]` (figure W6): someone writes a post in Chromium while the connection, the sign-in, the
 * service, the page or another tab cuts in, at any moment of the autosave. After each cut the page is opened again, and
 * every word must be there or offered; no one may be asked whether to leave.
 */
import type { BrowserContext, Page } from "playwright-core";
import { launch } from "../support/browser";
import { conclude, exactly } from "../support/figures";
import { startService, temporaryFolder } from "../support/processes";

const cuts = Number(Bun.argv[2] ?? 200);
const copyDelayMs = 300; // public/editor/draft.ts: a page that crashes before has not kept the last word
const manager = { MANAGER_EMAIL: "torture@example.com", MANAGER_PASSWORD: "correct horse battery" };

using folder = temporaryFolder();
let service = await startService(folder.path, { LOG_LEVEL: "error", ...manager });
const { port } = service;
const baseURL = `http://localhost:${port}`;
const browser = await launch();
let dialogs = 0;

async function openPage(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.clock.install();
  page.on("dialog", (dialog) => {
    dialogs++;
    void dialog.accept();
  });
  await visit(page, path);
  return page;
}

/** Opens a page, and signs in first if that is asked for. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  if (!page.url().includes("/sign-in")) return;
  await page.getByLabel("Email address").fill(manager.MANAGER_EMAIL);
  await page.getByLabel("Password", { exact: true }).fill(manager.MANAGER_PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.includes("/sign-in"));
}

const contentOf = (page: Page) => page.evaluate<string>("document.querySelector('textarea[name=content]').value");

async function write(page: Page, words: string): Promise<void> {
  await page.locator("#content.cm-content").press("Control+End");
  await page.keyboard.type(` ${words}`);
}

/** What was offered is taken: from the server, or from this browser. */
async function takeOffer(page: Page): Promise<void> {
  await page.locator("#content.cm-content").waitFor();
  const restore = page.getByRole("button", { name: "Restore it" });
  const draft = page.locator("#continue-draft");
  if (await draft.isVisible()) {
    await draft.click();
    await page.waitForURL("**?draft=continue");
    await page.locator("#content.cm-content").waitFor();
  }
  if (await restore.isVisible()) await restore.click(); // the browser may have more than the server
}

async function save(page: Page): Promise<void> {
  const answer = page.waitForResponse(
    (each) => each.request().method() === "POST" && !/draft|preview/.test(each.url()),
  );
  await page.locator("#save").click();
  await answer;
  await page
    .locator("#saved", { hasText: /^Saved/ })
    .or(page.locator(".toast"))
    .first()
    .waitFor();
}

/** Lets the autosave begin, and loses its request or its response. */
async function loseDraft(page: Page, isReceived: boolean): Promise<void> {
  const lost = Promise.withResolvers<void>();
  await page.route("**/draft", async (route) => {
    if (isReceived) await route.fetch().catch(() => undefined);
    await route.abort();
    lost.resolve();
  });
  await page.clock.runFor(10_000);
  await lost.promise;
}

const kinds: Record<string, (page: Page, context: BrowserContext) => Promise<unknown>> = {
  "the page is left": (page) => page.goto("/dashboard/projects"),
  "the connection": (_page, context) => context.setOffline(true),
  "the request of the autosave": (page) => loseDraft(page, false),
  "the response of the autosave": (page) => loseDraft(page, true),
  "the sign-in": (_page, context) => context.clearCookies(),
  "the service": () => service.end("SIGKILL"),
  async "the page crashes"(page, context) {
    await page.clock.runFor(copyDelayMs);
    const crashed = page.waitForEvent("crash");
    const debuggee = await context.newCDPSession(page);
    void debuggee.send("Page.crash").catch(() => undefined);
    await crashed;
  },
};
const names = Object.keys(kinds);

const context = await browser.newContext({ baseURL, locale: "en-GB" });
context.setDefaultTimeout(300_000); // milliseconds: a busy machine is no cut
let page = await openPage(context, "/dashboard/posts/new");
await page.locator("#title").fill("Cut");
await save(page);
await page.waitForURL(/\/posts\/[\w-]{20,}$/);
const { pathname } = new URL(page.url());

const written: string[] = [];
const lost: string[] = [];
for (let n = 0; n < cuts; n++) {
  const name = names[n % names.length] ?? "";
  const before = `before${n}`;
  const after = `after${n}`;
  await write(page, before);
  written.push(before);
  const isOfAutosave = name.endsWith("autosave"); // if it were over, there would be nothing to lose
  if (!isOfAutosave && Math.random() < 0.3) await page.clock.runFor(Math.random() * 10_000); // it is about to begin, or over
  await kinds[name]?.(page, context);
  const isThere = !["the page is left", "the page crashes"].includes(name);
  if (isThere) {
    await write(page, after);
    written.push(after);
    if (Math.random() < 0.5) await page.clock.runFor(Math.random() * 10_000);
  }
  if (name === "the service") service = await startService(folder.path, { LOG_LEVEL: "error", ...manager }, port);
  await context.setOffline(false);
  if (isThere) await page.goto("/dashboard/projects").catch(() => undefined);
  await page.close().catch(() => undefined);
  page = await openPage(context, pathname);
  await takeOffer(page);
  const content = await contentOf(page);
  const missing = written.filter((word) => !content.includes(word));
  if (missing.length) console.log(`${n}, ${name}: ${missing.join(", ")} missing`);
  lost.push(...missing);
  if (n % 10 === 9) console.log(`${n + 1} cuts, ${lost.length} words lost`);
  written.splice(0, written.length, ...written.filter((word) => content.includes(word)));
  await save(page);
}
await browser.close();
await service.end();
conclude([
  exactly("W6", `words lost of ${cuts} cuts (${names.join(", ")})`, 0, lost.length),
  exactly("W6", "questions whether to leave", 0, dialogs),
]);
process.exit();

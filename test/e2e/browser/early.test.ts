import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { draftOf } from "../../../db/posts/revisions";
import { testPassword } from "../../support/service";
import { listUploads } from "../../support/storage/upload-rows";
import { fillDatabase } from "./fixtures";
import { contentOf, dropFiles, eventually, focusOn, onChromium, openStage, type Stage, until } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* What is pressed, typed, chosen or dropped before a page's scripts are there is kept, and done once they are. */

setDefaultTimeout(testTimeoutMs);

const folder = join(tmpdir(), `postroom-early-${process.pid}`);

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  mkdirSync(join(folder, "album"), { recursive: true });
  writeFileSync(join(folder, "album", "cover.txt"), "A cover");
  stage = await openStage();
  rooms = await fillDatabase(stage);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stage.close();
});
afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));

/** The page without its deferred scripts, and what lets them arrive. */
async function early(path: string, options: BrowserContextOptions = {}) {
  const page = await (await stage.manager(options)).newPage();
  return { page, scriptsArrive: await openEarly(page, path) };
}

async function openEarly(page: Page, path: string) {
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/(?!early)[^/]+\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  await page.locator("h1").waitFor();
  // Before its styles are there, nobody sees the page, nor where anything of it stands
  await until(() => page.evaluate<boolean>("performance.getEntriesByName('first-contentful-paint').length > 0"));
  return async () => {
    held.resolve();
    await page.waitForLoadState("load");
  };
}

test("a link to a dialog opens the dialog, not its page", async () => {
  const { page, scriptsArrive } = await early("/dashboard/newsletter");
  await page.locator("#add").click();
  await scriptsArrive();
  await page.locator("#dialog dialog[open] input[name=email]").fill("early@example.com");
  await page.keyboard.press("Enter");
  await page.locator(".toast", { hasText: "early@example.com added" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/newsletter");
  await page.close();
});

test("an image is chosen in the dialog, though its link leads to another page without scripts", async () => {
  const { page, scriptsArrive } = await early(rooms.project ?? "");
  await page.locator("#change-cover").click();
  await scriptsArrive();
  await page.locator("#dialog [data-picture]").first().click();
  await eventually(() => page.locator("#project-imageUrl").inputValue(), expect.stringMatching(/^\/media\//));
  expect(page.context().pages()).toEqual([page]);
  await page.close();
});

test("a search that is begun with a key is sent", async () => {
  const { page, scriptsArrive } = await early("/dashboard/newsletter");
  await page.keyboard.press("/");
  await page.keyboard.type("reader10@");
  await scriptsArrive();
  await page.locator(".found", { hasText: /^1 / }).waitFor();
  expect(await page.locator("#q").inputValue()).toBe("reader10@");
  expect(await focusOn(page, "q")).toBe("q");
  await page.close();
});

test("a search that is typed, a filter and Enter are all sent, once", async () => {
  const { page, scriptsArrive } = await early("/dashboard/contact");
  await page.locator("#q").fill("reader1");
  await page.locator(".filters select").first().selectOption({ index: 1 });
  await page.locator("#q").press("Enter");
  await scriptsArrive();
  await page.waitForURL(/source=/);
  await eventually(() => new URL(page.url()).searchParams.get("q"), "reader1");
  expect(await page.locator("#q").inputValue()).toBe("reader1");
  await page.close();
});

test("rows are walked and selected with keys", async () => {
  const { page, scriptsArrive } = await early("/dashboard/newsletter");
  for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
  await scriptsArrive();
  await page.locator("[data-picked]", { hasText: /^2 selected$/ }).waitFor();
  await page.close();
});

test("rows are selected with the mouse: single ones, a range, all but one", async () => {
  const { page, scriptsArrive } = await early("/dashboard/newsletter");
  const boxes = page.locator("#list input[name=ids]");
  await boxes.nth(1).click();
  expect(await boxes.nth(1).isChecked()).toBe(true); // at once
  await boxes.nth(4).click({ modifiers: ["Shift"] });
  await scriptsArrive();
  await page.locator("[data-picked]", { hasText: /^4 selected$/ }).waitFor();
  const again = await openEarly(page, "/dashboard/newsletter");
  await page.locator("[data-pick-all]").click();
  await boxes.nth(0).click();
  await again();
  await page.locator("[data-picked]", { hasText: `${(await boxes.count()) - 1} selected` }).waitFor();
  await page.close();
});

test("the palette opens, finds what was typed, and Enter chooses it", async () => {
  const { page, scriptsArrive } = await early("/dashboard/settings");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("reader10@");
  await page.keyboard.press("Enter");
  await scriptsArrive();
  await page.waitForURL(/\/dashboard\/newsletter\/[\w-]{20,}/);
  await page.close();
});

test("the palette opens from its button", async () => {
  const { page, scriptsArrive } = await early("/dashboard/settings");
  await page.locator("[data-palette]").filter({ visible: true }).click();
  await page.keyboard.type("two words");
  await scriptsArrive();
  await page.locator("#palette[open]").waitFor();
  await eventually(() => page.locator("#palette-q").inputValue(), "two words");
  await page.close();
});

test("keys that go somewhere go there", async () => {
  const { page, scriptsArrive } = await early("/dashboard");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await scriptsArrive();
  await page.waitForURL("**/dashboard/api-keys");
  await page.close();
});

test("a form is saved once, on its page, however often it was sent", async () => {
  const { page, scriptsArrive } = await early("/dashboard/settings");
  const title = page.getByLabel("Title", { exact: true });
  await title.fill("Typed early");
  await title.press("Enter");
  await title.press("Enter");
  let saves = 0;
  page.on("request", (request) => request.method() === "POST" && saves++);
  await scriptsArrive();
  await page.locator(".toast", { hasText: /saved/i }).waitFor();
  expect(saves).toBe(1);
  await page.reload();
  expect(await title.inputValue()).toBe("Typed early");
  await page.close();
});

test("what is typed is not lost with the page: a link waits, and then asks", async () => {
  const { page, scriptsArrive } = await early("/dashboard/settings");
  await page.locator("[name=siteTitle]").fill("A title typed early");
  await page.locator(".nav a").first().click();
  const asked = page.waitForEvent("dialog");
  void scriptsArrive();
  await (await asked).dismiss();
  expect(await page.locator("[name=siteTitle]").inputValue()).toBe("A title typed early");
  const again = page.waitForEvent("dialog");
  const reloaded = page.reload();
  await (await again).accept();
  await reloaded;
  await page.close();
});

test("what is typed in the editor is not lost with the page: a link waits until it has been sent", async () => {
  const { page, scriptsArrive } = await early(rooms["an editor with problems"] ?? "");
  await page.locator("#title").fill("A title typed early");
  await page.locator(".crumb > a").click();
  const id = new URL(page.url()).pathname.split("/").pop() ?? "";
  void scriptsArrive();
  await page.waitForURL("**/dashboard/posts");
  const kept = async () => (await draftOf(stage.db, id, { actor: stage.owner.manager.email }))?.fields.title;
  await eventually(kept, "A title typed early"); // it may arrive after the page that was left for
  await page.close();
});

test("the editor saves what was typed, with the marks of its keys and its toolbar", async () => {
  const { page, scriptsArrive } = await early("/dashboard/posts/new");
  await page.locator("#title").fill("Written early");
  await page.locator("#content").click();
  await page.keyboard.type("Hello ");
  await page.keyboard.press("Control+b");
  await page.keyboard.type("bold");
  await page.locator("[data-tool=italic]").click();
  await page.keyboard.type("both");
  await page.keyboard.press("Control+s");
  await scriptsArrive();
  await page.waitForURL(/\/dashboard\/posts\/[\w-]{20,}/);
  await eventually(() => contentOf(page), "Hello **bold_both_**");
  expect(await page.locator("#slug").inputValue()).toBe("written-early");
  await page.close();
});

/** Only a hand, which Chromium imitates, drags folders, and only what a hand drops is opened by the browser. */
onChromium("a folder that is dropped into Storage is uploaded", async () => {
  const { page, scriptsArrive } = await early("/dashboard/storage");
  await drop(page, join(folder, "album"));
  await scriptsArrive();
  await page
    .locator(".up", { hasText: "cover.txt" })
    .locator(".badge", { hasText: /^Uploaded$/ })
    .waitFor();
  const files = await listUploads(stage.db, { states: ["completed"] });
  expect(files.filter((file) => file.folder === "album").map(({ upload }) => upload.filename)).toEqual(["cover.txt"]);
  await page.close();
});

test("a file that is dropped on a text is put into it where it was dropped", async () => {
  const { page, scriptsArrive } = await early("/dashboard/posts/new");
  await page.locator("#content").fill("Before");
  const { x, y } = (await page.locator("#content").boundingBox()) ?? { x: 0, y: 0 };
  await drop(page, join(folder, "album", "cover.txt"), { x: x + 30, y: y + 18 });
  await scriptsArrive();
  await eventually(() => contentOf(page), expect.stringMatching(/^B.*A cover.*e$/));
  await page.close();
});

onChromium("a drop where nothing takes it never leaves the page, whether its scripts are there or not", async () => {
  for (const path of ["/dashboard/newsletter", rooms.composer ?? "", "/dashboard/posts/new"]) {
    const { page, scriptsArrive } = await early(path);
    const here = page.url();
    const left: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) left.push(request.url());
    });
    await drop(page, join(folder, "album"));
    await scriptsArrive();
    await drop(page, join(folder, "album", "cover.txt"));
    await page.evaluate("new Promise(requestAnimationFrame)");
    expect([page.url(), left]).toEqual([here, []]);
    await page.close();
  }
});

onChromium(
  "files dropped where something has just been replaced below the pointer are not opened instead of the page",
  async () => {
    const page = await stage.open("/dashboard/posts");
    const opened: string[] = [];
    page.context().on("page", (other) => opened.push(other.url()));
    await page.evaluate(`
    document.querySelector("main").insertAdjacentHTML("beforeend", "<p id=leaving>Leaving</p>");
    document.querySelector("#leaving").style.cssText = "position: fixed; inset: 300px 200px 200px 500px";`);
    const beforeDrop = () => page.evaluate("document.querySelector('#leaving')?.remove()");
    await dropFiles(page, [join(folder, "album")], { x: 600, y: 400 }, { beforeDrop });
    expect(opened).toEqual([]);
    await page.close();
  },
);

onChromium("a folder that is dropped on a preview is not opened in it", async () => {
  const page = await stage.open(rooms.composer ?? "");
  await page.locator("#beside-preview").click();
  const frame = page.locator(".stage iframe").filter({ visible: true });
  const { x, y, width, height } = (await frame.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await drop(page, join(folder, "album"), { x: x + width / 2, y: y + height / 2 });
  await page.reload(); // what was opened has begun by then, and complained (afterEach)
  expect(await page.locator("html[data-dragging]").count()).toBe(0);
  await page.close();
});

onChromium(
  "what is dragged onto the window in the middle of a preview is dropped on the page, not opened in the preview",
  async () => {
    const page = await stage.open(rooms.composer ?? "");
    await page.evaluate("addEventListener('drop', () => (globalThis.isDropped = true))");
    await page.locator("#beside-preview").click();
    const frame = page.locator(".stage iframe").filter({ visible: true });
    const { x, y, width, height } = (await frame.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const at = { x: x + width / 2, y: y + height / 2 };
    await drop(page, join(folder, "album"), at, at);
    expect(await page.evaluate("globalThis.isDropped")).toBe(true);
    await page.mouse.move(at.x, at.y);
    await eventually(() => page.evaluate(`document.elementFromPoint(${at.x}, ${at.y}).tagName`), "IFRAME");
    await page.close();
  },
);

test("upload buttons are off until a press can open the file chooser", async () => {
  const { page, scriptsArrive } = await early("/dashboard/storage");
  const isOff = () => page.evaluate("getComputedStyle(document.querySelector('#upload-button')).pointerEvents");
  expect(await isOff()).toBe("none");
  await scriptsArrive();
  await eventually(isOff, "auto");
  await page.close();
});

test("signing out deletes the copies of unsaved text", async () => {
  const context = await stage.visitor();
  const page = await context.newPage();
  const arrive = await openEarly(page, "/dashboard/sign-in?next=%2Fdashboard%2Fsettings");
  await page.locator("input[type=email]").fill("owner@example.com");
  await page.locator("#f-password").fill(testPassword);
  await page.locator("[data-reveal]").click();
  await arrive();
  await eventually(() => page.locator("#f-password").getAttribute("type"), "text");
  await page.locator("#f-password").press("Enter");
  await page.waitForURL("**/dashboard/settings/site");
  await page.evaluate(`localStorage.setItem("postroom someone /dashboard/posts/new", "{}")`);
  const scriptsArrive = await openEarly(page, "/dashboard/settings");
  await page.locator("#account").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await scriptsArrive();
  await page.waitForURL("**/dashboard/sign-in**");
  expect(await page.evaluate("localStorage.length")).toBe(0);
  await page.close();
});

test("without the other scripts, what waited for them is done as in a browser without scripts", async () => {
  const page = await (await stage.manager()).newPage();
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/(?!early)[^/]+\.js$/, async (route) => {
    await held.promise;
    await route.abort();
  });
  await page.goto("/dashboard/newsletter", { waitUntil: "commit" });
  await page.locator("#add").click();
  held.resolve();
  await page.waitForURL("**/dashboard/newsletter/new");
  await page.close();
});

const drop = (page: Page, path: string, to = { x: 600, y: 400 }, from?: typeof to) =>
  dropFiles(page, [path], to, { ...(from && { from }) });

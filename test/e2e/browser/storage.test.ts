import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Download, Page, Route } from "playwright-core";
import { trash } from "../../../db/storage/trash";
import * as files from "../../../db/storage/files";
import { draw } from "../../support/storage/pictures";
import { store } from "../../support/storage/stored-files";
import { flaws, violations } from "./axe";
import { drag, eventually, focusKept, focusOn, openMenu, openStage, settled, type Stage, until } from "./stage";
import { addStorageFixtures } from "./storage-fixtures";
import { look, lookAt } from "../../support/look";
import { testTimeoutMs, within } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const path = "/dashboard/storage";

let stage: Stage;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  rooms = await addStorageFixtures(stage);
});
afterAll(() => stage.close());

/** A folder for this test with files of these names. Returns their ids. */
const furnish = (folderPath: string, ...names: string[]) =>
  store(stage, ...names.map((filename) => ({ filename, folderPath })));
const find = (id = "") => files.find(stage.db, id);
const row = (page: Page, name: string) => page.locator("#list tbody tr", { hasText: name });
const toast = (page: Page, words: string) => page.locator(".toast", { hasText: words });

test("on a phone a file has its menu, and a deleted one is restored from its row", async () => {
  const [id = ""] = await furnish("pocket", "a.txt", "b.txt");
  const page = await stage.open(`${path}?folder=pocket`, {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  });
  await page.locator(`#more-${id}`).tap();
  await page.locator(`#menu-${id}`).getByRole("button", { name: "Delete" }).tap();
  await toast(page, "a.txt").waitFor();
  await page.goto(`${path}/trash`);
  await page.locator(`#restore-${id}`).tap();
  await until(async () => (await find(id))?.deletedAt === null);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  expect(await flaws(page)).toEqual([]);
  await page.close();
});

test("on a phone a long name covers neither the size nor the time of a file, also in the trash", async () => {
  const [id = ""] = await furnish("sleeve", "questions-from-the-hall-and-answers.txt");
  const page = await stage.open(`${path}?folder=sleeve`, { viewport: { width: 390, height: 844 } });
  const gap = () =>
    page.evaluate(`(() => {
      const edges = (selector) => document.querySelector("#list tbody " + selector).getBoundingClientRect();
      return Math.min(edges("td.size").left, edges("td.when").left) >= edges("td.main").right;
    })()`);
  expect(await gap()).toBe(true);
  await trash(stage.db, id, { actor: "cli" }, stage.now());
  await page.goto(`${path}/trash?q=questions`);
  await row(page, "questions-from-the-hall").waitFor();
  expect(await gap()).toBe(true);
  await page.close();
});

test("the name of a file is read to its end beside its icon, on a phone, too, and in the trash", async () => {
  const name = "2026-03-14-recording-of-the-assembly-on-the-quay-before-the-storm_final_v2.txt";
  const [id = ""] = await furnish("ends", name);
  const page = await stage.open(`${path}?folder=ends`);
  const isWhole = () =>
    page.evaluate(`(() => {
      const [icon, name] = ["svg", "span"].map((tag) => document.querySelector("#list tbody .named > " + tag));
      const { left, right } = name.getBoundingClientRect();
      const isBeside = left >= icon.getBoundingClientRect().right && right <= innerWidth;
      return isBeside && name.scrollWidth <= name.clientWidth;
    })()`);
  expect(await isWhole()).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isWhole()).toBe(true);
  await trash(stage.db, id, { actor: "cli" }, stage.now());
  await page.goto(`${path}/trash?q=assembly`);
  await row(page, "assembly").waitFor();
  expect(await isWhole()).toBe(true);
  await page.close();
});

test("words in a menu begin where its actions do, and make it no wider than it need be", async () => {
  const [id = ""] = await furnish("used", "cover.png");
  await stage.owner.submit("/dashboard/posts/new", { title: "With a cover", coverImage: `/media/${id}/cover.png` });
  const page = await stage.open(`${path}/files/${id}`);
  await page.locator(`#more-${id}`).click();
  const start = (selector: string) =>
    page.evaluate<number>(`(() => {
      const element = document.querySelector(".menu:popover-open ${selector}");
      return element.getBoundingClientRect().left + parseFloat(getComputedStyle(element).paddingInlineStart);
    })()`);
  await page.getByText("In use, so it cannot be deleted.").waitFor();
  expect(Math.abs((await start(".hint")) - (await start(".btn .icon")))).toBeLessThanOrEqual(1);
  expect((await page.locator(".menu:popover-open").boundingBox())?.width).toBeLessThan(280);
  await page.close();
});

test("a file is renamed, moved and deleted from its row's menu by keyboard, and no step loses the focus", async () => {
  const [id = ""] = await furnish("desk", "a.txt", "b.txt");
  const page = await stage.open(`${path}?folder=desk`);
  const choose = async (item: string) => {
    await page.locator(`#more-${id}`).focus();
    await page.keyboard.press("Enter");
    await page.locator(`#menu-${id} [href$="/${item}"], #menu-${id} [formaction$="/${item}"]`).focus();
    await page.keyboard.press("Enter");
  };

  await choose("rename");
  await page.locator("#f-filename").waitFor();
  await page.keyboard.press("Escape");
  expect(await focusOn(page, `more-${id}`)).toBe(`more-${id}`);
  await choose("rename");
  await page.locator("#f-filename").fill("renamed.txt");
  await page.keyboard.press("Enter");
  await row(page, "renamed.txt").waitFor();

  await choose("move");
  expect(await page.locator("#f-to").inputValue()).toBe("desk");
  await page.locator("#f-to").fill("desk/drawer");
  await page.keyboard.press("Enter");
  await toast(page, "renamed.txt moved to desk/drawer.").waitFor();
  await page.waitForURL(`**${path}?folder=desk`);
  expect((await find(id))?.folder).toBe("desk/drawer");
  await toast(page, "moved to desk/drawer").getByRole("button", { name: "Undo" }).click();
  await row(page, "renamed.txt").waitFor();

  await choose("trash");
  await toast(page, "renamed.txt moved to the trash.").waitFor();
  await row(page, "renamed.txt").waitFor({ state: "detached" });
  expect(await focusKept(page)).not.toBe("BODY");
  await toast(page, "moved to the trash").getByRole("button", { name: "Undo" }).click();
  await row(page, "renamed.txt").waitFor();
  await page.waitForURL(`**${path}?folder=desk`);
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("several are chosen, deleted after a question, and deleted permanently from the trash", async () => {
  const ids = await furnish("heap", "1.log", "2.log", "3.txt");
  const page = await stage.open(`${path}?folder=heap&q=.log`);
  await page.locator("#pick-all").check();
  await page.locator(".bulk").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete 2 files" }).click();
  await toast(page, "2 files moved to the trash.").waitFor();
  expect((await find(ids[2]))?.deletedAt).toBeNull();

  await page.getByRole("link", { name: /^Trash/ }).click();
  await page.locator(`#pick-${ids[0]}`).check();
  await page.locator(".bulk").getByRole("button", { name: "Delete now…" }).click();
  await page.getByRole("button", { name: "Permanently delete 1 file" }).click();
  await toast(page, "1.log permanently deleted.").waitFor();
  await page.locator(`#restore-${ids[1]}`).click();
  await toast(page, "2.log restored.").waitFor();
  expect((await find(ids[1]))?.deletedAt).toBeNull();
  await page.close();
});

/** A node that responds to browsers only once that many requests have arrived, or it is disposed of. */
async function nodeThatWaitsFor(crowd: number) {
  const column = "storage_nodes set public_endpoint";
  const [[origin = ""] = []] = (await lookAt(stage.db, "select public_endpoint from storage_nodes")) as string[][];
  const { promise: allAreHere, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const slow: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch({ url }) {
      if (++asked === crowd) resolve();
      await allAreHere;
      return fetch(url.replace(slow.url.origin, origin), { headers: { host: slow.url.host } }); // the signature covers the host
    },
  });
  await look(stage.db, `update ${column} = ?`, [slow.url.origin]);
  return {
    async [Symbol.asyncDispose]() {
      await look(stage.db, `update ${column} = ?`, [origin]);
      await slow.stop(true);
    },
  };
}

const textOf = async (download: Download) =>
  Buffer.concat(await Array.fromAsync(await download.createReadStream())).toString();

test("several are downloaded by keyboard: each arrives with its bytes, none cancels another, and the page stays", async () => {
  const texts: Record<string, string> = {
    "1 a.txt": "one",
    "2.svg": "<svg/>",
    "3.html": "<h1>three</h1>",
    "4.txt": "four",
  };
  const files = Object.entries(texts).map(([filename, body]) => ({ filename, body, folderPath: "bag" }));
  const mimeTypes = ["text/plain", "image/svg+xml", "text/html", "text/plain"];
  await store(stage, ...files.map((file, i) => ({ ...file, mimeType: mimeTypes[i] ?? "" })));
  await using _node = await nodeThatWaitsFor(4); // nothing has arrived when the next one is requested
  const page = await stage.open(`${path}?folder=bag`);
  const downloads: Download[] = [];
  page.on("download", (download) => downloads.push(download));

  await page.locator("#pick-all").check();
  await page.locator(".bulk").getByRole("button", { name: "Download…" }).focus();
  await page.keyboard.press("Enter");
  expect(await focusOn(page, "download-all")).toBe("download-all");
  await page.keyboard.press("Enter");
  await until(() => downloads.length === 4);
  const arrived = await Promise.all(downloads.map(async (each) => [each.suggestedFilename(), await textOf(each)]));
  expect(Object.fromEntries(arrived)).toEqual(texts);
  await page.locator("#dialog").getByText("Downloads of 4 files started.").waitFor();
  expect(await page.locator("#dialog").getByText("Not downloaded").filter({ visible: true }).count()).toBe(0);
  await page.keyboard.press("Escape");
  expect(await focusKept(page)).not.toBe("BODY");
  expect(page.url()).toEndWith(`${path}?folder=bag`);
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("a file deleted while the list of downloads is open is reported, and the others arrive", async () => {
  const ids = await furnish("leak", "gone.txt", "here.txt");
  const page = await stage.open(`${path}?folder=leak`);
  const arrived: string[] = [];
  page.on("download", (download) => arrived.push(download.suggestedFilename()));
  await page.locator("#pick-all").check();
  await page.locator(".bulk").getByRole("button", { name: "Download…" }).click();
  await page.getByRole("button", { name: "Download all" }).waitFor();
  await trash(stage.db, ids[0] ?? "", { actor: "somebody" }, stage.now());
  await page.getByRole("button", { name: "Download all" }).click();
  await page.locator("#dialog").getByText("1 of 2 files could not be downloaded.").waitFor();
  await page.locator("#dialog li", { hasText: "gone.txt" }).getByText("Not downloaded").waitFor();
  await eventually(() => arrived, ["here.txt"]);
  expect(await violations(page)).toEqual([]);
  await eventually(() => stage.complaints, [expect.stringContaining("frame-ancestors")]); // the page that says it is gone
  stage.complaints.length = 0;
  await page.close();
});

test("one walks into folders by links, back by the way shown, and makes a folder on the way", async () => {
  const page = await stage.open(path);
  for (const name of ["photos", "2026", "winter"]) await page.getByRole("link", { name, exact: true }).click();
  await row(page, "snow.jpg").waitFor();
  await page.getByRole("link", { name: "2026", exact: true }).click();
  await page.locator("#new-folder").click();
  await page.locator("#dialog #f-name").fill("spring");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "This folder is empty" }).waitFor();
  await eventually(() => new URL(page.url()).searchParams.get("folder"), "photos/2026/spring");
  await page.getByRole("button", { name: "Remove folder" }).click();
  await toast(page, "Folder “spring” removed.").waitFor();
  await page.goBack();
  await page.close();
});

test("an image is shown from its node, a text as text, and neither breaks the policy", async () => {
  const page = await stage.open(rooms["an image"] ?? "");
  const image = page.locator(".preview img");
  await eventually(() => image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth), 400);
  await page.goto(rooms["a text"] ?? "");
  expect(await page.locator(".preview pre").textContent()).toStartWith("# Harbour");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("a link is copied, and says how long it works", async () => {
  const page = await stage.open(rooms["a text"] ?? "", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#link").click();
  await page.locator("#copy-link").click();
  await page.getByText("Copied").first().waitFor();
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
  expect(await (await fetch(copied)).text()).toStartWith("# Harbour");
  expect(await page.locator("#dialog").textContent()).toMatch(/download the file until .+ \d\d:\d\d/);
  await page.keyboard.press("Escape");
  expect(await focusOn(page, "link")).toBe("link");
  await page.close();
});

test("open uploads follow every five seconds, but not while one is chosen; an upload is aborted", async () => {
  const page = await (await stage.manager()).newPage();
  let asked = 0;
  page.on("request", (request) => (asked += Number(request.headers()["hx-request"] === "true")));
  await page.clock.install();
  await page.route("**/dashboard/live*", (route) => route.abort()); // without it, the page asks by itself
  await page.goto(`${path}/uploads`);
  await row(page, "backup.zip").getByText("No data received yet").waitFor();
  await look(stage.db, "update uploads set received = 1000000 where filename = 'backup.zip'");
  await page.clock.runFor(5_000);
  await row(page, "backup.zip").getByText("25% · 1 MB").waitFor();
  await row(page, "backup.zip").locator("input").check();
  const before = asked;
  await page.clock.runFor(20_000);
  expect(asked).toBe(before);
  await page.clock.resume();
  await page.locator(".bulk").getByRole("button", { name: "Cancel…" }).click();
  await page.getByRole("button", { name: "Cancel 1 upload" }).click();
  await toast(page, "backup.zip cancelled.").waitFor();
  await row(page, "backup.zip").getByText("Cancelling").waitFor();
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("a list that was asked for before a row was selected waits until the hand has gone", async () => {
  const page = await (await stage.manager()).newPage();
  await page.clock.install();
  await page.route("**/dashboard/live*", (route) => route.abort()); // with it, the list is asked for once a minute
  await page.goto(`${path}/uploads`);
  const polled = Promise.withResolvers<Route>();
  await page.route(/uploads/, (route) => polled.resolve(route), { times: 1 });
  await page.clock.runFor(5_000);
  const poll = await within(polled.promise, "the request for what has changed");
  await row(page, "keynote.mov").locator("input").check();
  await page.locator(".bulk").getByText("1 selected").waitFor();
  await look(stage.db, "update uploads set received = 3000000 where filename = 'keynote.mov'");
  const answer = page.waitForResponse(/uploads/);
  await poll.continue();
  await (await answer).finished();
  await page.clock.runFor(10_000);
  await page.locator(".bulk").getByText("1 selected").waitFor();
  expect(await row(page, "keynote.mov").getByText("10% · 3 MB").count()).toBe(0);
  await row(page, "keynote.mov").locator("input").uncheck();
  await row(page, "keynote.mov").locator("input").blur();
  await page.clock.runFor(5_000);
  await row(page, "keynote.mov").getByText("10% · 3 MB").waitFor();
  await page.close();
});

test("everything works without JavaScript", async () => {
  const [id] = await furnish("plain", "one.txt", "two.txt");
  const page = await stage.open(`${path}?folder=plain`, { javaScriptEnabled: false });
  await page.fill("#q", "one");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await eventually(() => page.locator("#list tbody tr").count(), 1);
  await page.locator(`#pick-${id}`).check();
  await page.getByRole("button", { name: "Download…" }).click();
  const downloads = page.waitForEvent("download");
  await page.getByRole("link", { name: "one.txt" }).click();
  expect((await downloads).suggestedFilename()).toBe("one.txt");
  await page.getByRole("link", { name: "Close" }).click();
  await page.waitForURL("**q=one**");
  await page.getByRole("button", { name: "More actions for one.txt" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await toast(page, "one.txt moved to the trash.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await toast(page, "one.txt restored.").waitFor();
  await page.goto(`${path}/files/${id}`);
  await openMenu(page, id ?? "");
  await page.getByRole("link", { name: "Rename" }).click();
  await page.getByLabel("Name").fill("two.txt");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Rename anyway" }).click();
  await toast(page, "Renamed to “two.txt”.").waitFor();
  await openMenu(page, id ?? "");
  await page.getByRole("link", { name: "Move" }).click();
  await page.getByLabel("Folder").fill("plain/below");
  await page.getByRole("button", { name: "Move" }).click();
  await toast(page, "two.txt moved to plain/below.").waitFor();
  expect((await find(id))?.folder).toBe("plain/below");
  await page.goto(`${path}/uploads`);
  await page.getByRole("link", { name: "Cancel the upload of keynote.mov" }).click();
  await page.getByRole("button", { name: "Cancel 1 upload" }).click();
  await toast(page, "keynote.mov cancelled.").waitFor();
  await page.close();
});

test("axe finds nothing in an open menu, a selection, a warning or a list of downloads", async () => {
  const [id = ""] = await furnish("axe", "a.txt", "b.txt");
  const page = await stage.open(`${path}?folder=axe`);
  const look = async (state: string) => expect([state, await flaws(page)]).toEqual([state, []]);
  await page.locator(`#more-${id}`).click();
  const menu = page.locator(`#menu-${id}`);
  await menu.waitFor();
  await look("a menu");
  await menu.getByText("Rename").click();
  await page.locator("#f-filename").fill("b.txt");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Rename anyway" }).waitFor();
  await look("a warning");
  await page.keyboard.press("Escape");
  await page.locator(`#pick-${id}`).check();
  await look("a selection");
  await page.locator(".bulk").getByRole("button", { name: "Download…" }).click();
  await page.locator("#download-all").waitFor();
  await look("a list of downloads");
  await page.close();
});

test("pictures are dragged into folders, those that are selected together, and the drag is no upload", async () => {
  const body = await draw({ width: 40, height: 30 });
  const add = (folderPath: string, ...names: string[]) =>
    store(stage, ...names.map((filename) => ({ filename, folderPath, mimeType: "image/jpeg", body })));
  const [a = "", b = "", c = ""] = await add("drag", "a.png", "b.png", "c.png");
  await add("drag/there", "d.png");
  const page = await stage.open(`${path}/pictures?folder=drag`);
  const folder = page.locator('[data-drop="drag/there"]');
  const over = page.locator('[data-drop="drag/there"].over');
  await drag(page, page.locator(`#file-${a}`), folder, over);
  await toast(page, "a.png moved to drag/there.").waitFor();
  expect((await find(a))?.folder).toBe("drag/there");
  await page.locator(`#file-${b}`).hover();
  await page.locator(`#pick-${b}`).check();
  await page.locator(`#pick-${c}`).check();
  await drag(page, page.locator(`#file-${c}`), folder, over);
  await toast(page, "2 files moved to drag/there.").waitFor();
  expect([(await find(b))?.folder, (await find(c))?.folder]).toEqual(["drag/there", "drag/there"]);
  expect(await page.locator("[data-overlay]").isHidden()).toBe(true);
  await page.close();
});

test("the focal point follows a click on the picture, and keys on its sliders; both are saved", async () => {
  const body = await draw({ width: 400, height: 200 });
  const [id = ""] = await store(stage, { filename: "wide.jpg", mimeType: "image/jpeg", body });
  await stage.storage.readPictures();
  const page = await stage.open(`${path}/files/${id}`);
  const picture = page.locator(".focal-area img");
  await until(() => picture.evaluate((image) => image.clientWidth > 100));
  const { width = 0, height = 0 } = (await picture.boundingBox()) ?? {};
  await picture.click({ position: { x: width * 0.2, y: height * 0.7 } });
  await page.locator("#f-focalX").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByLabel("Alternative text").fill("Wide");
  await page.keyboard.press("Tab");
  await page.locator("#save-description").press("Enter");
  await toast(page, "Description saved.").waitFor();
  expect(await find(id)).toMatchObject({ alt: "Wide", focalX: 25, focalY: 70 });
  await page.close();
});

test("the button that saves a description stays where it is while one types", async () => {
  const body = await draw({ width: 400, height: 200 });
  const [id = ""] = await store(stage, { filename: "still.jpg", mimeType: "image/jpeg", body });
  await stage.storage.readPictures();
  const page = await stage.open(`${path}/files/${id}`);
  const place = () => page.locator("#save-description").evaluate((button) => button.getBoundingClientRect().toJSON());
  await page.getByLabel("Alternative text").focus();
  const before = await place();
  await page.keyboard.type("A pier");
  await settled(page);
  expect(await place()).toEqual(before);
  await page.locator("#save-description").click();
  await toast(page, "Description saved.").waitFor();
  await page.close();
});

test("what is below a picture stays where it is when the picture comes", async () => {
  const body = await draw({ width: 400, height: 300 });
  const [id = ""] = await store(stage, { filename: "late.jpg", mimeType: "image/jpeg", body });
  await stage.storage.readPictures();
  const page = await (await stage.manager({ viewport: { width: 768, height: 900 } })).newPage();
  const held = Promise.withResolvers<void>();
  await page.route("**/*", async (route) => {
    if (route.request().resourceType() === "image") await held.promise;
    await route.continue();
  });
  await page.goto(`${path}/files/${id}`, { waitUntil: "domcontentloaded" });
  const top = async () => (await page.locator("#describe-picture").boundingBox())?.y;
  const before = await top();
  held.resolve();
  await until(() => page.locator(".focal-area img").evaluate((image) => image.clientWidth > 300));
  expect(await top()).toBe(before);
  await page.close();
});

test("a picture is replaced by an upload from its page, and by one from the library", async () => {
  stage.clock.time = Date.now(); // the node's clock is the real one
  const [id = ""] = await store(stage, {
    ...{ filename: "wide.jpg", mimeType: "image/jpeg", body: await draw({ width: 400, height: 200 }) },
  });
  const page = await stage.open(`${path}/files/${id}`);
  const openForm = async () => {
    await page.locator(`#more-${id}`).focus();
    await page.keyboard.press("Enter");
    await page.locator("#replace").focus();
    await page.keyboard.press("Enter");
  };
  await openForm();
  const buffer = Buffer.from(await draw({ width: 100, height: 300, format: "png" }));
  await page.locator("[data-replace]").setInputFiles({ name: "tall.png", mimeType: "image/png", buffer });
  await toast(page, "wide.jpg replaced.").waitFor();
  expect(await find(id)).toMatchObject({ filename: "wide.jpg", mimeType: "image/png", size: buffer.length });
  await toast(page, "wide.jpg replaced.").getByRole("button", { name: "Undo" }).click();
  await page.locator(".facts", { hasText: "JPEG" }).waitFor();
  const [other = ""] = await store(stage, { filename: "next.webp", mimeType: "image/webp", body: "12345" });
  await openForm();
  await page.locator(`button[name=other][value="${other}"]`).press("Enter");
  await page.locator(".facts", { hasText: "WebP" }).waitFor();
  await page.close();
});

test("a file is replaced by one with its extension, whatever the system calls its type, and others are not uploaded", async () => {
  stage.clock.time = Date.now(); // the node's clock is the real one
  const mimeType = "text/csv; charset=utf-8";
  const [id = ""] = await store(stage, { filename: "prices.csv", mimeType, folderPath: "prices" });
  const page = await stage.open(`${path}/files/${id}/replace`);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PUT") sent.push(request.url());
  });
  const upload = page.locator("[data-replace]");
  await upload.setInputFiles({ name: "prices.xls", mimeType: "application/vnd.ms-excel", buffer: Buffer.from("1") });
  await page.getByText("Not uploaded: prices.xls has another type. Choose a file of the same type.").waitFor();
  expect(sent).toEqual([]);
  const replaceBy = async (name: string, type: string, text: string) => {
    await page.goto(`${path}/files/${id}/replace`);
    await upload.setInputFiles({ name, mimeType: type, buffer: Buffer.from(text) });
    await toast(page, "prices.csv replaced.").waitFor();
    expect(await find(id)).toMatchObject({ filename: "prices.csv", mimeType, size: text.length });
  };
  await replaceBy("New.CSV", "application/vnd.ms-excel", "a,b,c,d");
  await replaceBy("other.txt", "text/csv", "a,b,c,d,e");
  await page.close();
});

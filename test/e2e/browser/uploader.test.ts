import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { BrowserContextOptions, Page, Route } from "playwright-core";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { smallestPart } from "../../support/storage/storage";
import { listUploads } from "../../support/storage/upload-rows";
import { flaws, looks } from "./axe";
import { dropFiles, eventually, onChromium, openStage, settled, type Stage, until } from "./stage";
import { look as lookInto } from "../../support/look";
import { testTimeoutMs, within } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const folder = join(tmpdir(), `postroom-uploader-${process.pid}`);
const part = smallestPart; // as the stage's storage splits them
const atOnce = 4; // parts that a page sends at the same time

let stage: Stage;
beforeAll(async () => {
  mkdirSync(folder);
  stage = await openStage();
  await stage.storage.nodes.open();
  // The provider uses the real clock, and so does a service that checks there once a second
  Object.defineProperty(stage.clock, "time", { get: () => Date.now() });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stage.close();
});

afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));

/** A file of that many bytes, no two parts alike. It always has the same date, so that it is recognised. */
function fileOf(name: string, size: number): string {
  const path = join(folder, name);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4_096) bytes.writeUInt32LE(at / 4_096, Math.min(at, Math.max(0, size - 4)));
  mkdirSync(join(path, ".."), { recursive: true });
  if (size) writeFileSync(path, bytes);
  else writeFileSync(path, "");
  return path;
}

/** The Storage page, with a folder for this test. Files are chosen with the input that every browser has. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await stage.manager(options);
  await context.addInitScript("delete window.showOpenFilePicker");
  return visit(await context.newPage(), path);
}

async function visit(page: Page, path: string): Promise<Page> {
  await page.goto(`/dashboard/storage?folder=${path}`);
  return page;
}

async function choose(page: Page, paths: string[], button = "Upload files"): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: button, exact: true }).click();
  await (await chooser).setFiles(paths);
}

const row = (page: Page, name: string) => page.locator(".up", { hasText: name });
const inState = (page: Page, name: string, state: string) =>
  row(page, name)
    .filter({ has: page.locator(".badge", { hasText: new RegExp(`^${state}$`) }) })
    .waitFor();
const line = (page: Page, name: string) => row(page, name).locator("[data-line]");
const percent = async (page: Page, name: string) =>
  Number(await row(page, name).locator("progress").getAttribute("value"));

/** The files of that folder, as the service knows them. */
const stored = async (path: string) =>
  (await listUploads(stage.db, { states: ["completed"] })).filter(
    (each) => each.folder === path && !each.upload.deletedAt,
  );
const names = async (path: string) => (await stored(path)).map(({ upload }) => upload.filename).sort();

async function hashOf(id: string): Promise<string> {
  const file = await fetch((await stage.storage.downloadUrl(id)) ?? "");
  return new Bun.CryptoHasher("sha256").update(await file.bytes()).digest("hex");
}
const hashOfFile = async (path: string) =>
  new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex");

const node = async () => {
  const [first] = await storageNodes.list(stage.db);
  if (!first) throw new Error("There is no node");
  return first;
};

/** Limits the page's upload bandwidth to so many bytes per second. */
async function slow(page: Page, uploadThroughput: number): Promise<void> {
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send("Network.enable");
  await debuggee.send("Network.emulateNetworkConditions", {
    ...{ offline: false, latency: 0, downloadThroughput: -1 },
    uploadThroughput,
  });
}

const isPart = (url: URL) => url.searchParams.has("partNumber");
const partOf = (url: string) => Number(new URL(url).searchParams.get("partNumber"));

/** The node accepts the first parts from now on; the others never arrive. */
const holdAfter = (page: Page, parts: number) =>
  page.route(isPart, (route) =>
    partOf(route.request().url()) <= parts
      ? route.continue()
      : void stuck.set(page, [...(stuck.get(page) ?? []), route]),
  );

/** Chooses a file of which so many parts arrive, and the others are held. Resolves with the ID. */
async function stuckAfter(page: Page, path: string, parts: number): Promise<string> {
  await holdAfter(page, parts);
  await choose(page, [path]);
  return partsAreThere(page, basename(path), parts);
}
const stuckAfterTwo = (page: Page, path: string) => stuckAfter(page, path, 2);

async function partsAreThere(page: Page, name: string, parts: number): Promise<string> {
  await inState(page, name, "Uploading");
  const [open] = await listUploads(stage.db, { states: ["open"] });
  const id = open?.upload.id ?? "";
  await until(async () => (await partsThere(id)).length === parts);
  const left = Math.ceil((open?.upload.size ?? 0) / part) - parts;
  await until(() => (stuck.get(page) ?? []).length === Math.min(left, atOnce)); // then the page sends no others
  return id;
}
const stuck = new WeakMap<Page, Route[]>();

/** Releases the parts that are stuck, and all that follow. */
async function release(page: Page): Promise<void> {
  await page.route(isPart, (route) => route.continue());
  await Promise.all((stuck.get(page) ?? []).map((route) => route.continue()));
}

/**
 * Stalled requests never arrive, although browsers send what they held back when a page is closed. Nothing is retried:
 * this page's timers never fire again. (Playwright's clock would stop those of the next page, too.)
 */
async function closeInTheMiddle(page: Page): Promise<void> {
  await page.evaluate("globalThis.setTimeout = () => 0");
  await Promise.all((stuck.get(page) ?? []).map((route) => route.abort()));
  await page.close();
}
async function partsThere(id: string) {
  const status = await stage.storage.status(id);
  return status === "unknown" || !status ? [] : status.parts;
}

/** Cancels all uploads, or the one with this name, and confirms. */
async function giveUp(page: Page, name = ""): Promise<void> {
  const rows = row(page, name);
  for (let left = await rows.count(); left > 0; left--) {
    await rows.first().locator("[data-cancel]").click();
    const sure = page.locator("[data-giving] .danger");
    await until(async () => (await sure.isVisible()) || (await rows.count()) < left);
    if (await sure.isVisible()) await sure.click();
    await sure.waitFor({ state: "hidden" });
    await until(async () => (await rows.count()) < left);
  }
}

/** PUTs to the node, by part number. */
function partsSent(page: Page): number[] {
  const sent: number[] = [];
  page.on("request", (request) => {
    if (request.method() === "PUT") sent.push(partOf(request.url()));
  });
  return sent;
}

const said = (page: Page, text: string) =>
  page.locator("[data-announcer]", { hasText: text }).waitFor({ state: "attached" });
/** Waits until the control with this label or id has the focus. */
const focusOn = (page: Page, name: string) =>
  eventually(
    () => page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.id"),
    name,
  );
/** Waits until the row says this, and nothing else. */
const says = (page: Page, name: string, words: unknown) => eventually(() => line(page, name).textContent(), words);

test("several files are uploaded with the button, large ones in parts, and the list shows them", async () => {
  const page = await open("several");
  const sent = partsSent(page);
  const paths = [fileOf("one.bin", 1_000), fileOf("empty.txt", 0), fileOf("large.bin", 2 * part + 10)];
  await choose(page, paths);
  await said(page, "Uploading 3 files.");
  for (const name of ["one.bin", "empty.txt", "large.bin"]) await inState(page, name, "Uploaded");
  await said(page, "3 files uploaded.");
  await page.locator("#list", { hasText: "large.bin" }).waitFor();
  expect(sent.sort()).toEqual([1, 1, 1, 2, 3]);

  const files = await stored("several");
  expect(files.map(({ upload }) => [upload.filename, upload.mimeType, upload.size]).sort()).toEqual([
    ["empty.txt", "text/plain", 0],
    ["large.bin", "application/octet-stream", 2 * part + 10],
    ["one.bin", "application/octet-stream", 1_000],
  ]);
  const large = files.find(({ upload }) => upload.filename === "large.bin")?.upload.id ?? "";
  expect(await hashOf(large)).toBe(await hashOfFile(paths[2] ?? ""));

  await page.getByRole("button", { name: "Clear finished" }).press("Enter");
  await eventually(() => page.locator(".up").count(), 0);
  await focusOn(page, "upload-button");
  await page.close();
});

/** Only a hand, which Chromium imitates, drags folders. */
onChromium(
  "files and folders that are dropped anywhere land in the open folder, with the folders they were in",
  async () => {
    const page = await open("dropped");
    fileOf("album/cover.png", 2_000);
    fileOf("album/deep/er/track.mp3", 3_000);
    const debuggee = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(folder, "album"), fileOf("loose.txt", 10)], dragOperationsMask: 1 };
    const at = { x: 600, y: 700 };
    await debuggee.send("Input.dispatchDragEvent", { type: "dragEnter", ...at, data });
    await page.getByText("Drop to upload to /dropped").waitFor();
    await dropFiles(page, data.files, at);
    for (const name of ["cover.png", "track.mp3", "loose.txt"]) await inState(page, name, "Uploaded");
    await page.getByText("Drop to upload to").waitFor({ state: "hidden" });
    expect(await names("dropped")).toEqual(["loose.txt"]);
    expect(await names("dropped/album")).toEqual(["cover.png"]);
    expect(await names("dropped/album/deep/er")).toEqual(["track.mp3"]);
    await page.close();
  },
);

test("a script's DataTransfer is as good as a hand's", async () => {
  const page = await open("transferred");
  await page.evaluate(`
    const data = new DataTransfer();
    data.items.add(new File(["hello"], "hello.txt", { type: "text/plain" }));
    for (const type of ["dragenter", "dragover", "drop"])
      document.querySelector("h1").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));`);
  await inState(page, "hello.txt", "Uploaded");
  await page.close();
});

onChromium("a browser without file handles drops folders too", async () => {
  const page = await open("without-handles");
  await page.evaluate("delete DataTransferItem.prototype.getAsFileSystemHandle");
  fileOf("plain/inner/leaf.txt", 20);
  await dropFiles(page, [join(folder, "plain")], { x: 600, y: 700 });
  await inState(page, "leaf.txt", "Uploaded");
  expect(await names("without-handles/plain/inner")).toEqual(["leaf.txt"]);
  await page.close();
});

test("files are uploaded to the folder that is open then, and continue when another one is opened", async () => {
  const page = await open("outer");
  fileOf("inner/first.txt", 10);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "folder", exact: true }).click();
  await (await chooser).setFiles(join(folder, "inner"));
  await inState(page, "first.txt", "Uploaded");
  await holdAfter(page, 0);
  await choose(page, [fileOf("meanwhile.bin", 2 * part)]);
  await page.locator("#list").getByRole("link", { name: "inner" }).click();
  await page.locator("#list", { hasText: "first.txt" }).waitFor();
  await eventually(() => new URL(page.url()).searchParams.get("folder"), "outer/inner");
  await choose(page, [fileOf("second.txt", 10)]);
  await release(page);
  for (const name of ["second.txt", "meanwhile.bin"]) await inState(page, name, "Uploaded");
  expect(await names("outer")).toEqual(["meanwhile.bin"]);
  expect(await names("outer/inner")).toEqual(["first.txt", "second.txt"]);
  await page.locator("#list", { hasText: "second.txt" }).waitFor();
  await page.close();
});

test("opening a folder before the chosen files have started loses none of them", async () => {
  const page = await open("hurried");
  fileOf("below/first.txt", 10);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "folder", exact: true }).click();
  await (await chooser).setFiles(join(folder, "below"));
  await inState(page, "first.txt", "Uploaded");
  const answer = Promise.withResolvers<void>();
  await page.route("**/uploads/names", (route) => answer.promise.then(() => route.continue()));
  const asked = page.waitForRequest("**/uploads/names");
  await choose(page, [fileOf("hurried.txt", 10)]);
  await asked;
  await page.locator("#list").getByRole("link", { name: "below" }).click();
  await page.locator("#list", { hasText: "first.txt" }).waitFor();
  answer.resolve();
  await inState(page, "hurried.txt", "Uploaded");
  expect(await names("hurried")).toEqual(["hurried.txt"]);
  await page.close();
});

test("a folder can be chosen without dropping anything", async () => {
  const page = await open("by-hand");
  fileOf("letters/a.txt", 10);
  fileOf("letters/old/b.txt", 10);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "folder", exact: true }).press("Enter");
  await (await chooser).setFiles(join(folder, "letters"));
  for (const name of ["a.txt", "b.txt"]) await inState(page, name, "Uploaded");
  expect(await names("by-hand/letters")).toEqual(["a.txt"]);
  expect(await names("by-hand/letters/old")).toEqual(["b.txt"]);
  await page.close();
});

test("progress, speed and time left are seen; paused, nothing is sent; resumed, only what is missing", async () => {
  const page = await open("paused");
  await page.clock.install();
  const path = fileOf("film.bin", 6 * part);
  const id = await stuckAfterTwo(page, path);
  await line(page, "film.bin")
    .filter({ hasText: /^\d+% · [\d.]+ [kM]B\/s · \d+ (s|min|h|days) left$/ })
    .waitFor();

  await page.getByRole("button", { name: "Pause film.bin" }).press("Enter");
  await inState(page, "film.bin", "Paused");
  await focusOn(page, "Resume film.bin");
  await says(page, "film.bin", "33% uploaded");
  await page.unroute(isPart);
  const sent = partsSent(page);
  await page.clock.fastForward("10:00");
  await settled(page);
  expect(sent).toEqual([]);

  await page.getByRole("button", { name: "Resume film.bin" }).press("Enter");
  await inState(page, "film.bin", "Uploaded");
  await focusOn(page, "Remove film.bin from the list");
  expect(sent.sort()).toEqual([3, 4, 5, 6]);
  expect(await hashOf(id)).toBe(await hashOfFile(path));
  await page.close();
});

test("the figures of a node follow an upload, and nothing is claimed of one that was never tested", async () => {
  const page = await open("figures");
  const figures = page.locator("#nodes-summary li");
  const before = await figures.textContent();
  await choose(page, [fileOf("figures.bin", 3_000_000)]);
  await inState(page, "figures.bin", "Uploaded");
  await eventually(async () => (await figures.textContent()) === before, false);

  await figures.getByRole("link").click();
  await page.getByRole("heading", { name: "Health checks" }).waitFor();
  expect(await page.locator(".badge", { hasText: "Not tested yet" }).count()).toBe(1);
  expect(await page.locator(".capabilities li").count()).toBe(0);
  await page.getByRole("button", { name: /^Test now/ }).click();
  await page.locator(".capabilities .fine").first().waitFor();
  await page.close();
});

test("the total of several files includes what is paused, and continues from there", async () => {
  const page = await open("totals");
  const total = page.locator("[data-total] [data-line]");
  await holdAfter(page, 2);
  await choose(page, [fileOf("note.txt", 1_000), fileOf("scan.bin", 6 * part)]);
  await inState(page, "note.txt", "Uploaded");
  await partsAreThere(page, "scan.bin", 2);
  await page.getByRole("button", { name: "Pause scan.bin" }).click();
  await inState(page, "scan.bin", "Paused");
  await says(page, "scan.bin", "33% uploaded");
  await release(page);
  await choose(page, [fileOf("later.txt", 1_000)]); // the rows are rendered again
  await inState(page, "later.txt", "Uploaded");
  await total.filter({ hasText: /^2 of 3 files · 33%$/ }).waitFor();
  await page.getByRole("button", { name: "Resume scan.bin" }).click();
  await total.filter({ hasText: /^3 of 3 files · 100%$/ }).waitFor();
  await page.close();
});

test("a quarter at a time is read out", async () => {
  const page = await open("heard");
  await page.evaluate(`
    window.heard = [];
    const region = document.querySelector("[data-announcer]");
    new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true });`);
  await holdAfter(page, 2);
  await choose(page, [fileOf("long.bin", 4 * part)]);
  await said(page, "50% uploaded.");
  await release(page);
  await inState(page, "long.bin", "Uploaded");
  await said(page, "1 file uploaded.");
  const heard = (await page.evaluate("window.heard")) as string[];
  expect([heard[0], heard.at(-1)]).toEqual(["Uploading 1 file.", "1 file uploaded."]);
  expect(heard.slice(1, -1).every((text) => /^(25|50|75)% uploaded\.$/.test(text))).toBe(true);
  expect(heard.length).toBeGreaterThan(2);
  expect(new Set(heard).size).toBe(heard.length);
  await page.close();
});

test("a part that the node does not take is sent again after a second, and after two", async () => {
  const page = await open("again");
  let failures = 0;
  await page.route(isPart, (route) =>
    route.request().method() === "PUT" && failures++ < 2 ? route.abort("connectionreset") : route.continue(),
  );
  await page.evaluate(`
    window.pauses = [];
    const wait = window.setTimeout;
    window.setTimeout = (work, pause, ...given) => (window.pauses.push(pause), wait(work, pause, ...given));`);
  await choose(page, [fileOf("stubborn.bin", 1_000)]);
  await inState(page, "stubborn.bin", "Uploaded");
  const pauses = (await page.evaluate("window.pauses")) as number[];
  expect(pauses.filter((pause) => [1_000, 2_000, 4_000, 8_000].includes(pause))).toEqual([1_000, 2_000]);
  expect(failures).toBe(3);
  await page.close();
});

test("a file that a full node rejects goes to another one automatically", async () => {
  const { db } = stage;
  const embedded = await node();
  const { id: _, ...same } = embedded;
  const full = await storageNodes.register(db, { ...same, name: "full", capacityBytes: 1e15 });
  const page = await open("elsewhere");
  let refused = 0;
  await page.route(isPart, (route) => {
    if (route.request().method() !== "PUT" || refused) return route.continue();
    refused++;
    const headers = { "access-control-allow-origin": stage.config.BASE_URL };
    return route.fulfill({ status: 403, headers, body: "<Error><Code>QuotaExceeded</Code></Error>" });
  });
  await choose(page, [fileOf("movable.bin", 3 * part)]);
  await inState(page, "movable.bin", "Uploaded");
  const all = (await listUploads(db)).filter(({ upload }) => upload.filename === "movable.bin");
  expect(new Map(all.map(({ upload }) => [upload.nodeId, upload.outcome ?? upload.state]))).toEqual(
    new Map([
      [full.id, "refused"],
      [embedded.id, "completed"],
    ]),
  );
  expect(refused).toBe(1);
  await storageNodes.retire(db, "full");
  await page.close();
});

test("an expired URL is requested again", async () => {
  const page = await open("expired");
  const urls = new Set<string>();
  await page.route(isPart, (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    urls.add(route.request().url());
    const headers = { "access-control-allow-origin": stage.config.BASE_URL };
    return urls.size === 1 ? route.fulfill({ status: 403, headers, body: "expired" }) : route.continue();
  });
  const asked: string[] = [];
  page.on("request", (request) => request.url().endsWith("/parts") && asked.push(request.url()));
  await choose(page, [fileOf("late.bin", 1_000)]);
  await inState(page, "late.bin", "Uploaded");
  expect(asked).toHaveLength(2);
  await page.close();
});

test("a node that is newer than the page's policy is reported as such immediately", async () => {
  const page = await open("newer");
  await page.evaluate(`
    const meta = document.createElement("meta");
    meta.httpEquiv = "content-security-policy";
    meta.content = "connect-src 'self'";
    document.head.append(meta);`);
  await choose(page, [fileOf("early.bin", 10)]);
  await inState(page, "early.bin", "Failed");
  await says(page, "early.bin", expect.stringMatching(/^A storage node was added since this page was opened\./));
  expect(stage.complaints.splice(0).every((each) => each.includes("connect-src"))).toBe(true);
  await page.getByRole("button", { name: "Cancel the upload of early.bin" }).click();
  await page.close();
});

test("if nothing helps the row says so, and Retry continues with the parts that arrived", async () => {
  const page = await open("failing");
  await page.clock.install();
  let isDown = true;
  await page.route(
    (url) => url.searchParams.get("partNumber") === "2",
    (route) => (isDown ? route.abort("connectionrefused") : route.continue()),
  );
  const sent = partsSent(page);
  const isFirst = (url: string) => new URL(url).searchParams.get("partNumber") === "1";
  const arrived = page.waitForResponse((response) => isFirst(response.url()));
  await choose(page, [fileOf("unlucky.bin", part + 5)]);
  await arrived; // while the clock stands still: otherwise the part would count as stalled
  await until(async () => {
    await page.clock.runFor(1_000);
    return (await row(page, "unlucky.bin").locator(".badge").textContent()) === "Failed";
  });
  await says(page, "unlucky.bin", expect.stringMatching(/^The storage node cannot be reached/));
  expect(sent.filter((number) => number === 2)).toHaveLength(5);
  await page.clock.runFor(1_000);
  await said(page, "unlucky.bin: The storage node cannot be reached");
  isDown = false;
  await page.getByRole("button", { name: "Retry unlucky.bin" }).click();
  await inState(page, "unlucky.bin", "Uploaded");
  expect(sent.filter((number) => number === 1)).toHaveLength(1);
  await page.close();
});

test("when the page is closed in the middle and opened again, the row asks for the same file and sends what is missing", async () => {
  const page = await open("closed");
  const path = fileOf("keynote.mov", 6 * part);
  const id = await stuckAfterTwo(page, path);
  await closeInTheMiddle(page);
  const again = await visit(await page.context().newPage(), "closed");
  await inState(again, "keynote.mov", "Interrupted");
  await says(again, "keynote.mov", "33% uploaded · choose the same file to resume");
  await eventually(() => percent(again, "keynote.mov"), 33);

  const sent = partsSent(again);
  await choose(again, [fileOf("other.mov", 100)], "Choose file keynote.mov");
  await line(again, "keynote.mov")
    .filter({ hasText: "That is a different file. Choose keynote.mov (6.3 MB)" })
    .waitFor();
  expect(sent).toEqual([]);
  await choose(again, [path], "Choose file keynote.mov");
  await inState(again, "keynote.mov", "Uploaded");
  expect(sent.sort()).toEqual([3, 4, 5, 6]);
  expect(await hashOf(id)).toBe(await hashOfFile(path));

  await again.reload();
  await again.locator("#list", { hasText: "keynote.mov" }).waitFor();
  expect(await again.locator(".up").count()).toBe(0);
  await again.close();
});

test("dropped into its folder again, an interrupted file continues automatically", async () => {
  const page = await open("dropped-again");
  const path = fileOf("again.mov", 3 * part);
  const id = await stuckAfterTwo(page, path);
  await closeInTheMiddle(page);
  const again = await visit(await page.context().newPage(), "dropped-again");
  await inState(again, "again.mov", "Interrupted");
  await choose(again, [path]);
  await inState(again, "again.mov", "Uploaded");
  expect(await again.locator(".up").count()).toBe(1);
  expect((await stored("dropped-again")).map(({ upload }) => upload.id)).toEqual([id]);
  await again.close();
});

test("an interrupted upload continues although the service did not respond when the page was opened", async () => {
  const page = await open("silent");
  const path = fileOf("silent.mov", 3 * part);
  const id = await stuckAfterTwo(page, path);
  await closeInTheMiddle(page);
  const again = await page.context().newPage();
  await again.route(/\/complete$/, (route) => route.abort());
  await visit(again, "silent");
  await inState(again, "silent.mov", "Interrupted");
  await says(again, "silent.mov", "Postroom cannot be reached. Check your connection.");
  await again.unroute(/\/complete$/);
  await choose(again, [path]);
  await inState(again, "silent.mov", "Uploaded");
  expect((await stored("silent")).map(({ upload }) => upload.id)).toEqual([id]);
  await again.close();
});

test("a file chosen before the status of its upload is known continues immediately", async () => {
  const page = await open("early");
  const path = fileOf("early.mov", 3 * part);
  const id = await stuckAfterTwo(page, path);
  await closeInTheMiddle(page);
  const again = await page.context().newPage();
  const [asked, sent] = [Promise.withResolvers<Route>(), Promise.withResolvers<Route>()];
  await again.route(/\/complete$/, (route) => asked.resolve(route), { times: 1 });
  await again.route(isPart, (route) => sent.resolve(route));
  await visit(again, "early");
  const question = await within(asked.promise, "the question whether everything has arrived");
  await choose(again, [path]);
  const lastPart = await within(sent.promise, "the last part");
  const answer = again.waitForResponse(/\/complete$/);
  await question.continue();
  await within((await answer).finished(), "the end of the answer");
  await lastPart.continue();
  await inState(again, "early.mov", "Uploaded");
  expect((await stored("early")).map(({ upload }) => upload.id)).toEqual([id]);
  await again.close();
});

test("if the browser provides a handle, Resume opens the file automatically", async () => {
  const context = await stage.manager();
  // A handle of the page's own files is as real as one from the system's dialog, which no test can click
  await context.addInitScript(`
    window.showOpenFilePicker = async () => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle("kept.bin", { create: true });
      if (!(await handle.getFile()).size) {
        const writable = await handle.createWritable();
        await writable.write(new Uint8Array(${4 * part}).fill(7));
        await writable.close();
      }
      return [handle];
    };`);
  const page = await visit(await context.newPage(), "handles");
  await holdAfter(page, 2);
  await page.getByRole("button", { name: "Upload files" }).click();
  await partsAreThere(page, "kept.bin", 2);
  await closeInTheMiddle(page);
  const again = await visit(await context.newPage(), "handles");
  await inState(again, "kept.bin", "Interrupted");
  await again.getByRole("button", { name: "Resume kept.bin" }).click();
  await inState(again, "kept.bin", "Uploaded");
  expect(await names("handles")).toEqual(["kept.bin"]);
  await again.close();
});

test("an upload that ended while the page was closed is reported as complete, or as cancelled if it was aborted", async () => {
  const page = await open("behind");
  const id = await stuckAfterTwo(page, fileOf("given-up.mov", 3 * part));
  await closeInTheMiddle(page);
  await stage.storage.abort(id);
  const again = await visit(await page.context().newPage(), "behind");
  await inState(again, "given-up.mov", "Failed");
  await says(again, "given-up.mov", expect.stringMatching(/^This upload expired/));
  await choose(again, [join(folder, "given-up.mov")], "Retry given-up.mov");
  await inState(again, "given-up.mov", "Uploaded");
  await again.close();
});

test("two pages do not send the same upload: the other one offers it when the first is closed", async () => {
  const page = await open("twice");
  await stuckAfterTwo(page, fileOf("mine.bin", 3 * part));
  const other = await visit(await page.context().newPage(), "twice");
  const waiting = "navigator.locks.query().then(({ pending }) => pending.length)";
  await until(async () => ((await other.evaluate(waiting)) as number) > 0); // the first page has the upload
  expect(await other.locator(".up").count()).toBe(0);
  await closeInTheMiddle(page);
  await inState(other, "mine.bin", "Interrupted");
  await giveUp(other);
  await other.close();
});

test("without a connection everything waits, and continues when it is back", async () => {
  const page = await open("offline");
  await stuckAfterTwo(page, fileOf("waiting.bin", 3 * part));
  await page.context().setOffline(true);
  await inState(page, "waiting.bin", "Offline");
  await release(page);
  await page.context().setOffline(false);
  await inState(page, "waiting.bin", "Uploaded");
  expect(await hashOf((await stored("offline"))[0]?.upload.id ?? "")).toBe(
    await hashOfFile(join(folder, "waiting.bin")),
  );
  await page.close();
});

test("when no node has room the row says how much there is, and Retry works when there is more", async () => {
  const page = await open("full");
  const { id, capacityBytes, usedBytes, reservedBytes } = await node();
  const resize = async (bytes: number) =>
    await lookInto(stage.db, "update storage_nodes set capacity_bytes = ? where id = ?", [bytes, id]);
  await resize(usedBytes + reservedBytes + 21_000);
  await choose(page, [fileOf("huge.bin", 38_000)]);
  await inState(page, "huge.bin", "Failed");
  await says(page, "huge.bin", "No storage node has 38 kB free. The most free space is 21 kB, on embedded.");
  await resize(capacityBytes);
  await page.getByRole("button", { name: "Retry huge.bin" }).press("Enter");
  await inState(page, "huge.bin", "Uploaded");
  await page.close();
});

test("names that are taken are asked about once for all: skip, keep both, replace", async () => {
  const page = await open("clash");
  const paths = ["a.txt", "b.txt", "c.txt"].map((name) => fileOf(`clash/${name}`, 10));
  await choose(page, paths.slice(0, 2));
  for (const name of ["a.txt", "b.txt"]) await inState(page, name, "Uploaded");
  const before = new Set((await stored("clash")).map(({ upload }) => upload.id));

  const again = async (answer: string) => {
    await page.getByRole("button", { name: "Clear finished" }).click();
    await choose(page, paths);
    const dialog = page.getByRole("dialog", { name: "2 files already exist" });
    await dialog.waitFor();
    await eventually(() => dialog.locator("li").allTextContents(), ["a.txt", "b.txt"]);
    await dialog.getByRole("button", { name: answer }).click();
    await inState(page, "c.txt", "Uploaded");
  };
  await again("Skip");
  await eventually(() => page.locator(".up").count(), 1);
  expect(await names("clash")).toEqual(["a.txt", "b.txt", "c.txt"]);

  await lookInto(stage.db, "update uploads set deleted_at = 1, purge_at = 1e15 where filename = 'c.txt'");
  await again("Keep both");
  await until(async () => (await names("clash")).length === 5);
  expect(await names("clash")).toEqual(["a (2).txt", "a.txt", "b (2).txt", "b.txt", "c.txt"]);

  await lookInto(stage.db, "update uploads set deleted_at = 1, purge_at = 1e15 where filename = 'c.txt'");
  await again("Replace");
  for (const name of ["a.txt", "b.txt"]) await inState(page, name, "Uploaded");
  expect(await names("clash")).toEqual(["a (2).txt", "a.txt", "b (2).txt", "b.txt", "c.txt"]);
  const now = (await stored("clash")).filter(({ upload }) => ["a.txt", "b.txt"].includes(upload.filename));
  expect(now.some(({ upload }) => before.has(upload.id))).toBe(false);
  for (const id of before) expect((await uploads.find(stage.db, id))?.deletedAt).not.toBeNull();
  await page.close();
});

test("however many files have long names in deep folders, those that are there are asked about", async () => {
  const page = await open(Array(5).fill("ü".repeat(100)).join("/"));
  const paths = Array.from({ length: 60 }, (_, i) => fileOf(`long/${i}-${"n".repeat(240)}.txt`, 4));
  await choose(page, paths.slice(-1));
  await inState(page, "59-nnn", "Uploaded");
  await choose(page, paths);
  await page.getByRole("dialog", { name: "This file already exists" }).waitFor();
  await page.close();
});

test("cancelling asks for confirmation if much has arrived, frees the space, and leaves the focus in the list", async () => {
  const page = await open("cancelled");
  const { reservedBytes } = await node();
  await stuckAfter(page, fileOf("wrong.bin", 11 * part), 10);
  await choose(page, [fileOf("right.bin", 1_000)]);
  await inState(page, "right.bin", "Uploaded");
  expect((await node()).reservedBytes).toBe(reservedBytes + 11 * part);

  const cancel = page.getByRole("button", { name: "Cancel the upload of wrong.bin" });
  await cancel.press("Enter");
  const question = page.getByRole("dialog", { name: "Cancel the upload of wrong.bin?" });
  await question.getByText("90% of 12 MB has been uploaded").waitFor();
  await eventually(
    () => page.evaluate("document.activeElement.textContent"),
    expect.stringContaining("Keep uploading"),
  );
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "hidden" });
  await focusOn(page, "Cancel the upload of wrong.bin");
  await inState(page, "wrong.bin", "Uploading");
  await cancel.press("Enter");
  await question.getByRole("button", { name: "Cancel upload" }).press("Enter");
  await row(page, "wrong.bin").waitFor({ state: "detached" });
  await focusOn(page, "Remove right.bin from the list");
  await until(async () => (await node()).reservedBytes === reservedBytes);
  await page.reload();
  expect(await page.locator(".up").count()).toBe(0);
  expect(await names("cancelled")).toEqual(["right.bin"]);
  await page.close();
});

test("cancelled before its space was reserved, nothing stays; paused and resumed then, it is reserved once", async () => {
  const page = await open("hasty");
  const { reservedBytes } = await node();
  const isReservation = (url: URL) => url.pathname === "/dashboard/storage/uploads";
  const held: (() => Promise<void>)[] = [];
  await page.route(isReservation, (route) => void held.push(() => route.continue()));
  await choose(page, [fileOf("never.bin", 4_000), fileOf("once.bin", 4_000)]);
  await until(() => held.length === 2);
  await giveUp(page, "never.bin");
  await page.getByRole("button", { name: "Pause once.bin" }).click();
  await page.getByRole("button", { name: "Resume once.bin" }).click();
  await Promise.all(held.map((go) => go()));
  await inState(page, "once.bin", "Uploaded");
  expect(held).toHaveLength(2);
  expect(await names("hasty")).toEqual(["once.bin"]);
  await until(async () => (await node()).reservedBytes === reservedBytes);
  await page.reload();
  await page.locator("#list", { hasText: "once.bin" }).waitFor();
  expect(await page.locator(".up").count()).toBe(0);
  await page.close();
});

test("a response that was lost does not cause a second reservation", async () => {
  const page = await open("lost");
  let asked = 0;
  await page.route(
    (url) => url.pathname === "/dashboard/storage/uploads",
    async (route) => {
      if (asked++) return route.continue();
      await route.fetch(); // it arrives, and gets a response
      await route.abort();
    },
  );
  await choose(page, [fileOf("lost.bin", 4_000)]);
  await inState(page, "lost.bin", "Uploaded");
  expect(asked).toBe(2);
  const all = (await listUploads(stage.db)).filter(({ folder }) => folder === "lost");
  expect(all.map(({ upload }) => [upload.filename, upload.state])).toEqual([["lost.bin", "completed"]]);
  await page.close();
});

test("leaving asks for confirmation while an upload is in progress, and only then", async () => {
  const page = await open("leaving");
  const asked: string[] = [];
  page.on("dialog", async (dialog) => {
    asked.push(dialog.type());
    await dialog.accept();
  });
  await stuckAfterTwo(page, fileOf("under-way.bin", 3 * part));
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await inState(page, "under-way.bin", "Interrupted");
  await giveUp(page);
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await page.close();
});

/** Nothing of BiDi tidies memory. */
onChromium("files arrive although memory was tidied while they were chosen", async () => {
  const page = await open("tidied");
  const session = await page.context().newCDPSession(page);
  await session.send("Page.enable");
  await session.send("Page.setInterceptFileChooserDialog", { enabled: true });
  const opened = new Promise<number>((resolve) =>
    session.once("Page.fileChooserOpened", ({ backendNodeId }) => resolve(backendNodeId ?? 0)),
  );
  await page.getByRole("button", { name: "Upload files", exact: true }).click();
  const backendNodeId = await opened;
  await session.send("HeapProfiler.collectGarbage");
  await session.send("DOM.setFileInputFiles", { backendNodeId, files: [fileOf("tidied.bin", 100)] });
  await inState(page, "tidied.bin", "Uploaded");
  await page.close();
});

test("another page uploads one image with one call", async () => {
  const page = await open("one");
  const script = (await page.locator("script[src*=storage]").getAttribute("src")) ?? "";
  await page.locator("[data-uploads]").evaluate("(element) => element.remove()");
  const done = (await page.evaluate(`
    (async () => {
      const seen = [];
      const file = new File([new Uint8Array(2e6)], "cover.png", { type: "image/png" });
      const options = { folder: "covers", onProgress: (percent) => seen.push(percent) };
      const first = await window.postroomUpload(file, options);
      const second = await window.postroomUpload(file, options);
      const refused = await window.postroomUpload(new File(["x"], "..", {}), options).catch((error) => error.message);
      return { first, second, refused };
    })()`)) as { first: { id: string; filename: string }; second: { filename: string }; refused: string };
  expect(script).toStartWith("/assets/storage.");
  expect([done.first.filename, done.second.filename]).toEqual(["cover.png", "cover (2).png"]);
  expect((await uploads.find(stage.db, done.first.id))?.mimeType).toBe("image/png");
  expect(done.refused).toBe("The name must be a valid file name.");
  await page.close();
});

test("without JavaScript the page says why there is nothing to press", async () => {
  const page = await stage.open("/dashboard/storage", { javaScriptEnabled: false });
  await page.getByText("Uploading needs JavaScript").waitFor();
  expect(await page.locator("[data-choose]:visible").count()).toBe(0);
  await page.close();
});

// ── Appearance and screen readers ────────────────────────────────────────────────────────────────

test("axe finds nothing in any state, light or dark, wide or narrow, or in forced colours", async () => {
  const page = await open("look");
  const forced = { ...looks[0], forcedColors: "active" } as const;
  const look = async (state: string) => expect([state, await flaws(page, [...looks, forced])]).toEqual([state, []]);
  await look("idle");
  await slow(page, 0.8 * part);
  const { id, usedBytes, capacityBytes } = await node();
  await choose(page, [fileOf("a rather long name of a file, as people give them.key", 100)]);
  await inState(page, "a rather long name", "Uploaded");
  await choose(page, [fileOf("running.mov", 6 * part), fileOf("paused.mov", 6 * part), fileOf("later.mov", part)]);
  await page.getByRole("button", { name: "Pause paused.mov" }).click();
  const reserved = async () => (await listUploads(stage.db)).filter(({ folder }) => folder === "look").length;
  await eventually(reserved, 4); // before the node is full
  await lookInto(stage.db, "update storage_nodes set capacity_bytes = used_bytes + reserved_bytes where id = ?", [id]);
  await choose(page, [fileOf("failing.mov", 3_000)]);
  expect(usedBytes).toBeLessThan(capacityBytes);
  await inState(page, "failing.mov", "Failed");
  await look("under way");
  await lookInto(stage.db, "update storage_nodes set capacity_bytes = ? where id = ?", [capacityBytes, id]);

  await choose(page, [join(folder, "a rather long name of a file, as people give them.key")]);
  await page.getByRole("dialog", { name: "already exist" }).waitFor();
  await look("clash");
  await page.keyboard.press("Escape");
  await page.reload();
  await inState(page, "paused.mov", "Interrupted");
  await look("interrupted");
  await giveUp(page);
  await page.close();
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import * as posts from "../../../db/posts/posts";
import * as subscribers from "../../../db/newsletter/subscribers";
import { confirmedBroadcast } from "../../support/broadcasts/archive";
import { addRecipients, setState } from "../../support/broadcasts/sent";
import { store } from "../../support/storage/stored-files";
import { eventually, focusKept, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* What moves does so once, for at most 200 ms, and not where motion is reduced. */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  for (const slug of ["one", "two", "three", "four"])
    await posts.save(stage.db, { slug, title: `Post ${slug}`, content: "Text", published: false }, stage.now());
  await stage.storage.nodes.open();
  await store(stage, { filename: "tides.txt" });
});
afterAll(() => stage.close());

/** Installed before the page runs: what scripts animate. */
const record = `
  window.moves = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, options) {
    const animation = animate.call(this, frames, options);
    const { x, y, width, height } = this.getBoundingClientRect();
    const isHit = document.elementsFromPoint(x + width / 2, y + height / 2).includes(this);
    window.moves.push({ tag: this.localName, id: this.id, name: this.className, ms: options.duration, isHit });
    return animation;
  };`;

type Move = { tag: string; id: string; name: string; ms: number; isHit: boolean };

async function recorded(path: string, options: BrowserContextOptions = {}) {
  const page = await (await stage.manager(options)).newPage();
  await page.addInitScript(record);
  await page.goto(path);
  const moves = () => page.evaluate("window.moves") as Promise<Move[]>;
  return { page, moves };
}

test("a dialog that is long in coming has its shape on the page meanwhile, after 300 ms", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const held = Promise.withResolvers<void>();
  await page.route("**/dashboard/newsletter/new", async (route) => {
    await held.promise;
    await route.continue();
  });
  const shape = () =>
    page.evaluate(`(({ content, opacity, animationDelay }) => [content, opacity, animationDelay])(
      getComputedStyle(document.body, "::after"))`);
  expect(await shape()).toEqual(["none", "1", "0s"]);
  await page.locator("#add").click();
  await eventually(shape, ['""', "1", "0.3s"]);
  held.resolve();
  await page.locator("#dialog dialog[open]").waitFor();
  await eventually(shape, ["none", "1", "0s"]);
  await page.close();
});

test("a row that is deleted fades within 200 ms, and the focus stays near; without motion it is gone at once", async () => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const { page, moves } = await recorded("/dashboard/posts", { reducedMotion });
    const count = await page.locator("#list tbody tr").count();
    await page.locator("tbody [id^=more-]").first().press("Enter");
    await page.locator("[id^=trash-]:visible").press("Enter");
    await eventually(() => page.locator("#list tbody tr").count(), count - 1);
    const faded = (await moves()).filter(({ tag }) => tag === "tr");
    expect(faded.map(({ ms }) => ms <= 200)).toEqual(reducedMotion === "reduce" ? [] : [true]);
    expect(await focusKept(page)).not.toBe("BODY");
    await page.close();
  }
  expect(stage.complaints).toEqual([]);
});

test("a number in the navigation rolls when it changes, and stays when it does not", async () => {
  const { page, moves } = await recorded("/dashboard/contact");
  await page.locator("#list").waitFor();
  const message = { email: "ida@example.com", message: "A question with more than ten letters." };
  await stage.post("/api/contact", { ...message, name: "Ida" });
  await eventually(() => page.locator("#count-c").innerText(), "1");
  await stage.post("/api/contact", { ...message, name: "Ida Berg" });
  await eventually(() => page.locator("#count-c").innerText(), "2");
  await eventually(async () => (await moves()).some(({ id, ms }) => id === "count-c" && ms <= 200), true);
  expect((await moves()).filter(({ id }) => id === "count-e")).toEqual([]);
  await page.close();
});

test("a message that is opened comes from the side of its row, once; without motion it is just there", async () => {
  const message = { email: "olive@example.com", message: "A question with more than ten letters.", name: "Olive" };
  await stage.post("/api/contact", message);
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const { page, moves } = await recorded("/dashboard/contact", { reducedMotion });
    const letters = async () => (await moves()).filter(({ tag }) => tag === "article").map(({ ms }) => ms <= 200);
    await page.locator(".item a").first().click();
    await page.locator("#letter-from").waitFor();
    await focusKept(page);
    expect(await letters()).toEqual(reducedMotion === "reduce" ? [] : [true]);
    await page.close();
  }
});

/** Opens a row and returns to the list. Says how long a title flew there and back. */
async function flights(list: string, options?: BrowserContextOptions) {
  const { page, moves } = await recorded(list, options);
  const flown = async () => {
    await settled(page);
    const copies = (await moves()).filter(({ name }) => name === "moving-title");
    expect(await page.locator(".moving-title").count()).toBe(0);
    return copies.map(({ ms, isHit }) => ms <= 200 && !isHit);
  };
  await page.locator("#list a[id^=open-]").first().click();
  await page.locator(".crumb, .crumbs").waitFor();
  const there = await flown();
  await page.goBack();
  await page.locator("#list").waitFor();
  const back = await flown();
  await page.reload();
  const anew = await flown();
  await page.close();
  return { there, back, anew };
}

const lists = ["posts", "newsletter", "storage"];

test.each(lists)(
  "in %s a title moves from its row to its page within 200 ms, and back, under no hand",
  async (name) => {
    await subscribers.subscribe(stage.db, { email: "ada@example.com" }, { via: "form" }, stage.now());
    expect(await flights(`/dashboard/${name}`)).toEqual({ there: [true], back: [true], anew: [] });
    expect(stage.complaints).toEqual([]);
  },
);

test.each(lists)("in %s no title moves without motion", async (name) => {
  await subscribers.subscribe(stage.db, { email: "ada@example.com" }, { via: "form" }, stage.now());
  const none = { there: [], back: [], anew: [] };
  expect(await flights(`/dashboard/${name}`, { reducedMotion: "reduce" })).toEqual(none);
});

test("the postmark is stamped within 200 ms on what has just been published, and stays; without motion it is there at once", async () => {
  for (const [slug, reducedMotion] of [
    ["five", "no-preference"],
    ["six", "reduce"],
  ] as const) {
    await posts.save(stage.db, { slug, title: `Post ${slug}`, content: "Text", published: false }, stage.now());
    const page = await stage.open("/dashboard/posts", { reducedMotion });
    await page.getByRole("link", { name: `Post ${slug}` }).click();
    await page
      .getByRole("button", { name: "Publish…" })
      .or(page.getByRole("link", { name: "Publish…" }))
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }).click();
    await page.locator(".toast:has(.postmark)", { hasText: `“Post ${slug}” published.` }).waitFor();
    const [seconds = "", name] = (await page.evaluate(`
      (({ animationDuration, animationName }) => [animationDuration, animationName])(
        getComputedStyle(document.querySelector(".toast .postmark")))`)) as string[];
    expect([reducedMotion, name, parseFloat(seconds) <= 0.2]).toEqual([reducedMotion, "stamp", true]);
    if (reducedMotion === "reduce") expect(parseFloat(seconds)).toBeLessThan(0.001);
    await page.close();
  }
});

/** How this moves: the name of its animation, and the seconds of that or of its transitions. */
const motionOf = (page: Page, selector: string) =>
  page.evaluate(`(({ animationName, animationDuration, transitionDuration }) => ({
    name: animationName,
    seconds: Math.max(...[animationDuration, transitionDuration].join().split(",").map(parseFloat)),
  }))(getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`) as Promise<{
    name: string;
    seconds: number;
  }>;

test("a broadcast is stamped when it has gone out whole, and not whenever its page is opened", async () => {
  await subscribers.subscribe(stage.db, { email: "bea@example.com" }, { via: "form" }, stage.now());
  const { id } = await confirmedBroadcast(stage.db, stage.now(), { state: "sending" });
  await addRecipients(stage.db, id, [{}]);
  const mark = ".report-page > .postmark";
  const pages = await Promise.all(
    (["no-preference", "reduce"] as const).map((reducedMotion) =>
      stage.open(`/dashboard/broadcasts/${id}`, { reducedMotion }),
    ),
  );
  for (const page of pages) expect(await page.locator(mark).count()).toBe(0);
  const later = new Date(stage.now().getTime() + 1_000); // open pages are told of what is newer
  await setState(stage.db, id, { state: "sent", finishedAt: later, updatedAt: later });
  for (const [at, page] of pages.entries()) {
    await page.locator(mark).waitFor();
    const { name, seconds } = await motionOf(page, mark);
    expect([name, seconds <= 0.2, seconds < 0.001]).toEqual(["stamp", true, at === 1]);
    await page.reload();
    expect((await motionOf(page, mark)).name).toBe("none");
    await page.close();
  }
});

test("a notice settles from below within 200 ms; without motion it is there at once", async () => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const page = await (await stage.manager({ reducedMotion })).newPage();
    await page.addInitScript(`
      window.ran = [];
      addEventListener("transitionrun", ({ target, propertyName }) =>
        target.matches(".toast") && window.ran.push(propertyName));`);
    await page.goto("/dashboard/posts");
    await page.locator("tbody [id^=more-]").first().press("Enter");
    await page.locator("[id^=trash-]:visible").press("Enter");
    await page.locator(".toast").waitFor();
    const { seconds } = await motionOf(page, ".toast");
    expect([seconds <= 0.2, seconds < 0.001]).toEqual([true, reducedMotion === "reduce"]);
    if (reducedMotion !== "reduce")
      await eventually(() => page.evaluate("window.ran.sort()"), ["opacity", "translate"]);
    await page.close();
  }
});

test("a list that never had a row shows a drawing, in two colours of our own, which does not move", async () => {
  for (const path of ["projects", "sequences", "webhooks", "suppressions"]) {
    const page = await stage.open(`/dashboard/${path}`);
    const drawing = page.locator("#list .empty svg.drawing");
    await drawing.waitFor();
    const colours = await page.evaluate(`[...document.querySelectorAll("#list .empty svg.drawing path")].map((path) =>
      getComputedStyle(path).fill === "none" ? getComputedStyle(path).stroke : getComputedStyle(path).fill)`);
    expect([path, new Set(colours as string[]).size]).toEqual([path, 2]);
    expect((await motionOf(page, "#list .empty svg.drawing")).name).toBe("none");
    await page.close();
  }
});

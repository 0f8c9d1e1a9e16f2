import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions } from "playwright-core";
import * as posts from "../../../db/posts/posts";
import { eventually, focusKept, openStage, type Stage } from "./stage";

/* What moves does so once, for at most 200 ms, and not where motion is reduced. */

setDefaultTimeout(300_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  for (const slug of ["one", "two", "three", "four"])
    await posts.save(stage.db, { slug, title: `Post ${slug}`, content: "Text", published: false }, stage.now());
});
afterAll(() => stage.close());

/** Installed before the page runs: what scripts animate. */
const record = `
  window.moves = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, options) {
    window.moves.push({ tag: this.localName, id: this.id, ms: options.duration });
    return animate.call(this, frames, options);
  };`;

type Move = { tag: string; id: string; ms: number };

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

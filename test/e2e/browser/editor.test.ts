import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { BrowserContextOptions, Page } from "playwright-core";
import { asset } from "../../../views/assets";
import { draftOf } from "../../../db/posts/revisions";
import { describe } from "../../../db/storage/pictures";
import { store } from "../../support/storage/stored-files";
import { testTimeoutMs, within } from "../../support/within";
import { scripts } from "../../security/markup";
import { contentOf, cookieOf, eventually, focusOn, openMenu, openStage, type Stage, until, showDetails } from "./stage";

setDefaultTimeout(testTimeoutMs);

/** An image: one grey pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOor6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await stage.storage.nodes.open();
});
afterAll(() => stage.close());
afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));

/** The owner's draft of the post whose editor has this address, as the service has it. */
const keptOf = (address: string) => {
  const { pathname } = new URL(address, stage.config.BASE_URL);
  return draftOf(stage.db, pathname.split("/").pop() ?? "", { actor: "owner@example.com" });
};

let posts = 0;
/** A draft for this test, and the URL of its editor. */
async function draft(fields: Record<string, string> = {}): Promise<string> {
  const all = { title: `Draft ${++posts}`, content: "", ...fields };
  const { headers } = await stage.owner.submit("/dashboard/posts/new", all);
  return headers.get("location") ?? "";
}

/** The editor, in a browser whose clock runs, and which a test can advance. */
async function write(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await stage.manager(options)).newPage();
  await page.clock.install();
  await page.goto(path);
  await page.locator("#preview .prose").waitFor({ state: "attached" });
  return page;
}

const text = (page: Page) => page.locator("#content");
const value = contentOf;
const select = (page: Page, from: number, to = from) =>
  page.locator("textarea[name=content]").evaluate(
    (area: unknown, [start, end]) => {
      const field = area as { focus(): void; setSelectionRange(start?: number, end?: number): void };
      field.focus();
      field.setSelectionRange(start, end);
    },
    [from, to],
  );
const selection = (page: Page) =>
  page.evaluate(
    "(area => [area.selectionStart, area.selectionEnd])(document.querySelector('textarea[name=content]'))",
  ) as Promise<[number, number]>;

test("the script is at most 6.5 KB as it is sent", async () => {
  const answer = await stage.get(asset("editor.js"), { "accept-encoding": "identity" });
  const plain = await answer.bytes();
  console.log(`editor.js: ${plain.length} bytes, ${gzipSync(plain).length} gzip`);
  expect(gzipSync(plain).length).toBeLessThanOrEqual(6.5 * 1024);
  expect(plain.length).toBeGreaterThan(1_000);
});

test("the editor of texts is at most 130 KB as it is sent", async () => {
  const sent = await stage.get(asset("mdx.js"), { "accept-encoding": "identity" });
  const size = gzipSync(await sent.bytes()).length;
  console.log(`mdx.js: ${size} bytes gzip`);
  expect(size).toBeLessThanOrEqual(130 * 1024);
  expect(size).toBeGreaterThan(50_000);
});

test("buttons and keys put marks around the selection, and undo removes them", async () => {
  const page = await write(await draft());
  await text(page).pressSequentially("late to the sea");
  await select(page, 8, 15);
  await page.keyboard.press("Control+b");
  expect(await value(page)).toBe("late to **the sea**");
  await page.locator("#tool-italic").click();
  expect(await value(page)).toBe("late to **_the sea_**");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  expect(await value(page)).toBe("late to the sea");
  await select(page, 0, 4);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("https://a.example");
  expect(await value(page)).toBe("[late](https://a.example) to the sea");
  await select(page, 0);
  await page.locator("#tool-heading").click();
  await page.locator("#tool-list").click();
  expect(await value(page)).toBe("- ## [late](https://a.example) to the sea");
  await page.keyboard.press("Control+]");
  expect(await value(page)).toStartWith("  - ##");
  await page.keyboard.press("Control+[");
  expect(await value(page)).toStartWith("- ##");
  await page.close();
});

test("Tab never stays in the text; the toolbar is one stop, with arrows in it", async () => {
  const page = await write(await draft());
  await page.locator("#tool-bold").focus();
  await page.keyboard.press("ArrowLeft");
  expect(await focusOn(page, "tool-full")).toBe("tool-full");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await focusOn(page, "tool-italic")).toBe("tool-italic");
  await page.keyboard.press("Shift+Tab");
  expect(await focusOn(page, "content")).toBe("content");
  for (const next of ["tool-italic", "beside-preview", "beside-details", "width-phone", "width-desktop", "preview"]) {
    await page.keyboard.press("Tab");
    expect(await focusOn(page, next)).toBe(next);
  }
  expect(await value(page)).toBe("");
  await page.close();
});

test("the text is below its title and as wide", async () => {
  const page = await write(await draft(), { viewport: { width: 1280, height: 860 } });
  const [title, content] = [await page.locator("#title").boundingBox(), await page.locator(".cm-editor").boundingBox()];
  expect(content).toMatchObject({ x: title?.x, width: title?.width });
  expect(content?.y).toBeGreaterThan(title?.y ?? Number.POSITIVE_INFINITY);
  await page.close();
});

test("the preview follows the typing, and stays where it was scrolled to", async () => {
  const page = await write(await draft({ content: "Paragraph.\n\n".repeat(200) }));
  await page.locator("#preview").evaluate((pane) => void ((pane as unknown as { scrollTop: number }).scrollTop = 900));
  await select(page, 0);
  await page.keyboard.type("Begin ");
  await page.locator("#preview p", { hasText: "Begin Paragraph." }).waitFor();
  expect(await page.evaluate("document.querySelector('#preview').scrollTop")).toBe(900);
  expect(await focusOn(page, "content")).toBe("content");
  await page.close();
});

test("a problem says where it is, and its place leads there", async () => {
  const lines = Array.from({ length: 120 }, (_, i) => `Line ${i} is here.`).join("\n\n");
  const page = await write(await draft({ content: `${lines}\n\n<Callout>\n` }));
  const place = page.getByRole("button", { name: "Line 241, column 1" });
  await place.waitFor();
  await page.locator("#problems-said", { hasText: /^1 problem$/ }).waitFor({ state: "attached" });
  await place.click();
  expect(await focusOn(page, "content")).toBe("content");
  const at = lines.length + 2;
  expect(await selection(page)).toEqual([at, at]);
  const seen = `document.elementFromPoint(400, innerHeight / 2).closest(".cm-content")?.contains(getSelection().anchorNode)`;
  await until(async () => Boolean(await page.evaluate(seen)));
  await until(async () => Number(await page.evaluate("scrollY")) > 2_000);
  await page.keyboard.type("Now <b>bold</b>");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await page.locator("#problems-said", { hasText: "No problems" }).waitFor({ state: "attached" });
  await page.close();
});

test("a new post becomes a draft automatically, and is offered when its author comes back", async () => {
  const page = await write("/dashboard/posts/new");
  await page.locator("#title").fill("Tide & time");
  expect(await page.locator("#slug").inputValue()).toBe("tide-and-time");
  await text(page).pressSequentially("High water");
  await page.clock.runFor(10_000);
  await page.locator("#saved", { hasText: /^Draft saved \d\d:\d\d$/ }).waitFor();
  await page.waitForURL(/\/dashboard\/posts\/[\w-]{20,}$/);
  await eventually(async () => (await keptOf(page.url()))?.content, "High water"); // the first draft may be of less
  expect(await page.locator("#post-line").textContent()).toBe("Draft"); // no longer “Not saved yet”
  await page.getByRole("link", { name: "Preview link" }).waitFor();
  await openMenu(page, "post");
  await page.getByRole("link", { name: "Revisions" }).waitFor();
  expect(await page.title()).toBe("Tide & time · Postroom");
  await page.close();

  const again = await write(new URL(page.url()).pathname);
  expect(await again.locator("#copy-offer").isVisible()).toBe(false); // the server's suggestion is the same
  await again.locator("#continue-draft").click();
  await again.waitForURL("**?draft=continue");
  await eventually(() => value(again), "High water");
  await again.close();
});

test("saving after the first draft updates the post that the draft created", async () => {
  const page = await write("/dashboard/posts/new");
  await page.locator("#title").fill("Saved by hand");
  await page.clock.runFor(10_000);
  await page.locator("#saved", { hasText: "Draft saved" }).waitFor();
  await page.waitForURL(/\/dashboard\/posts\/[\w-]{20,}$/);
  await text(page).pressSequentially("More");
  const answer = page.waitForResponse(
    (response) => response.request().method() === "POST" && !/preview|draft/.test(response.url()),
  );
  await page.keyboard.press("Control+s");
  expect(new URL((await answer).url()).pathname).toBe(new URL(page.url()).pathname);
  await page
    .locator("#saved", { hasText: /^Saved/ })
    .or(page.locator(".toast", { hasText: "Saved" }))
    .first()
    .waitFor();
  await page.reload();
  expect(await value(page)).toBe("More");
  await page.close();
});

test("the first save of a new post keeps the caret, what is typed meanwhile and what can be undone", async () => {
  const page = await write("/dashboard/posts/new");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/dashboard/posts/new", async (route) => {
    await released;
    await route.continue();
  });
  await page.locator("#title").fill("First saved");
  await text(page).pressSequentially("High water");
  const isSent = page.waitForRequest("**/dashboard/posts/new");
  await page.keyboard.press("Control+s");
  await isSent;
  await page.keyboard.type(" and low");
  release();
  await page.locator("#saved", { hasText: /^Saved/ }).waitFor();
  await page.waitForURL(/\/dashboard\/posts\/[\w-]{20,}$/);
  await page.keyboard.type(" water");
  expect([await value(page), await focusOn(page, "content")]).toEqual(["High water and low water", "content"]);
  expect([await page.title(), await page.locator("h1").textContent()]).toEqual([
    "First saved · Postroom",
    "First saved",
  ]);
  await page.getByRole("link", { name: "Preview link" }).waitFor();
  const saved = page.waitForResponse((answer) => answer.url() === page.url() && answer.request().method() === "POST");
  await page.keyboard.press("Control+s");
  expect((await saved).status()).toBe(200);
  const typed = "High water and low water"; // is as many steps as there were pauses in it
  for (const _ of typed) await page.locator("#content").press("Control+z");
  await eventually(() => value(page), "");
  await page.reload();
  await eventually(() => value(page), "High water and low water");
  await page.close();
});

test("Publish in a new post opens the sheet above it, and closing it goes on with the text", async () => {
  const page = await write("/dashboard/posts/new");
  await page.locator("#title").fill("Published soon");
  await text(page).pressSequentially("High water");
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByRole("dialog", { name: "Publish" }).waitFor();
  await page.waitForURL(/\/dashboard\/posts\/[\w-]{20,}$/);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await value(page)).toBe("High water");
  await page.close();
});

/** Goes away at once, by the navigation, and fails if the browser asks whether to leave. */
async function leave(page: Page): Promise<void> {
  page.on("dialog", (dialog) => {
    stage.complaints.push(`${dialog.type()}: ${dialog.message()}`);
    void dialog.accept();
  });
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Projects", exact: true }).click();
  await page.waitForURL("**/dashboard/projects");
}

test("who leaves right after the last word is not asked, and finds it as a draft", async () => {
  const path = await draft({ content: "Before" });
  const page = await write(path);
  await text(page).press("Control+End");
  await text(page).pressSequentially(" leaving");
  await leave(page);
  await eventually(async () => (await keptOf(path))?.content, "Before leaving");
  await page.goto(path);
  await page.locator("#continue-draft").waitFor();
  await page.close();
});

test("who leaves a new or a long text finds it in this browser", async () => {
  const page = await write("/dashboard/posts/new");
  await page.locator("#title").fill("Not yet a draft");
  await leave(page);
  await page.goto("/dashboard/posts/new");
  await page.getByRole("button", { name: "Restore it" }).click();
  expect(await page.locator("#title").inputValue()).toBe("Not yet a draft");
  await page.close();

  const other = await write(await draft({ content: "word ".repeat(20_000) }));
  await text(other).press("Control+End");
  await text(other).pressSequentially("last");
  await leave(other);
  await other.goBack();
  await other.locator("#copy-offer, #draft-offer").locator("visible=true").waitFor();
  await other.close();
});

test("saving while a draft is on its way makes one post, and leaves no unsaved changes behind", async () => {
  const page = await write("/dashboard/posts/new");
  await page.locator("#title").fill("Saved at the same time");
  const held: (() => void)[] = [];
  await page.route("**/new/draft", async (route) => {
    await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await page.clock.runFor(10_000);
  await until(() => held.length > 0);
  await page.keyboard.press("Control+s");
  held[0]?.();
  await page.locator("#saved", { hasText: /^Saved/ }).waitFor();
  expect(await page.locator("#draft-offer").count()).toBe(0);
  const list = await stage.owner.get("/dashboard/posts?q=saved+at+the+same+time");
  expect([...(await list.text()).matchAll(/id="open-/g)]).toHaveLength(1);
  await page.close();
});

/** Adds these words to a draft and saves it, over a connection that holds the save back until it is let through. */
async function saveSlowly(words: string) {
  const page = await write(await draft({ content: "Before" }));
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route("**/posts/*", async (route) => {
    arrived.resolve();
    await held.promise;
    await route.continue().catch(() => undefined); // the page may have given up
  });
  await text(page).press("Control+End");
  await text(page).pressSequentially(words);
  await page.keyboard.press("Control+s");
  await within(arrived.promise, "the request that saves");
  return { page, letThrough: held.resolve };
}

test("a save that takes minutes is waited for; what is typed meanwhile stays unsaved, and is kept", async () => {
  const { page, letThrough } = await saveSlowly(" saved");
  await text(page).pressSequentially(" late");
  await page.clock.runFor(180_000);
  letThrough();
  await page.locator("#saved", { hasText: /^Saved \d/ }).waitFor();
  await page.clock.runFor(10_000);
  await page.locator("#saved", { hasText: "Draft saved" }).waitFor();
  const kept = await keptOf(page.url());
  expect([kept?.content, kept?.version]).toEqual(["Before saved late", 2]);
  await page.close();
});

test("a save without a response for ten minutes says so, and its text becomes a draft", async () => {
  const { page, letThrough } = await saveSlowly(" and after");
  await page.clock.runFor(600_000);
  await page.locator(".toast", { hasText: "No response for ten minutes." }).waitFor();
  await page.clock.runFor(10_000);
  await page.locator("#saved", { hasText: "Draft saved" }).waitFor();
  expect((await keptOf(page.url()))?.content).toBe("Before and after");
  letThrough();
  await page.close();
  expect(stage.complaints.splice(0).filter((line) => !line.startsWith("htmx: htmx:error: timeout"))).toEqual([]);
});

test("what this browser stored is offered to no one else, and is deleted at sign-out", async () => {
  const path = await draft({ content: "Before" });
  const context = await stage.manager();
  const page = await context.newPage();
  const copies = () => page.evaluate("Object.values(localStorage).join()") as Promise<string>;
  page.on("dialog", (dialog) => void dialog.accept());
  await page.clock.install();
  await page.goto(path);
  await text(page).fill("For my eyes only");
  await page.clock.runFor(300);
  expect(await copies()).toContain("For my eyes only");

  const bob = await stage.signIn({ email: "bob@example.com" });
  await context.addCookies([cookieOf(bob.headers.cookie, stage.config.BASE_URL)]);
  await page.goto(path);
  await page.locator("#preview .prose p").waitFor();
  expect([await value(page), await page.locator("#copy-offer").isVisible()]).toEqual(["Before", false]);

  await page.getByRole("button", { name: "Menu" }).click();
  await page.locator("#account").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/sign-in/);
  expect(await copies()).toBe("");
  await context.close();
});

test("what was typed in this browser and not saved is offered, restored or discarded", async () => {
  const path = await draft({ content: "Before" });
  const page = await write(path);
  await page.route("**/draft", (route) => route.abort());
  await text(page).press("Control+End");
  await text(page).pressSequentially(" and after");
  await page.clock.runFor(300);
  await page.reload();
  await page.locator("#copy-offer").waitFor();
  await page.getByRole("button", { name: "Restore it" }).click();
  expect(await value(page)).toBe("Before and after");
  expect(await page.locator("#copy-offer").isVisible()).toBe(false);
  await page.clock.runFor(300);
  await page.reload();
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.reload();
  await page.locator("#preview .prose p").waitFor();
  expect(await page.locator("#copy-offer").isVisible()).toBe(false);
  expect(await value(page)).toBe("Before");
  await page.close();
});

test("when a session ends neither the text nor the preview is lost", async () => {
  const page = await write(await draft({ content: "Before" }));
  await page.context().clearCookies({ name: "__Host-postroom" });
  await text(page).press("Control+End");
  await text(page).pressSequentially(" the tide");
  await page.locator("#saved", { hasText: "You are signed out" }).waitFor();
  expect(await value(page)).toBe("Before the tide");
  expect(await page.locator("#preview").textContent()).toContain("Before");
  const answer = page.waitForResponse("**/draft");
  await page.clock.runFor(10_000);
  expect((await answer).status()).toBe(401);
  expect(page.url()).toContain("/dashboard/posts/");
  await page.close();
});

test("without a connection the words stay, and are sent when there is one again", async () => {
  const page = await write(await draft());
  await page.route("**/draft", (route) => route.abort());
  await text(page).pressSequentially("Waves");
  await page.clock.runFor(10_000);
  await page.locator("#saved", { hasText: "No connection" }).waitFor();
  await page.unroute("**/draft");
  await page.clock.runFor(10_000);
  await page.locator("#saved", { hasText: "Draft saved" }).waitFor();
  await page.close();
});

test("an address follows the title until it is touched, and says when another post has it", async () => {
  await draft({ title: "The harbour" });
  const page = await write("/dashboard/posts/new");
  await page.locator("#title").fill("The harbour");
  await page.locator("#beside-details[data-problem]").waitFor();
  await showDetails(page);
  await page.locator("#slug-problem", { hasText: "The harbour" }).waitFor();
  await page.locator("#slug[aria-invalid=true]").waitFor();
  await page.locator("#slug").fill("Another Harbour");
  await page.locator("#slug-shown", { hasText: "another-harbour" }).waitFor();
  await page.locator("#slug[aria-invalid=false]").waitFor();
  await page.locator("#title").fill("Lighthouse");
  expect(await page.locator("#slug").inputValue()).toBe("Another Harbour");
  await page.locator("#excerpt").fill("Wie schön 😀");
  await page.locator("#excerpt-count", { hasText: /^11 of 500 characters$/ }).waitFor();
  await text(page).fill("Two words");
  await page.locator("#word-count", { hasText: "2 words · 1 min read" }).waitFor();
  await page.close();
});

test("an image of Storage becomes the cover, or a paragraph of the text", async () => {
  await store(stage, { filename: "Harbour (1).png", mimeType: "image/png", body: pixel });
  const page = await write(await draft({ content: "Look:" }));
  await showDetails(page);
  await page.locator("#choose-cover").click();
  await page.locator("#picture-q").pressSequentially("harbour");
  await page.getByRole("button", { name: "Use Harbour (1).png" }).click();
  expect(await focusOn(page, "cover-image")).toBe("cover-image");
  expect(await page.locator("#cover-image").inputValue()).toMatch(/^\/media\/[\w-]+\/Harbour%20\(1\)\.png$/);

  await page.locator("#beside-preview").click();
  await select(page, 5);
  await page.locator("#tool-image").click();
  await page.locator("#preview img[src^='/media/']").waitFor(); // with the cover: the preview is refreshed behind the dialog
  await page.getByRole("button", { name: "Use Harbour (1).png" }).click();
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("The harbour");
  expect(await value(page)).toMatch(/^Look:\n\n!\[The harbour\]\(\/media\/[\w-]+\/Harbour%20%281%29\.png\)$/);
  const image = page.locator("#preview img[alt='The harbour']");
  await image.waitFor();
  await image.scrollIntoViewIfNeeded();
  const isDrawn = () => image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth > 0);
  await eventually(isDrawn, true); // as wide as the column, once its dimensions are known
  await page.close();
});

test("the sheet leads to where the cover’s alternative text is written, and what was typed is kept", async () => {
  const [id = ""] = await store(stage, { filename: "mute.png", mimeType: "image/png", body: pixel });
  const path = await draft({ coverImage: `/media/${id}/mute.png` });
  const page = await write(path);
  await text(page).fill("Typed before");
  await page.locator("#publish").click();
  await page.getByRole("dialog").getByRole("link", { name: "Write it on the picture’s page" }).click();
  await page.getByLabel("Alternative text").fill("A grey pier");
  await page.getByRole("button", { name: "Save description" }).click();
  await page.locator(".toast", { hasText: "Description saved." }).waitFor();
  await page.locator("a.use", { hasText: "Draft" }).click();
  await page.waitForURL(`**${path}`);
  expect(await value(page)).toBe("Typed before");
  await page.locator("#publish").click();
  await page.getByRole("dialog").getByText("Goes live immediately").waitFor();
  expect(await page.getByText("has no alternative text").count()).toBe(0);
  await page.close();
});

test("a chosen picture is a paragraph with the alternative text kept with it; arrow keys move between pictures", async () => {
  const [, id = ""] = await store(
    stage,
    { filename: "quay-2.png", mimeType: "image/png", body: pixel },
    { filename: "quay-1.png", mimeType: "image/png", body: pixel },
  );
  const alt = "A quay | in [rain]";
  await describe(stage.db, id, { alt, focus: { x: 50, y: 50 } }, { actor: "cli" }, stage.now());
  const page = await write(await draft({ content: "Look:" }));
  await select(page, 5);
  await page.locator("#tool-image").click();
  await page.locator("#picture-q").pressSequentially("quay");
  const choices = page.locator("#dialog [data-picture]");
  await choices.nth(2).waitFor({ state: "detached" });
  await choices.nth(0).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("!");
  expect(await value(page)).toBe(`Look:\n\n![A quay | in \\[rain\\]!](/media/${id}/quay-1.png)`);
  await page.close();
});

test("a search that is answered late leaves the focus on the picture it was moved to, or brings it back to the field", async () => {
  const image = { mimeType: "image/png", body: pixel };
  const [, id = ""] = await store(stage, { filename: "mole-1.png", ...image }, { filename: "mole-2.png", ...image });
  const page = await write(await draft({ content: "Look:" }));
  await showDetails(page);
  await page.locator("#choose-cover").click();
  const search = async (words: string) => {
    const asked = page.waitForRequest((request) => request.url().endsWith(`q=${words}`));
    await page.locator("#picture-q").fill(words);
    return asked;
  };
  const second = page.getByRole("button", { name: "Use mole-2.png" });
  await search("mol");
  await page.locator("#dialog [data-picture]").nth(2).waitFor({ state: "detached" });
  for (const [words, focused] of [
    ["mole", `use-${id}`],
    ["mole-1", "picture-q"],
  ] as const) {
    const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
    await page.route(`**/dashboard/posts/pictures?*q=${words}`, (route) => arrives.then(() => route.continue()));
    await search(words);
    await second.focus();
    await second.evaluate((each) => each.setAttribute("data-old", ""));
    arrive();
    await page.locator("[data-old]").waitFor({ state: "detached" });
    expect(await focusOn(page, focused)).toBe(focused);
  }
  await page.close();
});

test("a new image is uploaded straight to a node, and becomes the cover", async () => {
  stage.clock.time = Date.now(); // the node's clock is the real one
  const page = await write(await draft());
  const passed: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && passed.push(new URL(request.url()).host));
  await showDetails(page);
  await page.locator("#choose-cover").click();
  await page.locator("[data-upload]").setInputFiles({ name: "new.png", mimeType: "image/png", buffer: pixel });
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  expect(await focusOn(page, "cover-image")).toBe("cover-image");
  const address = await page.locator("#cover-image").inputValue();
  expect(address).toMatch(/^\/media\/[\w-]+\/new\.png$/);
  expect(passed).toHaveLength(1);
  expect(passed).not.toContain(new URL(stage.config.BASE_URL).host);
  expect((await stage.owner.get(address)).status).toBe(302);
  await page.close();
});

test("an upload that is refused says so, in the dialog", async () => {
  const page = await write(await draft());
  await page.route("**/dashboard/storage/uploads", (route) =>
    route.fulfill({ status: 507, json: { message: "No storage node has 70 bytes free." } }),
  );
  await showDetails(page);
  await page.locator("#choose-cover").click();
  await page.locator("[data-upload]").setInputFiles({ name: "big.png", mimeType: "image/png", buffer: pixel });
  await page.getByText("No storage node has 70 bytes free.").waitFor();
  await page.close();
});

test("the details stand beside the text, are found there again, and show their mistakes", async () => {
  const address = await draft({ content: "Hello" });
  const page = await write(address);
  expect(await page.locator("#excerpt").isVisible()).toBe(false);
  await showDetails(page);
  expect(await page.locator("#preview").isVisible()).toBe(false);
  const [area, excerpt] = [await text(page).boundingBox(), await page.locator("#excerpt").boundingBox()];
  expect(excerpt?.x ?? 0).toBeGreaterThan((area?.x ?? 0) + (area?.width ?? 0));
  expect((excerpt?.y ?? 0) + (excerpt?.height ?? 0)).toBeLessThan(720);
  await page.reload();
  await page.locator("#excerpt").waitFor();

  await page.locator("#cover-image").fill("nothing of the kind");
  await page.locator("#beside-preview").click();
  await page.locator("#save").click();
  expect(await focusOn(page, "cover-image")).toBe("cover-image");
  expect(await page.locator("#beside-details").getAttribute("aria-pressed")).toBe("true");
  await page.close();
});

test("on a narrow screen it is the text or the preview", async () => {
  const page = await write(await draft({ content: "Hello <b>" }), { viewport: { width: 390, height: 844 } });
  expect(await page.locator("#preview").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  expect(await page.locator("#preview").isVisible()).toBe(true);
  expect(await text(page).isVisible()).toBe(false);
  await showDetails(page);
  expect(await page.locator("#excerpt").isVisible()).toBe(true);
  expect(await page.locator("#preview").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await page.getByRole("button", { name: "Line 1, column 7" }).click();
  expect(await focusOn(page, "content")).toBe("content");
  expect(await page.locator("#preview").isVisible()).toBe(false);
  await page.close();
});

test("without JavaScript there is a button for a preview on a page of its own", async () => {
  const context = await stage.manager({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(await draft({ content: "Hello **you** <b>" }));
  expect(await page.locator("#toolbar").isVisible()).toBe(false);
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Preview" }).click();
  const preview = await opened;
  await preview.locator(".prose strong", { hasText: "you" }).waitFor();
  await preview.getByText("Line 1, column 15").waitFor();
  await context.close();
});

test("a script in the preview would be noticed", async () => {
  const page = await write(await draft());
  await page.locator("#preview").evaluate((pane) => {
    (pane as unknown as { innerHTML: string }).innerHTML = "<img src=/assets/none onerror=window.hit=1>";
  });
  await until(() => stage.complaints.length > 0);
  const words = process.env.FIREFOX_PATH ? "script-src" : "Content Security Policy";
  expect(stage.complaints.splice(0).join()).toContain(words);
  await page.close();
});

/** As the whole text, and everywhere with rules of its own. */
const texts = [
  (evil: string) => evil,
  (evil: string) =>
    [
      `\`\`\`${evil}\n${evil}\n\`\`\``,
      `|${evil}|\n|-|\n|${evil}|`,
      `[a](${evil} "${evil}") ![${evil}](${evil})`,
      `<Callout title="${evil}">${evil}</Callout>`,
      `{"${evil}"}`,
    ].join("\n\n"),
];

test(`${scripts.length} scripts in every place of a text: none runs in the preview`, async () => {
  expect(scripts.length).toBeGreaterThanOrEqual(150);
  const page = await write(await draft());
  const seen: string[] = [];
  for (const script of scripts)
    for (const textWith of texts) {
      const marker = `seen${seen.length}`;
      await text(page).fill(`${marker}\n\n${textWith(script)}`);
      await page.clock.runFor(400);
      await page.locator("#preview p", { hasText: new RegExp(`^${marker}$`) }).waitFor();
      await page.evaluate("document.querySelectorAll('#preview a').forEach((link) => link.focus())");
      expect([script, await page.evaluate("window.hit")]).toEqual([script, undefined]);
      seen.push(marker);
    }
  expect(seen).toHaveLength(2 * scripts.length);
  await page.close();
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as postEdits from "../../../db/posts/edit";
import * as posts from "../../../db/posts/posts";
import type { PostFields } from "../../../db/posts/rows";
import { draw } from "../../support/storage/pictures";
import { store } from "../../support/storage/stored-files";
import { flaws, violations } from "./axe";
import { addPostFixtures } from "./posts-fixtures";
import { contentOf, eventually, focusKept, focusOn, openMenu, openStage, type Stage, showDetails } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const path = "/dashboard/posts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await addPostFixtures(stage);
});
afterAll(() => stage.close());

const isPublic = async (slug: string) => (await stage.get(`/api/posts/${slug}`)).status === 200;
const idOf = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

/** Creates a draft for one test and opens it in the editor. */
async function editor(title: string, options = {}) {
  const fields = { slug: "", excerpt: "Short", coverImage: "/c.jpg", author: "", content: "One\ntwo", tags: ["Tides"] };
  const created = await postEdits.create(
    stage.db,
    { ...fields, title, published: false, publishedAt: null },
    { actor: "owner@example.com" },
    stage.now(),
  );
  if (created.outcome !== "saved") throw new Error("The slug was taken");
  const { id } = created.post;
  const page = await stage.open(`${path}/${id}`, options);
  const stored = async () => {
    const post = await postEdits.byId(stage.db, id);
    if (!post) throw new Error("The post is gone");
    return post;
  };
  /** Another manager saves the post. */
  const meanwhile = async (change: Partial<PostFields>) => {
    const post = await stored();
    const words = { ...post, tags: post.tags.map(({ name }) => name), ...change };
    const typed = { fields: {}, content: "" };
    await postEdits.edit(
      stage.db,
      { id, version: post.version, typed, fields: words },
      { actor: "bo@example.com" },
      stage.now(),
    );
  };
  return { page, id, stored, meanwhile };
}

test("a post is written, published, renamed, deleted and restored, and its readers follow", async () => {
  const page = await stage.open(path);
  await page.locator("#new-post").click();
  await page.locator("#title").fill("How the harbour sounds");
  await page.locator("#content").fill("# Foghorns\n\n![](horn.jpg)");
  await showDetails(page);
  await page.locator("#tags").fill("Harbour, Tides");
  await page.locator("#save").click();
  await page.locator("#saved", { hasText: /^Saved/ }).waitFor();
  const id = idOf(page);
  await eventually(() => page.locator("#slug").inputValue(), "how-the-harbour-sounds");
  expect(await isPublic("how-the-harbour-sounds")).toBe(false);

  await page.locator("#excerpt").fill("Listen.");
  await page.locator("#publish").click();
  const dialog = page.locator("#dialog dialog[open]");
  await dialog.getByText("No cover picture.").waitFor();
  expect(await dialog.getByText("No excerpt").count()).toBe(0);
  await page.locator("dialog:focus").waitFor(); // Enter does nothing yet
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await isPublic("how-the-harbour-sounds")).toBe(false);
  await page.locator("#publish").click();
  await page.locator("#publish-now").click();
  await page.getByText("“How the harbour sounds” published.").waitFor();
  expect(await isPublic("how-the-harbour-sounds")).toBe(true);

  await page.locator("#slug").fill("harbour sounds");
  await page.locator("#content").press("Control+End");
  await page.keyboard.type(" More.");
  await page.locator("#save").click();
  await page.locator("#saved", { hasText: /^Saved \d/ }).waitFor();
  await eventually(() => page.locator("#slug").inputValue(), "harbour-sounds");
  expect(await isPublic("harbour-sounds")).toBe(true);

  const versionOf = async () => (await postEdits.byId(stage.db, id))?.version;
  const saved = await versionOf(); // how often depends on how long the hands take
  await openMenu(page, "post");
  await page.locator("#trash").click();
  await page.getByText("“How the harbour sounds” moved to the trash.").waitFor();
  expect(await isPublic("harbour-sounds")).toBe(false);
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await page.getByText("“How the harbour sounds” restored.").waitFor();
  expect(await isPublic("harbour-sounds")).toBe(true);
  expect(await versionOf()).toBe(saved);
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("saving keeps the caret and what is being typed; a mistake leads to its field", async () => {
  const { page, stored } = await editor("Kept caret");
  await page.locator("#content").fill("Three lines\nof a text\nthat goes on");
  await page
    .locator("textarea[name=content]")
    .evaluate((area) => (area as never as { setSelectionRange(a: number, b: number): void }).setSelectionRange(5, 5));
  await page.locator("#content").focus();
  await page.locator("#save").press("Enter");
  await page.locator("#saved", { hasText: /^Saved \d/ }).waitFor();
  await eventually(() => page.evaluate("document.querySelector('textarea[name=content]').selectionStart"), 5);
  await showDetails(page);
  await page.locator("#cover-image").fill("nothing of the kind");
  await page.locator("#save").click();
  await page.locator("#cover-image-error").waitFor();
  expect(await focusOn(page, "cover-image")).toBe("cover-image");
  expect(await contentOf(page)).toBe("Three lines\nof a text\nthat goes on");
  expect(await violations(page)).toEqual([]);
  await page.locator("#cover-image").fill("/covers/a.jpg");
  await page.locator("#save").click();
  await page.locator("#saved", { hasText: /^Saved \d/ }).waitFor();
  expect(await stored()).toMatchObject({ coverImage: "/covers/a.jpg", version: 3 });
  await page.close();
});

test("the tag that is being typed is suggested, those before it are not", async () => {
  const { page } = await editor("Suggestions");
  await showDetails(page);
  await page.locator("#tags").fill("Tides, New, sm");
  const suggested = () =>
    page
      .locator("#tag-names option")
      .evaluateAll((all) => all.map((option) => (option as never as { value: string }).value));
  await eventually(suggested, expect.arrayContaining(["Tides, New, Small software"]));
  expect(await suggested()).not.toContain("Tides, New, Tides");
  await page.close();
});

test("an edit that began before another manager saved shows both and loses neither", async () => {
  const { page, meanwhile, stored } = await editor("Two windows");
  await page.locator("#content").fill("One\ntwo of mine");
  await meanwhile({ title: "Theirs", content: "One of theirs\ntwo" });
  await page.locator("#save").click();
  await page.locator("#conflict").waitFor();
  expect(await focusOn(page, "conflict")).toBe("conflict");
  await page.getByText("bo@example.com saved this post").waitFor();
  expect(await page.locator("ins").allTextContents()).toContain("Added: two of mine");
  expect(await page.locator("#theirs-text").inputValue()).toBe("One of theirs\ntwo");
  expect(await page.locator("#yours-text").inputValue()).toBe("One\ntwo of mine");
  expect(await page.getByRole("region", { name: "Their version" }).locator("dd").allTextContents()).toContain("Theirs");
  expect(await flaws(page)).toEqual([]);
  expect((await stored()).title).toBe("Theirs");

  await page.locator("#keep-theirs").click();
  await page.locator("#draft-offer").waitFor();
  await eventually(() => page.locator("#title").inputValue(), "Theirs");
  expect(await flaws(page)).toEqual([]);
  await page.locator("#continue-draft").click();
  await eventually(() => contentOf(page), "One\ntwo of mine");
  await page.locator("#save").click();
  await page.locator("#save-mine").click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ content: "One\ntwo of mine", version: 3 });
  await page.close();
});

test("a post can be restored from a revision", async () => {
  const { page, meanwhile, stored } = await editor("Back and forth");
  await meanwhile({ content: "One\ntwo sea\nthree" });
  await openMenu(page, "post");
  await page.locator("#revisions").click();
  await page.getByText("Current version, saved").waitFor();
  await eventually(() => page.locator("mark").allTextContents(), [" sea"]);
  await page.locator(".history-list a").last().click();
  await page.locator("#restore-revision").click();
  await page.getByText("Revision restored.").waitFor();
  expect(await stored()).toMatchObject({ content: "One\ntwo", version: 3 });
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("several are chosen by keyboard, tagged and deleted after a question; the focus stays in the list", async () => {
  const page = await stage.open(`${path}?q=bakery`);
  for (const _ of [1, 2]) {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
  }
  await eventually(() => page.locator("input[name=ids]:checked").count(), 2);
  await page.locator(".bulk [value=tag]").press("Enter");
  await page.locator("#move-tag").fill("Bread");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Tag 2 posts" }).press("Enter");
  await page.getByText("2 posts tagged.").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.goto(`${path}?tag=bread`);
  await page.locator("#pick-all").check();
  await page.locator(".bulk [value=trash]").click();
  await page.locator("#dialog dialog[open]", { hasText: "They will be moved to the trash" }).waitFor();
  await page.getByRole("button", { name: "Delete 2 posts" }).click();
  await page.getByText("2 posts moved to the trash.").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("tags are renamed, merged and deleted by keyboard alone", async () => {
  const page = await stage.open(`${path}/tags`);
  const choose = async (verb: string, tag: string) => {
    await page.locator(`#more-${tag}`).press("Enter");
    await page.locator(`#${verb}-${tag}`).press("Enter");
  };
  await choose("rename", "number-0");
  await page.locator("#tag-name").fill("Zero");
  await page.locator("#tag-slug").fill("");
  await page.keyboard.press("Enter");
  await page.getByText("Tag renamed to “Zero”.").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await choose("merge", "number-1");
  await page.locator("#tag-into").fill("nothing");
  await page.keyboard.press("Enter");
  await page.locator("#tag-into-error").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator("#tag-into").fill("Zero");
  await page.keyboard.press("Enter");
  await page.getByText("“Number 1” merged into “Zero”.").waitFor();
  await choose("delete", "zero");
  await page.locator("[data-close]:focus", { hasText: "Cancel" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Tag “Zero” deleted.").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("all of it works without JavaScript", async () => {
  const { page, meanwhile, stored } = await editor("No script", { javaScriptEnabled: false });
  await page.locator("#title").fill("No script at all");
  await page.locator("#publish").click();
  await page.locator("#publish-now").click();
  await page.getByText("“No script at all” published.").waitFor();
  await page.locator("#unpublish").click();
  await page.getByRole("button", { name: "Unpublish post" }).click();
  await page.getByText("Moved back to drafts.").waitFor();
  await meanwhile({ title: "Theirs" });
  await page.locator("#title").fill("Mine");
  await page.locator("#save").click();
  await page.locator("#save-mine").click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await stored()).title).toBe("Mine");
  await openMenu(page, "post");
  await page.locator("#trash").click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("“Mine” restored.").waitFor();
  await page.goto(`${path}/tags/tides/rename`);
  await page.locator("#tag-name").fill("The tides");
  await page.getByRole("button", { name: "Rename tag" }).click();
  await page.getByText("Tag renamed to “The tides”.").waitFor();
  await page.close();
});

test("a picture keeps its proportions in the preview, however narrow that is", async () => {
  const body = await draw({ width: 900, height: 600 });
  const [lamp = ""] = await store(stage, { filename: "lamp.jpg", mimeType: "image/jpeg", body });
  await stage.storage.readPictures();
  const content = `On at four.\n\n![A lamp](/media/${lamp}/lamp.jpg)`;
  const post = { slug: "lamp", title: "Lamp", content, published: true };
  await posts.save(stage.db, post, stage.now());
  const page = await stage.open(`${path}?q=Lamp`);
  await page.getByRole("link", { name: "Lamp", exact: true }).click();
  await page.locator("#preview .prose img").waitFor();
  const box = (await page.locator("#preview .prose img").boundingBox()) ?? { width: 0, height: 1 };
  expect(box.width).toBeLessThan(900);
  expect((box.width / box.height).toFixed(1)).toBe("1.5");
  await page.close();
});

test("a post shows its cover in the list if that is a picture of ours, in a size of its own", async () => {
  const { db, now, storage } = stage;
  const body = await draw({ width: 800, height: 600 });
  const [harbour = "", sketch = ""] = await store(
    stage,
    { filename: "harbour.jpg", mimeType: "image/jpeg", body },
    { filename: "sketch.svg", mimeType: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
  );
  await storage.readPictures();
  for (const [slug, coverImage] of [
    ["cover-here", `/media/${harbour}/harbour.jpg`],
    ["cover-drawn", `/media/${sketch}/sketch.svg`],
    ["cover-elsewhere", "https://pictures.example/harbour.jpg"],
    ["cover-gone", `/media/${Bun.randomUUIDv7()}/harbour.jpg`],
  ] as const)
    await posts.save(db, { slug, title: slug, coverImage, content: "Wet.", published: true }, now());
  const page = await stage.open(`${path}?q=cover-`);
  const widths = (all: unknown[]) => (all as { naturalWidth: number }[]).map((each) => each.naturalWidth);
  const coversOf = (slug: string) => page.getByRole("row").filter({ hasText: slug }).locator("img");
  await eventually(() => coversOf("cover-here").evaluateAll(widths), [64]);
  for (const slug of ["cover-drawn", "cover-elsewhere", "cover-gone"]) expect(await coversOf(slug).count()).toBe(0);
  expect(stage.complaints).toEqual([]);
  await page.close();
});

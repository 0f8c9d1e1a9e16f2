import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as audit from "../../../db/audit";
import { draftOf } from "../../../db/posts/revisions";
import { parseXml } from "../../support/xml";
import { contentOf, eventually, focusOn, goTo, openStage, type Stage, showDetails } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const desk = "/dashboard/posts";
const hour = 3_600_000;
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOor6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await stage.storage.nodes.open();
  // A time zone other than the browser's, so that a time shown in the wrong one is noticed
  await stage.owner.submit("/dashboard/account/times", { timeZone: "Pacific/Auckland", dates: "en-GB" });
});
afterAll(() => stage.close());

/** The time in the manager's zone: 2026-11-22T07:41. */
const inAuckland = (time: number) =>
  new Date(time).toLocaleString("sv-SE", { timeZone: "Pacific/Auckland" }).slice(0, 16).replace(" ", "T");

/** Everything that the public can see of a post. */
async function publicly(slug: string) {
  const listed = (await (await stage.get("/api/v1/posts", await stage.key())).json()) as {
    data: { posts: { slug: string }[] };
  };
  const links = async (path: string) => {
    const text = await (await stage.get(path)).text();
    parseXml(text); // throws unless it is well-formed
    return text.includes(`/posts/${slug}<`) || text.includes(`/posts/${slug}"`);
  };
  return {
    post: (await stage.get(`/api/posts/${slug}`)).status,
    list: listed.data.posts.some((post) => post.slug === slug),
    ...{ rss: await links("/rss.xml"), atom: await links("/atom.xml"), sitemap: await links("/sitemap.xml") },
  };
}
const nowhere = { post: 404, list: false, rss: false, atom: false, sitemap: false };
const everywhere = { post: 200, list: true, rss: true, atom: true, sitemap: true };

const text = (page: Page) => page.locator("#content");
const said = (page: Page, words: RegExp) => page.locator("#saved", { hasText: words }).waitFor();
/** Lets the manager leave pages with unsaved changes. */
const leaveAnyway = (page: Page) => page.on("dialog", (dialog) => void dialog.accept());

/**
 * The whole life of a post (issue 5, "Done when"), in one browser, against one service: nothing in it is prepared by
 * hand, and no job runs.
 */
test("a post's whole life: written, scheduled, read, edited by two, renamed, deleted, restored", async () => {
  const context = await stage.manager();
  const page = await context.newPage();
  await page.clock.install();
  leaveAnyway(page);

  // By keyboard alone, starting from the overview
  await page.goto("/dashboard");
  await goTo(page, "p");
  await page.waitForURL(`**${desk}`);
  await page.locator("#new-post").press("Enter");
  expect(await focusOn(page, "title")).toBe("title");
  await page.keyboard.type("How the harbour sounds");
  await page.keyboard.press("Tab");
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("Fog");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+b");
  await page.locator("#preview strong", { hasText: "Fog" }).waitFor();

  // A mistake in the MDX is reported with its position, and a link leads there
  await page.keyboard.press("End");
  await page.keyboard.type("\n\n<Callout>\nListen");
  const place = page.getByRole("button", { name: "Line 3, column 1" });
  await place.press("Enter");
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n</Callout>\n");
  await page.locator("#problems-said", { hasText: "No problems" }).waitFor({ state: "attached" });
  await page.locator("#preview .mdx-name", { hasText: "Callout" }).waitFor();

  // Saved automatically, and still there after the window was closed
  await page.clock.runFor(10_000);
  await said(page, new RegExp(`^Draft saved ${inAuckland(stage.clock.time).slice(11)}$`));
  await page.waitForURL(/\/posts\/[\w-]{20,}$/);
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const written = "**Fog**\n\n<Callout>\nListen\n</Callout>\n";
  const kept = async () => (await draftOf(stage.db, id, { actor: stage.owner.manager.email }))?.content;
  await eventually(kept, written); // the first draft may be of less
  await page.reload();
  await page.locator("#continue-draft").press("Enter");
  await page.waitForURL("**?draft=continue");
  expect(await contentOf(page)).toBe(written);

  // A cover goes from the editor to the node, and is seen
  await showDetails(page);
  await page.locator("#choose-cover").press("Enter");
  stage.clock.time = Date.now(); // the node's clock is the real one
  await page.locator("[data-upload]").setInputFiles({ name: "horn.png", mimeType: "image/png", buffer: pixel });
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  const image = page.locator("#cover-image");
  await eventually(() => image.inputValue(), expect.stringMatching(/^\/media\/[\w-]+\/horn\.png$/));
  const cover = await image.inputValue();
  await page.clock.runFor(400);
  await page.locator(`#preview img[src="${cover}"]`).waitFor({ state: "attached" });
  expect((await stage.get(cover)).status).toBe(404); // visitors see only what a published post uses

  // Scheduled posts appear nowhere before they are due
  const due = Math.ceil(stage.clock.time / 60_000) * 60_000 + hour;
  await page.locator("#excerpt").fill("Listen.");
  await page.locator("#tags").fill("Harbour");
  await page.locator("#published-at").fill(inAuckland(due));
  await page.locator("#publish").click();
  await page.locator("#publish-now", { hasText: "Schedule" }).click();
  await page.getByText("“How the harbour sounds” scheduled.").waitFor();
  const slug = "how-the-harbour-sounds";
  expect(await publicly(slug)).toEqual(nowhere);

  // A link for someone who may read it earlier
  await page.locator("#preview-link").click();
  await page.getByRole("button", { name: "Create link" }).click();
  const { pathname, search } = new URL(await page.locator("#new-preview-link").inputValue());
  const early = (await (await stage.get(pathname + search)).json()) as { data: { title: string } };
  expect(early.data.title).toBe("How the harbour sounds");
  await page.keyboard.press("Escape");

  // It is published when it is due, without any job having to run
  stage.clock.time = due - 1;
  expect(await publicly(slug)).toEqual(nowhere);
  stage.clock.time = due;
  expect(await publicly(slug)).toEqual(everywhere);
  expect((await stage.get(cover)).status).toBe(302);

  // Two windows: the second learns of the conflict, shows both versions in full, and loses nothing
  const other = await context.newPage();
  await Promise.all([page.reload(), other.goto(`${desk}/${id}`)]);
  await text(page).fill("One of the first window");
  await text(other).fill("One of the second window");
  await page.locator("#save").click();
  await said(page, /^Saved \d/);
  const refused = other.waitForResponse((answer) => answer.request().method() === "POST" && answer.url().endsWith(id));
  await other.locator("#save").click();
  expect((await refused).status()).toBe(409);
  await other.locator("#conflict").waitFor();
  expect(await other.locator("#theirs-text").inputValue()).toBe("One of the first window");
  expect(await other.locator("#yours-text").inputValue()).toBe("One of the second window");
  await other.goto(`${desk}/${id}?draft=continue`);
  expect(await contentOf(other)).toBe("One of the second window");
  await other.locator("#save").click();
  await other.locator("#save-mine").click();
  await other.getByText("Saved.", { exact: true }).waitFor();
  await other.close();

  // A new slug: the old URL leads to it
  await page.goto(`${desk}/${id}`);
  expect(await contentOf(page)).toBe("One of the second window");
  await page.locator("#slug").fill("harbour sounds");
  await page.keyboard.press("Control+s");
  await said(page, /^Saved \d/);
  const old = await stage.get(`/api/posts/${slug}`);
  expect([old.status, old.headers.get("location")]).toEqual([301, "/api/posts/harbour-sounds"]);
  expect(await publicly("harbour-sounds")).toEqual(everywhere);

  // Into the trash and back, by the old URL too: both are in the menu, which is all the head has besides a link
  expect(await page.locator(".head .actions :is(a, button)").filter({ visible: true }).count()).toBe(2);
  await page.locator("#more-post").press("Enter");
  await page.keyboard.press("Escape");
  expect(await focusOn(page, "more-post")).toBe("more-post");
  await page.keyboard.press("Enter");
  await page.locator("#trash").press("Enter");
  await page.getByText("moved to the trash.").waitFor();
  expect(await publicly("harbour-sounds")).toEqual(nowhere);
  expect((await stage.get(`/api/posts/${slug}`)).status).toBe(404);
  await page.goto(`${desk}/${id}`);
  await page.locator("#restore").press("Enter");
  await page.getByText("Restored.").waitFor();
  expect(await publicly("harbour-sounds")).toEqual(everywhere);
  expect((await stage.get(`/api/posts/${slug}`)).status).toBe(301);

  // Everything that was done is in the audit log, and no page complained
  const { events } = await audit.list(stage.db, { group: "post" }, { page: 1, per: 50 });
  expect(events.map(({ action }) => action).reverse()).toEqual([
    ...["post.create", "post.change", "post.publish", "post.share", "post.change", "post.change", "post.change"],
    ...["post.trash", "post.restore"],
  ]);
  expect(stage.complaints).toEqual([]);
  await context.close();
});

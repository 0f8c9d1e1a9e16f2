import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as projects from "../../../db/projects/projects";
import { store } from "../../support/storage/stored-files";
import { flaws } from "./axe";
import { eventually, focusKept, focusOn, openStage, type Stage } from "./stage";
import { look as lookInto } from "../../support/look";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const path = "/dashboard/projects";

let stage: Stage;
let ids: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

beforeEach(async () => {
  const { db, now } = stage;
  await lookInto(db, "delete from projects");
  ids = {};
  for (const [at, title] of ["Ash", "Birch", "Cedar", "Date", "Elm"].entries()) {
    const project = {
      slug: title.toLowerCase(),
      title,
      featured: at < 2,
      displayOrder: at + 1,
      liveUrl: "https://a.example",
    };
    ids[title] = (await projects.save(db, { ...project, status: "PUBLISHED", tech: ["Ink"] }, now())).id;
  }
});

/** As the database has them. */
const saved = async () =>
  (await projects.listPublished(stage.db, { limit: 100 })).projects.map(({ title }) => title).join(" ");
/** As the page shows them. */
const shows = (page: Page, titles: string) =>
  eventually(async () => (await page.locator(".project .who").allTextContents()).join(" "), titles);
const handle = (page: Page, title: string) => page.locator(`#handle-${ids[title]}`);
const heard = (page: Page, text: string) => page.locator("#toasts", { hasText: text }).waitFor({ state: "attached" });

/** Drags the handle with the mouse to the middle of another row, in steps as a hand does. */
async function carry(page: Page, title: string, onto: string) {
  const from = await handle(page, title).boundingBox();
  const to = await handle(page, onto).boundingBox();
  if (!from || !to) throw new Error("There is no handle");
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  const end = to.y + to.height / 2 + (to.y > from.y ? 10 : -10);
  await page.mouse.move(from.x + 5, end, { steps: 12 });
}

test("a project is dragged to another place of its group, and Undo brings it back", async () => {
  const page = await stage.open(path);
  await carry(page, "Elm", "Cedar");
  await shows(page, "Ash Birch Elm Cedar Date");
  expect(await saved()).toBe("Ash Birch Cedar Date Elm");
  await page.mouse.up();
  await page
    .locator(".toast", { hasText: "“Elm” moved to position 1 of 3." })
    .getByRole("button", { name: "Undo" })
    .click();
  await heard(page, "“Elm” moved to position 3 of 3.");
  await shows(page, "Ash Birch Cedar Date Elm");
  expect(await saved()).toBe("Ash Birch Cedar Date Elm");
  await page.close();
});

test("nothing is dragged out of its group, and Escape puts back what is in the air", async () => {
  const page = await stage.open(path);
  await carry(page, "Date", "Ash");
  await shows(page, "Ash Birch Date Cedar Elm");
  await page.keyboard.press("Escape");
  await shows(page, "Ash Birch Cedar Date Elm");
  await page.mouse.up();
  expect(await saved()).toBe("Ash Birch Cedar Date Elm");
  await page.close();
});

test("a handle works by keyboard, announces every step, and keeps the focus", async () => {
  const page = await stage.open(path);
  await handle(page, "Cedar").focus();
  await page.keyboard.press(" ");
  await heard(page, "Cedar picked up");
  await page.keyboard.press("ArrowDown");
  await heard(page, "Moved to position 2 of 3");
  await page.keyboard.press("ArrowDown");
  await heard(page, "Moved to position 3 of 3");
  await page.keyboard.press("ArrowDown");
  await shows(page, "Ash Birch Date Elm Cedar");
  await page.keyboard.press(" ");
  await heard(page, "“Cedar” moved to position 3 of 3.");
  expect(await focusOn(page, `handle-${ids.Cedar}`)).toBe(`handle-${ids.Cedar}`);
  expect(await saved()).toBe("Ash Birch Date Elm Cedar");

  await page.keyboard.press(" ");
  await page.keyboard.press("Home");
  await page.keyboard.press("Escape");
  await heard(page, "Cancelled. Cedar is back in its original position.");
  await shows(page, "Ash Birch Date Elm Cedar");
  expect(await saved()).toBe("Ash Birch Date Elm Cedar");
  expect(await focusOn(page, `handle-${ids.Cedar}`)).toBe(`handle-${ids.Cedar}`);
  await page.close();
});

test("a project lifted again while the list is on its way stays in the air, where it was carried", async () => {
  const page = await stage.open(path);
  const answer = Promise.withResolvers<void>();
  await page.route("**/order", (route) => answer.promise.then(() => route.continue()));
  await handle(page, "Cedar").press(" ");
  for (const key of ["ArrowDown", " ", " ", "ArrowDown"]) await page.keyboard.press(key);
  await shows(page, "Ash Birch Date Elm Cedar");
  answer.resolve();
  await heard(page, "“Cedar” moved to position 2 of 3.");
  await page.keyboard.press(" ");
  await heard(page, "“Cedar” moved to position 3 of 3.");
  expect(await saved()).toBe("Ash Birch Date Elm Cedar");
  await page.close();
});

test("if someone else changed the order in the meantime, theirs stays, is shown and announced", async () => {
  const page = await stage.open(path);
  await projects.move(stage.db, { id: ids.Elm ?? "", step: 1 }, { actor: "bo@example.com" }, stage.now());
  await handle(page, "Cedar").press(" ");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(" ");
  await heard(page, "someone else has changed the list");
  await shows(page, "Ash Birch Elm Cedar Date");
  expect(await saved()).toBe("Ash Birch Elm Cedar Date");
  expect(await focusOn(page, `handle-${ids.Cedar}`)).toBe(`handle-${ids.Cedar}`);
  await page.close();
});

test("what could not be saved is not shown: the row moves back, and the page says so", async () => {
  const page = await stage.open(path);
  await page.route("**/order", (route) => route.abort());
  await handle(page, "Cedar").press(" ");
  await page.keyboard.press("End");
  await page.keyboard.press(" ");
  await heard(page, "Check your connection");
  await shows(page, "Ash Birch Cedar Date Elm");
  await page.unroute("**/order");
  await page.route("**/order", (route) => route.fulfill({ status: 503, body: "" }));
  await handle(page, "Cedar").press(" ");
  await page.keyboard.press("End");
  await page.keyboard.press(" ");
  await heard(page, "Nothing was saved");
  await shows(page, "Ash Birch Cedar Date Elm");
  await page.close();
});

test("buttons and a number move it too, and the focus stays on the button", async () => {
  const page = await stage.open(path);
  await page.getByRole("button", { name: "Move Elm up" }).press("Enter");
  await heard(page, "“Elm” moved to position 2 of 3.");
  expect(await focusOn(page, `up-${ids.Elm}`)).toBe(`up-${ids.Elm}`);
  await page.keyboard.press("Enter");
  await heard(page, "“Elm” moved to position 1 of 3.");
  await page.keyboard.press("Enter");
  await heard(page, "“Elm” is still at position 1 of 3.");
  await page.locator(`#more-${ids.Elm}`).press("Enter");
  await page.locator(`#menu-${ids.Elm}`).getByRole("link", { name: "Move to…" }).press("Enter");
  await page.locator("#dialog dialog[open]").waitFor();
  await page.getByLabel("Position among other projects").fill("3");
  await page.keyboard.press("Enter");
  await heard(page, "“Elm” moved to position 3 of 3.");
  expect(await focusKept(page)).not.toBe("BODY");
  expect(await saved()).toBe("Ash Birch Cedar Date Elm");
  await page.close();
});

test("a project is written, published, featured, unpublished after confirmation, deleted and restored", async () => {
  const page = await stage.open(path);
  await page.getByRole("link", { name: "New project" }).click();
  await page.getByLabel("Title").fill("Fir");
  await page.locator("#beside-details").click();
  await page.getByLabel("Live URL").fill("https://fir.example");
  await page.getByLabel("Slug").fill("ash");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.locator("#project-slug-error", { hasText: "This slug is already used by “Ash”" }).waitFor();
  expect(await focusOn(page, "project-slug")).toBe("project-slug");
  await page.getByLabel("Slug").fill("");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("button", { name: "Save changes" }).waitFor();
  expect(await page.locator("#saved").textContent()).toMatch(/^Saved /);
  const [fir] = await lookInto<{ id: string }>(stage.db, "select id from projects where slug = 'fir'");
  expect(new URL(page.url()).pathname).toBe(`${path}/${fir?.id}`);
  expect([await page.title(), await page.getByLabel("Slug").inputValue()]).toEqual([
    expect.stringMatching(/^Fir · /),
    "fir",
  ]);
  expect(await focusKept(page)).not.toBe("BODY");
  await page.getByRole("link", { name: "Projects" }).click();
  const row = page.locator(".project", { hasText: "Fir" });
  await row.getByRole("button", { name: "More actions for Fir" }).click();
  await row.getByRole("button", { name: "Publish", exact: true }).click();
  await heard(page, "“Fir” published.");
  await row.getByRole("button", { name: "Feature Fir" }).click();
  await heard(page, "“Fir” featured.");
  expect(await saved()).toBe("Ash Birch Fir Cedar Date Elm");
  await row.getByRole("button", { name: "More actions for Fir" }).click();
  await row.getByRole("button", { name: "Unpublish…" }).click();
  await page.getByRole("button", { name: "Unpublish project" }).click();
  await heard(page, "“Fir” moved to drafts.");
  expect(await saved()).toBe("Ash Birch Cedar Date Elm");
  await row.getByRole("button", { name: "More actions for Fir" }).click();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.locator(".toast", { hasText: "“Fir” moved to the trash." }).getByRole("button", { name: "Undo" }).click();
  await heard(page, "“Fir” restored.");
  expect(await focusKept(page)).not.toBe("BODY");
  await page.close();
});

test("a draft is published where it is written; the next save leaves it published", async () => {
  const page = await stage.open(`${path}/new`);
  await page.getByLabel("Title").fill("Fir");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("button", { name: "Save changes" }).waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).press("Enter");
  await heard(page, "“Fir” published.");
  await page.getByRole("button", { name: "Publish", exact: true }).waitFor({ state: "detached" });
  await page.locator(".post-line:focus", { hasText: "Published" }).waitFor();
  await page.getByLabel("Title").fill("Firs");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.locator("h1", { hasText: "Firs" }).waitFor({ state: "attached" });
  const rows = await lookInto(stage.db, "select title, status from projects where slug = 'fir'");
  expect(rows).toEqual([{ title: "Firs", status: "PUBLISHED" }]);
  await page.close();
});

test("of two windows the second sees both versions, with a choice", async () => {
  const [one, two] = [await stage.open(`${path}/${ids.Ash}`), await stage.open(`${path}/${ids.Ash}`)];
  await one.getByLabel("Title").fill("Ash, theirs");
  await one.locator("#beside-details").click();
  await one.getByLabel("Author").fill("Bo");
  await one.getByRole("button", { name: "Save" }).click();
  await one.locator("#saved", { hasText: "Saved" }).waitFor();
  await two.getByLabel("Title").fill("Ash, mine");
  await two.getByRole("button", { name: "Save" }).click();
  await two.getByText("Someone else saved changes while you were editing.").waitFor();
  await eventually(() => two.getByRole("radio", { checked: true }).count(), 2);
  await two.getByRole("button", { name: "Save" }).click();
  await eventually(() => two.getByLabel("Title").inputValue(), "Ash, mine");
  expect(await projects.bySlug(stage.db, "ash")).toMatchObject({ title: "Ash, mine", author: "Bo" });
  await two.reload();
  expect(await two.locator("#copy-offer").isVisible()).toBe(false);
  await Promise.all([one.close(), two.close()]);
});

test("before a project is unpublished its page asks; what was typed is kept in this browser until it is saved", async () => {
  const page = await stage.open(`${path}/${ids.Ash}`);
  const text = page.getByRole("textbox", { name: "Description" });
  const change = async () => {
    await page.locator("#beside-details").click();
    await page.getByLabel("Status").selectOption("DRAFT");
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog", { name: "Unpublish “Ash”?" }).waitFor();
  };
  await text.click();
  await page.keyboard.type("A **tree**");
  await change();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Projects" }).click();
  await page.locator(".project").first().waitFor();
  await page.goto(`${path}/${ids.Ash}`);
  await page.getByRole("button", { name: "Restore it" }).click();
  await eventually(() => text.innerText(), "A tree");
  await change();
  await page.getByRole("button", { name: "Save and unpublish" }).click();
  await page.locator(".post-line", { hasText: "Draft" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const [ash] = await lookInto(stage.db, "select status, description from projects where slug = 'ash'");
  expect(ash).toEqual({ status: "DRAFT", description: "A **tree**" });
  await page.reload();
  await text.waitFor();
  expect(await page.locator("#copy-offer").isVisible()).toBe(false);
  await page.close();
});

test("everything works without JavaScript", async () => {
  const page = await stage.open(path, { javaScriptEnabled: false });
  expect(await handle(page, "Cedar").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Move Date up" }).click();
  await page.getByText("“Date” moved to position 1 of 3.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("“Date” moved to position 2 of 3.").waitFor();
  await page.getByRole("button", { name: "More actions for Date" }).click();
  await page.locator(`#menu-${ids.Date}`).getByRole("link", { name: "Move to…" }).click();
  await page.getByLabel("Position among other projects").fill("3");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByText("“Date” moved to position 3 of 3.").waitFor();
  expect(await saved()).toBe("Ash Birch Cedar Elm Date");
  await page.getByRole("link", { name: "Date" }).first().click();
  await page.getByLabel("Status").selectOption("ARCHIVED");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save and archive" }).click();
  await page.getByText("“Date” saved.").waitFor();
  await page.goto("/dashboard/posts/import");
  const post = "---\ntitle: Carried in\n---\n\nText\n";
  await page.locator("#files").setInputFiles([{ name: "a.md", mimeType: "text/markdown", buffer: Buffer.from(post) }]);
  await page.getByRole("button", { name: "Review files" }).click();
  await page.getByRole("button", { name: "Import 1 post" }).click();
  await page.getByText("1 post added").waitFor();
  await page.close();
});

test("axe finds nothing in any state, light or dark, wide or narrow", async () => {
  const page = await stage.open(path);
  const look = async (state: string) => expect([state, await flaws(page)]).toEqual([state, []]);
  await look("the list");
  await handle(page, "Cedar").press(" ");
  await page.keyboard.press("ArrowDown");
  await look("while one is dragged");
  await page.keyboard.press(" ");
  await heard(page, "“Cedar” moved to");
  await look("after a swap, with a notice");
  await page.locator(`#more-${ids.Ash}`).click();
  await look("a menu");
  await page.locator(`#menu-${ids.Ash}`).getByRole("button", { name: "Unpublish…" }).click();
  await page.locator("#dialog dialog[open]").waitFor();
  await look("a question");
  await page.goto(`${path}/new`);
  await look("an empty page");
  await page.getByLabel("Title").fill("x");
  await page.locator("#beside-details").click();
  await page.locator("#project-imageUrl").fill("nope");
  await page.getByLabel("Tech stack").fill("x".repeat(51));
  await page.getByRole("button", { name: "Create project" }).click();
  await page.locator(".errors").waitFor();
  await look("a form with errors");
  const files = { "new.md": "---\ntitle: New\n---\n", "bad.md": "No front matter" };
  const buffers = Object.entries(files).map(([name, text]) => ({
    name,
    mimeType: "text/markdown",
    buffer: Buffer.from(text),
  }));
  await page.goto("/dashboard/posts/import");
  await page.locator("#files").setInputFiles(buffers);
  await page.getByRole("button", { name: "Review files" }).click();
  await page.getByRole("button", { name: "Import 1 post" }).waitFor();
  await look("a dry run");
  await lookInto(stage.db, "delete from projects");
  await page.goto(path);
  await page.getByText("No projects yet").waitFor();
  await look("nothing there");
  await page.close();
});

test("no page made the browser complain about the policy, or threw", () => {
  expect(stage.complaints.filter((words) => !words.includes("Failed to fetch")) /* cut off on purpose */).toEqual([]);
});

test("an image of Storage, or a new one, becomes the image of a project", async () => {
  stage.complaints.length = 0; // an earlier test cuts the connection
  stage.clock.time = Date.now(); // the node's clock is the real one
  await stage.storage.nodes.open();
  await store(stage, { filename: "ash.png", mimeType: "image/png" });
  const page = await stage.open(`${path}/${ids.Ash}`);
  const image = page.locator("#project-imageUrl");
  await page.locator("#beside-details").click();
  await page.locator("#choose-image").press("Enter");
  await page.getByRole("button", { name: "Use ash.png" }).press("Enter");
  expect(await focusOn(page, "project-imageUrl")).toBe("project-imageUrl");
  await eventually(() => image.inputValue(), expect.stringMatching(/^\/media\/[\w-]+\/ash\.png$/));
  const chosen = await image.inputValue();
  const cover = page.locator("#cover-above img");
  await eventually(() => cover.getAttribute("src"), `${chosen}?w=1600`);
  await page.locator("#beside-preview").click();
  const preview = page.locator("#preview");
  await preview.locator(`img[src="${chosen}"]`).waitFor({ state: "attached" });
  await preview.getByText("Ink").waitFor();
  await page.getByLabel("Title").fill("Ash, in winter");
  await preview.getByRole("heading", { name: "Ash, in winter" }).waitFor();
  await page.getByLabel("Title").fill("");
  await preview.getByRole("heading", { name: "Untitled" }).waitFor();
  await page.locator("#beside-details").click();
  await image.fill("https://elsewhere.example/ash.png"); // would learn who is writing
  await eventually(() => cover.isVisible(), false);
  await page.getByLabel("Title").fill("Ash");
  await image.fill(chosen);
  expect((await stage.get(chosen)).status).toBe(404);
  await page.keyboard.press("Control+s");
  await page.locator("#saved", { hasText: "Saved" }).waitFor();
  expect((await stage.get(chosen)).status).toBe(302);

  await page.goto(`${path}/${ids.Birch}`);
  await page.locator("#change-cover").click();
  const file = { name: "birch.png", mimeType: "image/png", buffer: Buffer.from("not looked at") };
  await page.locator("[data-upload]").setInputFiles(file);
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  await eventually(() => image.inputValue(), expect.stringMatching(/^\/media\/[\w-]+\/birch\.png$/));
  expect(stage.complaints).toEqual([]);
  await page.close();
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { create } from "../../../db/broadcasts/edit";
import { list } from "../../../db/broadcasts/list";
import { promote } from "../../../db/broadcasts/sending/promote";
import { addField } from "../../../db/newsletter/fields";
import * as subscribers from "../../../db/newsletter/subscribers";
import { addTopic } from "../../../db/newsletter/topics";
import { addRecipients, setState } from "../../support/broadcasts/sent";
import { violations } from "./axe";
import { clicksAfter, contentOf, eventually, focusOn, goTo, openStage, settled, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  for (let i = 0; i < 4; i++)
    await subscribers.subscribe(stage.db, { email: `p${i}@example.com`, source: "blog" }, { via: "form" }, stage.now());
});
afterAll(() => stage.close());

const newest = async () => {
  const [broadcast] = (await list(stage.db, { tab: "all" }, { page: 1, per: 1 })).rows;
  if (!broadcast) throw new Error("There is no broadcast");
  return broadcast;
};
/** The minute is over in which the broadcast could be stopped. */
async function start() {
  stage.clock.time += 61_000;
  await promote(stage.db, undefined, stage.now());
}

/** Opens the composer of a new broadcast, with its scripts. */
async function openNew(look: BrowserContextOptions = {}): Promise<Page> {
  const page = await stage.open("/dashboard/broadcasts", look);
  await page.locator("#new-broadcast").click();
  await page.waitForURL(/broadcasts\/[\da-f-]{36}$/, { waitUntil: "load" });
  return page;
}
const text = (page: Page, selector: string) => page.locator(selector).innerText();

test("a broadcast is written, reviewed, sent, paused, resumed and cancelled with the keyboard alone", async () => {
  const page = await stage.open("/dashboard");
  const { keyboard } = page;
  page.on("request", (request) => expect(request.url()).not.toContain("_token"));
  await goTo(page, "b");
  await page.waitForURL("**/dashboard/broadcasts");
  await page.locator("#new-broadcast").press("Enter");
  await page.waitForURL(/broadcasts\/[\da-f-]{36}$/, { waitUntil: "load" }); // including its scripts
  await page.locator("#subject").focus();
  await keyboard.type("Rain gauges");
  expect(await text(page, "#subject-count")).toBe("11 of 60");
  await keyboard.press("Enter");
  expect(await focusOn(page, "preheader")).toBe("preheader");
  await keyboard.press("Enter");
  await keyboard.type('Dear {name, "friend"}, it rained.');
  // Saved automatically when typing stops; then the checks and the preview follow
  await page.locator("#checks .score", { hasText: "3 left: 3 to confirm" }).waitFor();
  await page.locator("#beside-preview").press("Enter");
  await page.frameLocator("iframe.wide").getByText("Dear friend, it rained.", { exact: true }).waitFor();
  await eventually(async () => (await newest()).subject, "Rain gauges");
  await page.locator("#tally", { hasText: "3 to confirm" }).waitFor();
  await page.locator("#inbox-line", { hasText: "Rain gauges" }).waitFor();
  // What is unfolded stays unfolded when the checks follow the text
  await page.locator("#tally a").press("Enter");
  expect(await page.locator("#beside-checks").getAttribute("aria-pressed")).toBe("true");
  await page.locator("#passed summary").press("Enter");
  await page.locator("#content").focus();
  await page.locator("#tool-field").press("Enter");
  await page.locator("#inbox-line", { hasText: "Dear friend, it rained.friend" }).waitFor({ state: "attached" });
  await eventually(() => page.locator("#passed[open]").count(), 1);
  await page.locator("#beside-preview").press("Enter");
  await page.locator("#view-wide").focus();
  await keyboard.press("ArrowRight"); // Narrow
  await keyboard.press("ArrowRight"); // Dark
  await keyboard.press("ArrowRight"); // Plain text
  await page.frameLocator("iframe.text").locator("pre", { hasText: "Dear friend" }).waitFor();
  await keyboard.press("Control+Enter");
  await page.locator("#dialog dialog[open]", { hasText: "Simulate for 4 people?" }).waitFor();
  for (const box of await page.locator("dialog input[name=fine]").all()) {
    await box.focus();
    await keyboard.press("Space");
  }
  await page.locator("#send-now").press("Enter");
  await page.locator("#stop").waitFor();
  await start();
  await page.locator("#pause").waitFor(); // the page has been updated
  await addRecipients(stage.db, (await newest()).id, [{}, {}]);
  await page.locator("#run-said", { hasText: "50% sent" }).waitFor({ state: "attached" });
  await page.locator("#pause").press("Enter");
  await page.locator("#resume").press("Enter");
  await page.locator("#pause").waitFor(); // the next page, which has a link of the same name
  await page.locator("#cancel").press("Enter");
  await page.locator("#dialog dialog[open]").waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toContain("Keep sending");
  await page.getByRole("button", { name: "Cancel 2 emails" }).press("Enter");
  await page.locator("#newcomers").waitFor();
  expect((await newest()).state).toBe("cancelled");
  await settled(page);
  await page.close();
});

test("the checks are in sight while an email is written, and their remedy; what was beside the text last is so again", async () => {
  const page = await openNew({ viewport: { width: 1280, height: 720 } });
  await page.fill("#subject", "Ebb");
  await page.locator("#content").click();
  await page.keyboard.type("The sea went.");
  await page.locator("#checks .score", { hasText: "3 left: 3 to confirm" }).waitFor();
  const [passed, bar] = [await page.locator("#passed").boundingBox(), await page.locator(".save-bar").boundingBox()];
  expect((passed?.y ?? Infinity) + (passed?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  await page.locator("#saved", { hasText: "Draft saved" }).waitFor();
  const [saved, tally] = [await page.locator("#saved").boundingBox(), await page.locator("#tally").boundingBox()];
  expect(Math.abs((saved?.y ?? 0) - (tally?.y ?? 99))).toBeLessThan(12); // in one row
  await page.locator("#checks").getByRole("button", { name: "Send test", exact: true }).click();
  await page.locator("#toasts", { hasText: "Test queued for owner@example.com. It will be simulated." }).waitFor();
  await page.locator("#checks .score", { hasText: "2 left: 2 to confirm" }).waitFor();
  await page.locator("#beside-preview").click();
  await page.reload();
  await page.locator(".stage").waitFor();
  expect(await page.locator("#checks").isVisible()).toBe(false);
  await page.locator("#beside-details").click();
  await page.fill("#testTo", "nobody");
  await page.locator("#beside-checks").click();
  await page.fill("#subject", "Ebb and flow");
  await page.locator("#send-test-at-once").click();
  await page.locator("#testTo-error").waitFor(); // where the mistake is
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#view-write").click();
  const tools = await page.locator("#toolbar").boundingBox();
  expect(tools?.y).toBeGreaterThan(700); // within reach of a thumb, below the text
  await page.locator("#tally a").click();
  await page.locator("#checks .score").waitFor(); // instead of the text
  expect(await page.locator("#content").isVisible()).toBe(false);
  expect(await page.locator("#view-checks").getAttribute("aria-pressed")).toBe("true");
  await page.close();
});

test("a check leads to the picture it is about: beside the text, and from the question before sending", async () => {
  const page = await openNew();
  await page.fill("#subject", "Neap");
  await page.locator("#content").click();
  const text = "Low water.\n\n![](https://images.example/pier.png)\n\nHigh water.";
  await page.keyboard.insertText(text);
  const check = page.locator(".verdicts li", { hasText: "no alternative text" });
  await check.getByRole("button", { name: "Line 3" }).click();
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.insertText("Here: ");
  await eventually(() => contentOf(page), text.replace("![]", "Here: ![]"));
  await page.locator("#review").click();
  await page
    .getByRole("dialog")
    .locator(".verdicts li", { hasText: "no alternative text" })
    .getByText("Line 3")
    .click();
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.insertText("Now: ");
  await eventually(() => contentOf(page), text.replace("![]", "Here: Now: ![]"));
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("that there is no text leads to it, from the question before sending, too", async () => {
  const page = await openNew();
  await page.fill("#subject", "Ebb");
  await page.locator("#checks .verdicts").getByRole("button", { name: "Text", exact: true }).click();
  expect(await focusOn(page, "content")).toBe("content");
  await page.locator("#review").click();
  await page.getByRole("dialog").locator(".verdicts").getByRole("link", { name: "Text", exact: true }).click();
  await page.locator("#dialog dialog").waitFor({ state: "detached" });
  await page.keyboard.insertText("Low water.");
  await eventually(() => contentOf(page), "Low water.");
  await page.close();
});

test("a check leads to its place although the caret was there before something else was selected", async () => {
  const page = await openNew();
  await page.locator("#content").click();
  const text = "Low water.\n\n![](https://images.example/pier.png)";
  await page.keyboard.insertText(text);
  const line = page.locator(".verdicts li", { hasText: "no alternative text" }).getByRole("button", { name: "Line 3" });
  await line.click();
  expect(await focusOn(page, "content")).toBe("content");
  // As on a slow machine: the editor learns of what was selected elsewhere when it has long had the focus
  await page.evaluate(`{
    const check = [...document.querySelectorAll(".verdicts li")].find((li) => li.textContent.includes("no alternative"));
    const line = check.querySelector("[data-caret]");
    getSelection().selectAllChildren(line);
    line.click();
    for (const end = Date.now() + 1000; Date.now() < end; );
  }`);
  await page.keyboard.insertText("Here: ");
  await eventually(() => contentOf(page), text.replace("![]", "Here: ![]"));
  await page.close();
});

test("a chosen audience is said where the focus is", async () => {
  const page = await openNew();
  await page.fill("#subject", "Neap");
  await page.locator("#change-audience").click();
  await page.locator("#dialog").getByRole("button", { name: "Condition", exact: true }).click();
  await page.locator("#dialog").getByLabel("What").selectOption("Source");
  await page.locator("#dialog label", { hasText: "blog" }).click();
  await page.locator("#a-use").click();
  await page.locator("#toasts", { hasText: "For 4 people." }).waitFor();
  expect(await focusOn(page, "recipients")).toBe("recipients");
  expect(await text(page, "#recipients:focus")).toMatch(/^4 people\s.*from “blog”/);
  await page.close();
});

test("on a phone a new condition is above the buttons, and is counted as it stands", async () => {
  const page = await openNew({ viewport: { width: 390, height: 330 } });
  await page.locator("#change-audience").click();
  await page.locator("#dialog").getByRole("button", { name: "Condition", exact: true }).click();
  expect(await focusOn(page, "w-0-field")).toBe("w-0-field");
  expect(await isOnTop(page)).toBe(true);
  await page.locator("#dialog").getByLabel("What").selectOption("Joined");
  await page.locator("#w-0-of").waitFor();
  await settled(page);
  expect(await page.locator("#w-0-of").inputValue()).toBe("30");
  expect(await text(page, "#counted")).toBe("4 people get this email.");
  expect(await focusOn(page, "w-0-field")).toBe("w-0-field");
  expect(await isOnTop(page)).toBe(true);
  await page.close();
});

/** Whether nothing covers the lower edge of what has the focus. */
const isOnTop = (page: Page) =>
  page.evaluate(`(() => {
    const { x, bottom, width } = document.activeElement.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, bottom - 3) === document.activeElement;
  })()`);

test("the same works without a script, and the progress has a link", async () => {
  const page = await stage.open("/dashboard/broadcasts", { javaScriptEnabled: false });
  await page.locator("#new-broadcast").click();
  await page.fill("#subject", "Tide tables");
  await page.fill("#content", "The sea came.");
  await page.locator("#change-audience").click(); // saves first
  await page.getByRole("button", { name: "Condition", exact: true }).click();
  await page.getByLabel("What").selectOption("Source");
  await page.getByRole("button", { name: "Count" }).click(); // draws the fields that follow
  await page.locator("label", { hasText: "blog" }).click();
  await page.getByRole("button", { name: "Use this audience" }).click();
  expect(await text(page, "#recipients")).toContain("from “blog”");
  await page.frameLocator("iframe.wide").getByText("The sea came.", { exact: true }).waitFor();
  await page.locator("label[for=view-text], label:has(#view-text)").click();
  await page.frameLocator("iframe.text").locator("pre", { hasText: "The sea came." }).waitFor();
  await page.locator("#send-test").click();
  await page.locator("#toasts", { hasText: "Test queued for owner@example.com. It will be simulated." }).waitFor();
  await page.locator("#review").click();
  await page.locator("#send-now").waitFor(); // the boxes are on the same page
  for (const box of await page.locator("input[name=fine]").all()) await box.check();
  await page.locator("#send-now").click();
  await page.locator("#stop").waitFor();
  await start();
  await page.getByRole("link", { name: "Refresh" }).click();
  await page.locator("#pause").click();
  await page.locator("#toasts", { hasText: "Paused." }).waitFor();
  await page.locator("#resume").click();
  await page.locator("#pause").waitFor();
  await page.locator("#cancel").click();
  await page.getByRole("button", { name: "Cancel 4 emails" }).click();
  await page.locator("#toasts", { hasText: "Cancelled." }).waitFor();
  await page.close();
});

test("two managers who write the same draft both keep what they wrote", async () => {
  const [first, second] = [await stage.open("/dashboard/broadcasts"), await stage.open("/dashboard/broadcasts")];
  await first.locator("#new-broadcast").click();
  await first.waitForURL(/broadcasts\/[\da-f-]{36}$/, { waitUntil: "load" });
  await second.goto(new URL(first.url()).pathname);
  await first.fill("#content", "What the first wrote");
  await first.locator("#saved", { hasText: "Draft saved" }).waitFor();
  await second.fill("#content", "What the second wrote");
  await second.locator("#saved", { hasText: "Someone else has saved this broadcast" }).waitFor();
  await second.locator("#save").click();
  await second.locator("#conflict").waitFor();
  await second.locator("#save-mine").click();
  await second.locator("#content").waitFor();
  expect(await contentOf(second)).toBe("What the second wrote");
  await first.close();
  await second.close();
});

test("fields and topics of the site are chips, and are put in from the toolbar and the menu", async () => {
  const { db, now } = stage;
  const by = { actor: "test" };
  await addField(db, { key: "city", name: "City", type: "text", options: [] }, by, now());
  await addTopic(db, { name: "Recipes", sentence: "Once a month.", isDefault: false }, by, now());
  const page = await stage.open("/dashboard/broadcasts");
  await page.locator("#new-broadcast").press("Enter");
  await page.locator(".cm-content").click();
  await page.keyboard.type("From ");
  await page.locator("#tool-field").click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "city", exact: true }).click();
  expect(await focusOn(page, "content")).toBe("content");
  await page.keyboard.type("your town");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("/");
  await page.getByRole("option", { name: "Subheading" }).waitFor();
  expect(await violations(page)).toEqual([]); // the list is long, and scrolls
  await page.keyboard.type("recipes");
  await page.getByRole("option", { name: "Link to the topic Recipes" }).click();
  await page.keyboard.type(" {citty}");
  await eventually(() => contentOf(page), 'From {city, "your town"}\n\n{topic "recipes"} {citty}');
  await page.locator("#subject").focus();
  await eventually(() => page.locator(".md-field").allInnerTexts(), ["city or “your town”", "topic “Recipes”"]);
  await page.locator(".md-chip", { hasText: "{citty}" }).waitFor();
  await page.close();
});

test("a click that comes too late to stop a broadcast makes no email to newer subscribers", async () => {
  const source = { kind: "own" as const };
  const archive = "none" as const;
  const fields = { subject: "Ebb", preheader: "", fromName: "", segment: {}, content: "Low.", archive };
  const { id } = await create(stage.db, { source, fields }, { actor: "owner@example.com" }, stage.now());
  const [confirmedAt, scheduledAt] = [stage.now(), new Date(stage.clock.time + 60_000)];
  await setState(stage.db, id, { state: "scheduled", audience: 4, confirmedAt, scheduledAt });
  const page = await stage.open(`/dashboard/broadcasts/${id}`);
  const hits = await clicksAfter(page, page.locator("#stop"), "#newcomers");
  await setState(stage.db, id, { state: "sent", audience: 4, startedAt: stage.now(), finishedAt: stage.now() });
  await eventually(hits, ["", "Send to newer subscribers…"]);
  await page.locator("#newcomers").click();
  await page.waitForURL((url) => !url.pathname.includes(id));
  await page.close();
});

test("the seconds until an email starts count down, although the service says when something changes", async () => {
  const by = { actor: "owner@example.com" };
  const fields = {
    subject: "Neap",
    preheader: "",
    fromName: "",
    segment: {},
    content: "Low.",
    archive: "listed" as const,
  };
  const { id } = await create(stage.db, { source: { kind: "own" }, fields }, by, stage.now());
  const scheduledAt = new Date(stage.clock.time + 60_000);
  await setState(stage.db, id, { state: "scheduled", audience: 4, confirmedAt: stage.now(), scheduledAt });
  const page = await (await stage.manager()).newPage();
  await page.clock.install();
  const isOpen = page.waitForResponse(/dashboard\/live/);
  await page.goto(`/dashboard/broadcasts/${id}`);
  await page.getByText("Starts in 60 seconds").waitFor();
  await isOpen;
  await page.clock.pauseAt(Date.now() + 10_000); // from here on, only `runFor` moves the time of the page
  for (const left of [41, 40, 1]) {
    stage.clock.time = scheduledAt.getTime() - left * 1_000;
    const said = page.getByText(left === 1 ? "Starts in 1 second" : `Starts in ${left} seconds`, { exact: true });
    for (let passedMs = 0; !(await said.isVisible()); passedMs += 2_000) {
      expect(passedMs).toBeLessThan(30_000); // far less than what the page waits where nothing counts down
      await page.clock.runFor(2_000);
      await page.locator("#run.htmx-request").waitFor({ state: "detached" }); // it asks nothing while it still asks
    }
  }
  await setState(stage.db, id, { state: "draft" });
  await page.close();
});

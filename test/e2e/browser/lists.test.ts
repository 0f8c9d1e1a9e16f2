import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as audit from "../../../db/audit";
import * as subscribers from "../../../db/newsletter/subscribers";
import { addStep, createSequence } from "../../../db/sequences/edit";
import type { Versioned } from "../../../db/sequences/sequences";
import { violations } from "./axe";
import { fillDatabase } from "./fixtures";
import { eventually, focused, focusKept, focusOn, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let pages: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  pages = await fillDatabase(stage);
});
afterAll(() => stage.close());

const list = (page: Page) => page.locator("#list");
const opacity = (page: Page) => page.evaluate("getComputedStyle(document.querySelector('#list')).opacity");

test("a list that is slow to load fades and is marked as busy, whatever requested it", async () => {
  const page = await stage.open("/dashboard/newsletter?per=25");
  const requests = {
    sort: () => page.locator("#sort-email").click(),
    filter: () => page.locator("#segment-active").click(),
    page: () => page.locator("#page-next").click(),
    search: () => page.locator("#q").fill("reader"),
  };
  for (const [name, ask] of Object.entries(requests)) {
    const answer = Promise.withResolvers<void>();
    await page.route("**/newsletter?*", (route) => answer.promise.then(() => route.continue()), { times: 1 });
    await ask();
    await eventually(() => opacity(page), "0.6");
    expect([name, await list(page).getAttribute("aria-busy")]).toEqual([name, "true"]);
    answer.resolve();
    await eventually(() => list(page).getAttribute("aria-busy"), null);
    await eventually(() => opacity(page), "1");
  }
  await page.close();
});

test("the number of rows is seen near the search, and when someone unsubscribed", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await page.locator(".found", { hasText: /^\d{2,} subscribers$/ }).waitFor();
  await page.locator("#q").fill("reader10@");
  await page.locator(".found", { hasText: /^1 subscriber$/ }).waitFor();
  await page.waitForURL("**/newsletter?q=reader10%40"); // without the filters that are not set
  await page.locator("#q").fill("");
  await page.waitForURL("**/newsletter");
  const left = page.locator("tr", { hasText: "reader10@" }).locator(".named time");
  const at = (await subscribers.byEmail(stage.db, "reader10@example.org"))?.unsubscribedAt; // perhaps the day before
  expect(await left.getAttribute("datetime")).toBe(at?.toISOString() ?? "");
  await page.close();
});

test("the list is narrowed by conditions, and its export too; they are kept under a name", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const daysAgo = (days: number) => new Date(stage.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
  const found = (words: RegExp) => page.locator(".found", { hasText: words }).waitFor();
  await page.locator("#filter-button").click();
  await page.locator("#w-0-field").selectOption("joined");
  await page.locator("#w-0-is").selectOption("from");
  await page.locator("input#w-0-of[type=date]").fill(daysAgo(6));
  await page.locator("#counted", { hasText: /^1\d people/ }).waitFor();
  await page.locator("#w-add").click();
  await page.locator("#w-1-field").selectOption("joined");
  await page.locator("#w-1-is").selectOption("before");
  await page.locator("#w-1-of[type=date]").fill(daysAgo(4));
  await page.locator("#counted", { hasText: /^[45] people/ }).waitFor();
  await page.locator("summary", { hasText: "Save as a segment" }).click();
  await page.locator("#w-name").fill("Two days");
  await page.locator("#w-save").click();
  await page.waitForURL(/segment=/);
  await found(/^[45] subscribers$/);
  await page.locator("#sentence", { hasText: "Two days: People who joined since" }).waitFor();
  const rows = await page.locator("#list tbody tr").count();
  const file = await (await stage.owner.get(`/dashboard/newsletter/export.csv${new URL(page.url()).search}`)).text();
  expect(file.trim().split("\n")).toHaveLength(rows + 1);
  for (const path of ["contact", "outbox", "audit"]) {
    await page.goto(`/dashboard/${path}?from=2020-01-01&to=2020-01-02`);
    await page.getByRole("heading", { name: /^No matching/ }).waitFor();
  }
  await page.close();
});

test("# deletes the row, or what is selected, and Escape clears the selection", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const question = page.locator("#dialog dialog[open] h2");
  await page.keyboard.press("j");
  await page.keyboard.press("#");
  await question.filter({ hasText: "Delete reader0@example.org?" }).waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });

  for (const key of ["j", "x", "j", "x", "#"]) await page.keyboard.press(key);
  await question.filter({ hasText: "Delete 2 subscribers?" }).waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  await eventually(() => page.locator("#list :checked[name=ids]").count(), 2); // the dialog was closed, and nothing else changed

  const bar = page.locator(".bulk button", { hasText: "Delete" });
  await bar.focus();
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "hidden" });
  expect(await page.locator("#list :checked[name=ids]").count()).toBe(0);
  expect(await focusKept(page)).toMatch(/^pick-/);

  await page.keyboard.press("/");
  expect(await focusOn(page, "q")).toBe("q");
  await page.keyboard.press("Escape");
  expect(await focusOn(page, "BODY")).toBe("BODY");

  // In a closed menu, and on a page of its own
  await page.goto("/dashboard/storage");
  await page.locator("a.named", { hasText: "archive-2019.zip" }).focus();
  await page.keyboard.press("#");
  await page.locator(".toast", { hasText: "archive-2019.zip" }).getByRole("button", { name: "Undo" }).click();
  await page.locator(".toast", { hasText: /archive-2019.zip.* restored/i }).waitFor();
  await page.goto(pages.subscriber ?? "");
  await page.keyboard.press("#");
  await page.getByRole("heading", { name: /^Delete reader1@/ }).waitFor(); // in a dialog, or on its page
  await page.close();
});

test("the box for all rows says whether all are selected, some, or none", async () => {
  const page = await stage.open("/dashboard/newsletter?per=25");
  const state = () =>
    page.evaluate(
      "(({ indeterminate, checked }) => indeterminate ? 'some' : checked ? 'all' : 'none')(document.querySelector('#pick-all'))",
    );
  const box = (at: number) => page.locator("#list [name=ids]").nth(at);
  expect(await state()).toBe("none");
  await box(0).check();
  expect(await state()).toBe("some");
  await page.locator("#pick-all").check();
  expect(await state()).toBe("all");
  await box(1).uncheck();
  expect(await state()).toBe("some");
  await page.locator("#q").fill("reader"); // what remains in the list keeps its selection
  await page.waitForURL("**q=reader*");
  await eventually(state, "some");
  await page.locator("#pick-all").focus();
  await page.keyboard.press("Escape");
  expect(await state()).toBe("none");
  await page.close();
});

test("the help shows the keys of each page", async () => {
  const page = await stage.open("/dashboard");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  expect((await help.getByRole("heading").allTextContents()).map((words) => words.trim())).toEqual([
    ...["Keyboard shortcuts", "Everywhere", "Search everything", "Lists", "Inbox", "Posts and broadcasts", "Projects"],
    "Go to",
  ]);
  expect(await help.evaluate((dialog) => (dialog as unknown as { scrollTop: number }).scrollTop)).toBe(0); // its only control is at its end
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.close();
});

test("a filter is saved as a view, which replaces what is typed, and is deleted with a way back", async () => {
  const page = await stage.open("/dashboard/newsletter?status=unsubscribed");
  await page.locator("#save-view").click();
  await page.locator("#view-name:focus").waitFor();
  await page.keyboard.type("Those who left");
  await page.keyboard.press("Enter");
  const view = page.getByRole("link", { name: "Those who left", exact: true });
  await eventually(() => view.getAttribute("aria-current"), "true");
  await page.locator("#q").fill("reader1");
  await page.waitForURL("**q=reader1**");
  await view.click();
  await page.waitForURL((url) => url.search === "?status=unsubscribed");
  expect(await page.locator("#q").inputValue()).toBe("");
  await page.getByRole("button", { name: "Delete view Those who left" }).click();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await page.locator(".toast", { hasText: "View “Those who left” saved." }).waitFor();
  await eventually(() => view.getAttribute("aria-current"), "true");
  await page.close();
});

test("on a phone a row has two lines", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 390, height: 844 } });
  const tallest: Record<string, number> = {};
  for (const name of ["newsletter", "posts", "emails", "storage", "contact", "audit"]) {
    await page.goto(pages[name] ?? "");
    tallest[name] = (await page.evaluate(
      "[...document.querySelectorAll('#list tbody tr, #list .rows > *')].map((row) => row.offsetHeight).sort((a, b) => a - b).at(-5)",
    )) as number; // a few more may be reported
  }
  expect(Object.entries(tallest).filter(([, height]) => height > 70)).toEqual([]);
  await page.close();
});

test("a time says of what it is where there is no heading above it, and only there", async () => {
  for (const [name, path, of] of [
    ["subscribers", "newsletter", "Joined"],
    ["unsubscribed", "newsletter?status=unsubscribed", "Unsubscribed"],
    ["posts", "posts?status=published", "Published"],
    ["webhooks", "webhooks", "Last call"],
    ["emails", "outbox", "Created"],
    ["managers", "managers", "Last seen"],
  ] as const) {
    const page = await stage.open(`/dashboard/${path}`, { viewport: { width: 390, height: 844 } });
    const label = `(() => {
      const cell = document.querySelector("#list td.when[data-time-of='${of}']:has(> time)");
      return cell ? getComputedStyle(cell, "::before").content !== "none" : "no such time";
    })()`;
    expect([name, await page.evaluate(label)]).toEqual([name, true]);
    const covered = `[...document.querySelectorAll("#list tbody tr")].filter((row) => {
      const [sub, time] = [".main > .sub", "td.when:not(.extra)"].map((each) => row.querySelector(each)?.getBoundingClientRect());
      return sub && time && sub.top < time.bottom && time.top < sub.bottom && sub.right > time.left;
    }).length`;
    expect([name, await page.evaluate(covered)]).toEqual([name, 0]);
    await page.setViewportSize({ width: 1280, height: 844 });
    expect([name, await page.evaluate(label)]).toEqual([name, false]);
    await page.close();
  }
});

test("on a phone a column that someone chose is a line of its row, and so is why a recipient has this outcome", async () => {
  const page = await stage.open("/dashboard/newsletter", { viewport: { width: 390, height: 844 } });
  const person = { email: "zoned@example.com", source: "blog", timeZone: "Europe/Oslo" };
  await subscribers.subscribe(stage.db, person, { via: "form" }, stage.now());
  const choose = (shown: string[]) =>
    stage.owner.submit("/dashboard/columns", { list: "subscribers", shown }, { referer: page.url() });
  await choose(["tags", "source", "timeZone", "joined"]);
  const lines = () =>
    page.evaluate(`[...document.querySelectorAll("#list td.line")].flatMap((cell) => {
      if (cell.offsetHeight < 2) return []; // out of sight
      const isNamed = getComputedStyle(cell, "::before").content !== "none";
      return (isNamed ? cell.dataset.lineOf + ": " : "") + cell.innerText;
    })`);
  await page.goto("/dashboard/newsletter?q=zoned@");
  expect(await lines()).toEqual(["Time zone: Europe/Oslo"]);
  await page.goto("/dashboard/newsletter?q=reader1@"); // who has none
  expect(await lines()).toEqual([]);
  await page.goto(`${pages.recipients}?outcome=bounced`);
  expect(await lines()).toEqual(["Reason: 5.1.1 No such user here"]);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 844 });
  expect(await lines()).toEqual(["5.1.1 No such user here"]);
  await choose(["tags", "source", "joined"]);
  await page.close();
});

test("what opens on a phone, warnings and menus, is wholly on the screen, and axe finds nothing in it", async () => {
  const page = await stage.open("/dashboard", { viewport: { width: 390, height: 844 } });
  await page.locator(".attention summary").click();
  expect(await violations(page)).toEqual([]);
  for (const name of ["posts", "newsletter", "post", "a text", "endpoint"]) {
    await page.goto(pages[name] ?? "");
    await page.locator(".head [popovertarget]").click();
    const { x = -1, width = 0 } = (await page.locator(".head .menu").boundingBox()) ?? {};
    expect([name, x >= 0 && x + width <= 390, await violations(page)]).toEqual([name, true, []]);
  }
  await page.close();
});

test("on a phone the tabs of a list are one line, and the current one is in sight", async () => {
  const page = await stage.open("/dashboard/broadcasts?tab=trash", { viewport: { width: 390, height: 844 } });
  const tabs = page.locator(".segments a");
  const [first, last] = [await tabs.first().boundingBox(), await tabs.last().boundingBox()];
  expect([last?.y, (last?.x ?? 400) + (last?.width ?? 0) <= 390]).toEqual([first?.y, true]);
  expect(await page.locator(".segments [aria-current]").textContent()).toStartWith("Trash");
  await page.close();
});

test("Storage shows its files above the fold, on a desk and on a phone", async () => {
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    const page = await stage.open("/dashboard/storage", { viewport });
    const file = (await page.locator("#list tbody tr", { hasText: "archive-2019.zip" }).boundingBox())?.y ?? Infinity;
    expect([viewport.width, file < viewport.height - 100]).toEqual([viewport.width, true]);
    await page.context().close();
  }
});

test("no page waits for an element that it does not have, so none is drawn late", async () => {
  const page = await (await stage.manager()).newPage();
  const warnings: string[] = [];
  page.on("console", (message) => message.type() === "warning" && warnings.push(`${page.url()}: ${message.text()}`));
  for (const path of [...Object.values(pages), "/dashboard/newsletter/nobody"]) await page.goto(path);
  expect(warnings).toEqual([]);
  await page.close();
});

test("the bare address leads to the dashboard", async () => {
  const page = await stage.open("/");
  expect(new URL(page.url()).pathname).toBe("/dashboard");
  await page.close();
});

test("an import counts in the chart on the days people joined, and deleting them does not change the past", async () => {
  const page = await stage.open("/dashboard");
  const figure = page.getByRole("img", { name: /Joined and unsubscribed/ });
  const subscribed = async () => Number(/(\d+) people joined/.exec((await figure.textContent()) ?? "")?.[1]);
  const lately = async () => Number(/\+(\d+) in 7/.exec((await page.locator(".main").textContent()) ?? "")?.[1]);
  const [month, week] = [await subscribed(), await lately()];
  const daysAgo = (days: number) => new Date(stage.now().getTime() - days * 86_400_000).toISOString();
  const joined = [2, 20, 400].map((days) => `joined-${days}@example.com,${daysAgo(days)}`);
  await page.goto("/dashboard/newsletter/import");
  await page.locator("#file").setInputFiles({
    name: "list.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(["email,created_at", ...joined].join("\n")),
  });
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("combobox", { name: "created_at", exact: true }).waitFor();
  await page.getByRole("button", { name: "Review import" }).click();
  await page.getByRole("textbox", { name: "How did these people agree?" }).fill("They signed up at our fair");
  await page.getByRole("button", { name: "Import 3 subscribers" }).click();
  await page.waitForURL("**/dashboard/newsletter/import/report");
  await page.goto("/dashboard");
  expect([await subscribed(), await lately()]).toEqual([month + 2, week + 1]);

  await page.goto("/dashboard/newsletter?q=reader12%40");
  await page.locator("[id^=open-]").focus();
  await page.keyboard.press("#");
  await page.locator("#dialog dialog button[type=submit]").click();
  await page.locator(".toast", { hasText: "reader12@example.org" }).waitFor();
  await page.goto("/dashboard");
  expect(await subscribed()).toBe(month + 2);
  await page.close();
});

test("what the first manager did is a complete sentence", async () => {
  const { email } = stage.owner.manager;
  await audit.recordAlone(stage.db, { actor: email, action: "manager.set-up", target: email }, stage.now());
  const page = await stage.open("/dashboard");
  await page.locator(".latest li", { hasText: /set up Postroom\s*just now\s*$/ }).waitFor();
  await page.goto("/dashboard/audit");
  await page.locator("#list summary", { hasText: /set up Postroom\s*$/ }).waitFor();
  await page.close();
});

test("the browser reports no errors", () => expect(stage.complaints).toEqual([]));

test("what was typed or opened before htmx is there is not lost", async () => {
  const page = await (await stage.manager()).newPage();
  const isThere = Promise.withResolvers<void>();
  await page.route(/\/htmx\b[^/]*\.js/, async (route) => {
    await isThere.promise;
    await route.continue();
  });
  await page.goto("/dashboard/newsletter", { waitUntil: "commit" });
  await page.locator("#q").fill("reader12@");
  await page.keyboard.press("Control+k");
  isThere.resolve();
  await page.locator("#palette [role=option]").first().waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL("**/dashboard/newsletter?q=reader12%40");
  await page.close();
});

test("a search goes on where the caret was when its first results have replaced the list", async () => {
  const page = await stage.open("/dashboard/newsletter");
  await page.locator("#q").click();
  await page.keyboard.type("der1");
  await page.waitForURL("**/dashboard/newsletter?q=der1");
  await page.keyboard.type("0@");
  await page.waitForURL("**/dashboard/newsletter?q=der10%40");
  for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("rea");
  await page.waitForURL("**/dashboard/newsletter?q=reader10%40");
  await page.close();
});

test("the first field has the focus before anything on the page is replaced", async () => {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(`addEventListener("htmx:before:request", () =>
    (globalThis.focused ??= document.activeElement.id || "nothing"), true)`);
  await page.goto("/dashboard/posts/new");
  await eventually(() => page.evaluate("globalThis.focused"), "title");
  await page.close();
});

test("a link to a dialog opens one as soon as the page has loaded, and Back returns, before htmx begins in its timeout", async () => {
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(`const wait = setTimeout;
    globalThis.setTimeout = (run, ...how) => (/initialize/.test(String(run)) ? 0 : wait(run, ...how));`);
  await page.goto("/dashboard/newsletter");
  await page.locator("#segment-active").click();
  await page.locator("#segment-active[aria-current]").waitFor();
  await page.goBack();
  await page.locator("#segment-active:not([aria-current])").waitFor();
  await page.locator("#add").click();
  await page.locator("#dialog dialog[open]").waitFor();
  await page.close();
});

test.each([true, false])("columns are chosen by keyboard and kept, with a script: %p", async (javaScriptEnabled) => {
  const page = await stage.open("/dashboard/newsletter?source=blog", { javaScriptEnabled });
  const heads = () => page.locator("#list thead th").allInnerTexts();
  await page.locator("#choose-columns").press("Enter");
  await page.locator("#column-language").setChecked(true);
  await page.locator("#column-source").setChecked(false);
  await page.locator("#column-source").press("Enter");
  await eventually(heads, expect.arrayContaining(["Language"]));
  expect(await heads()).not.toContain("Source");
  expect(await page.locator("#menu-columns").isVisible()).toBe(false);
  if (javaScriptEnabled) expect(await focusKept(page)).toBe("choose-columns");
  expect(new URL(page.url()).search).toBe("?source=blog");
  await page.goto("/dashboard/newsletter");
  expect(await heads()).toEqual(expect.arrayContaining(["Language", "Joined"]));
  await page.locator("#choose-columns").click();
  if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
  await page.locator("#column-language").setChecked(false);
  await page.locator("#column-source").setChecked(true);
  await page.locator("#show-columns").click();
  await eventually(heads, expect.arrayContaining(["Source"]));
  await page.close();
});

test("a row shows its menu under the mouse and with the focus, on a touch screen always; Tab lands on no bin", async () => {
  const shown = (page: Page) => page.evaluate("getComputedStyle(document.querySelector('tbody [id^=more-]')).opacity");
  const page = await stage.open("/dashboard/newsletter");
  await page.mouse.move(0, 0);
  expect(await shown(page)).toBe("0");
  await page.locator("tbody tr").first().hover();
  expect(await shown(page)).toBe("1");
  await page.mouse.move(0, 0);
  const stops: string[] = [];
  await page.locator("tbody tr input[name=ids]").first().focus();
  for (let at = 0; at < 4; at++) {
    await page.keyboard.press("Tab");
    stops.push((await focused(page)).replace(/-.*/, ""));
    if (stops.at(-1) === "more") expect(await shown(page)).toBe("1");
  }
  expect(stops).toContain("more");
  expect(stops).not.toContain("delete");
  await page.close();
  const phone = await stage.open("/dashboard/newsletter", {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  });
  expect(await shown(phone)).toBe("1");
  await phone.close();
});

test("what a row can do is in one menu, which says whose it is: topics, fields, tags, rules, keys, managers, folders and drafts", async () => {
  const { db, now } = stage;
  const owner = await stage.signIn();
  const newsletter = "/dashboard/newsletter";
  for (const name of ["Field notes", "Workshops"]) await owner.submit(`${newsletter}/topics`, { name });
  await owner.submit(`${newsletter}/fields`, { name: "City", key: "city", type: "text" });
  await owner.submit("/dashboard/broadcasts/from-posts", {
    tag: "",
    becomes: "draft",
    topic: "",
    weekday: "1",
    time: "08:00",
    zone: "",
  });
  await owner.submit("/dashboard/settings/custom", { stamp: "none", key: "paper.colour", value: "blue" });
  await owner.submit("/dashboard/storage/folders", { in: "video", name: "parcels" });
  await stage.signIn({ email: "bo@example.com", name: "Bo", role: "manager" });
  const by = { actor: owner.manager.email };
  const made = await createSequence(db, { trigger: "subscribed", name: "Course", segment: {} }, by, now());
  if (made.outcome !== "saved") throw new Error(made.outcome);
  let seen: Versioned = made.sequence;
  for (const subject of ["One", "Two"]) {
    const step = { wait: { waitHours: 0, atMinute: null }, subject, content: "Hello" };
    const added = await addStep(db, { seen, step }, by, now());
    if (added.outcome === "changed") seen = added.sequence;
  }
  const page = await stage.open("/dashboard");
  for (const [path, ...verbs] of [
    [`${newsletter}/topics`, "Edit…", "Move up", "Archive", "Delete"],
    [`${newsletter}/fields`, "Edit…", "Delete…"],
    ["/dashboard/posts/tags", "Rename…", "Merge…", "Delete…"],
    ["/dashboard/broadcasts/from-posts", "Edit…", "Move up", "Turn off", "Delete"],
    ["/dashboard/settings/site", "Edit…", "Remove…"],
    ["/dashboard/api-keys", "Replace…", "Deactivate…"],
    ["/dashboard/managers", "Change role…", "Sign out everywhere", "Remove…"],
    ["/dashboard/storage?folder=video", "Remove…"],
    [`/dashboard/sequences/${made.sequence.id}`, "Change when it is sent…", "Move up", "Delete"],
  ] as const) {
    await page.goto(path);
    const row = page.locator("tbody tr", { has: page.locator("[id^=more-]") }).last();
    const controls = row.locator(".acts").locator("a, button").filter({ visible: true });
    expect([path, await controls.evaluateAll((all) => all.map((each) => each.ariaLabel?.split(" for ")[0]))]).toEqual([
      path,
      ["Actions"],
    ]);
    await controls.press("Enter");
    await eventually(async () => [path, await controls.count()], [path, verbs.length + 1]);
    expect([path, (await controls.allInnerTexts()).slice(1)]).toEqual([path, [...verbs]]);
    expect([path, await violations(page)]).toEqual([path, []]);
    await page.keyboard.press("Escape");
  }
  await page.close();
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import * as subscribers from "../../../db/newsletter/subscribers";
import { fillDatabase } from "./fixtures";
import { eventually, focused, focusOn, keepNotices, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* In every dialog, from every page that opens it, the click that confirms takes effect (U5). */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let page: Page;
let rooms: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  await stage.signIn({ email: "bo@example.com", name: "Bo", role: "manager" });
  await stage.owner.submit("/dashboard/settings/custom", { key: "tagline", value: "Words", stamp: "none" });
  rooms = await fillDatabase(stage);
  page = await (await stage.manager()).newPage();
  await page.addInitScript(keepNotices);
});
afterAll(() => stage.close());

const dialog = () => page.locator("#dialog dialog[open]");
/** The kind of page a URL leads to, whatever its subject. */
const kindOf = (path: string) =>
  path
    .replace(/[0-9a-f-]{32,36}/g, "*")
    .replace(/(tags|custom)\/(?!new$)[^/]+/, "$1/*")
    .replace(/=[^&]*/g, "=*");

/** What a manager types where something must be typed. */
const words: Record<string, string> = {
  into: "Tides",
  to: "elsewhere",
  tag: "Tides",
  networks: "192.0.2.0/24",
  types: "image/*",
};
let typed = 0;
async function fillIn(form: Locator) {
  for (const field of await form.locator("input:visible, textarea:visible").all()) {
    const [name, type, value] = await Promise.all([
      field.getAttribute("name"),
      field.getAttribute("type"),
      field.inputValue(),
    ]);
    if (value || !name || ["checkbox", "radio"].includes(type ?? "")) continue;
    await field.fill(words[name] ?? (type === "email" ? `new${++typed}@example.com` : `new${++typed}`));
  }
}

/** After the response nothing covers the page, it exists, it has the focus, and it shows the result. */
async function standsOnALivingPage() {
  const toast = page.locator(".toast").last();
  expect(await toast.textContent()).not.toMatch(/^(Nothing was saved|The server could not)/);
  await dialog().waitFor({ state: "detached" }); // the message may appear a moment before
  const { pathname, search } = new URL(page.url());
  expect([pathname, (await stage.owner.get(pathname + search)).status]).toEqual([pathname, 200]);
  await page.locator("main h1, main h2").first().waitFor();
  await eventually(() => focused(page), expect.not.stringMatching(/^BODY$/));
  await page.locator(".toast [data-dismiss-toast]").last().click({ trial: true }); // nothing covers it
}

/** Confirms a question, in a dialog or on its own page. Closes dialogs that only show something. */
async function confirm(form: Locator, opener?: string) {
  const button = form.locator("button[type=submit]:not([formaction])").last();
  if ((await form.count()) === 0 || (await form.getAttribute("role")) === "search") {
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    if (opener) expect(await focusOn(page, opener)).toBe(opener);
    return;
  }
  if ((await form.getAttribute("id")) === "filter") return apply(form, button);
  await fillIn(form);
  const title = page.locator("#dialog-title");
  const before = (await title.count()) && (await title.textContent());
  await button.click();
  const next = page.locator("#dialog-title", { hasNotText: before || "nothing" });
  await page.locator(".toast").or(next).first().waitFor();
  if (await next.count()) return dismiss();
  await standsOnALivingPage();
}

/** A filter changes nothing, and leads to the list that it describes. */
async function apply(form: Locator, button: Locator) {
  const what = form.locator("#w-0-field");
  if ((await what.inputValue()) === "") await what.selectOption("status");
  const box = form.locator("input[type=checkbox]:not(:checked)").first();
  await box.check(); // a condition needs a value
  await button.click();
  await dialog().waitFor({ state: "detached" });
  await page.locator("#list").waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/newsletter");
}

/** Closes a dialog that shows something only once. */
async function dismiss() {
  await dialog().locator("footer a, [data-close]").last().click();
  await dialog().waitFor({ state: "detached" });
}

test("a subscriber is deleted, and one reactivated, from the page of the person", async () => {
  const [gone, back] = await Promise.all(["reader2@example.org", "reader3@example.com"].map(subscriberPage));
  await page.goto(gone ?? "");
  await page.locator("#more-person").click();
  await page.locator("#delete").click();
  await dialog().waitFor();
  await confirm(dialog().locator("form"));
  expect(new URL(page.url()).pathname).toBe("/dashboard/newsletter");
  await page.locator(".toast", { hasText: /deleted/ }).waitFor();
  await page.goto(back ?? "");
  await page.locator("#more-person").click();
  await page.getByRole("button", { name: "Reactivate" }).click();
  await page.locator(".toast", { hasText: /reactivated/ }).waitFor();
  expect(new URL(page.url()).pathname).toBe(back ?? "");
  await standsOnALivingPage();
});

async function subscriberPage(email: string) {
  const person = await subscribers.byEmail(stage.db, email);
  return `/dashboard/newsletter/${person?.id}`;
}

/** What a page of a dialog answers with the same page, another list of fields, or another page. */
const answers: [room: string, path: string, act: (form: Locator) => Promise<unknown>, answer: string][] = [
  [
    "add a subscriber",
    "",
    (form) =>
      form
        .locator("#new-email")
        .fill("reader5@example.com")
        .then(() => page.keyboard.press("Enter")),
    "#new-email-error",
  ],
  ["newsletter", "/filter", (form) => form.locator("#w-0-field").selectOption("status"), "#w-0-of-0"],
  ["endpoint", "/rotate", (form) => form.getByRole("button", { name: "Replace secret" }).click(), "#new-secret"],
];

test("the page of a dialog that was opened by its address is drawn anew where it stands", async () => {
  for (const [room, path, act, answer] of answers) {
    await page.goto((rooms[room] ?? "") + path);
    await act(page.locator("main form"));
    await page.locator(`main .sheet ${answer}`).waitFor();
    const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
    expect([room, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([room, []]);
    expect(await page.title()).toStartWith(`${await page.locator("h1").textContent()} ·`);
    await eventually(() => focused(page), expect.not.stringMatching(/^BODY$/));
  }
});

test("conditions on a page of their own count whom they mean, as in the dialog", async () => {
  await page.goto("/dashboard/newsletter/filter");
  await page.locator("#w-0-field").selectOption("status");
  await page.locator("#w-0-of-0").check();
  await page.locator("main .sheet #counted", { hasText: /^\d+ people, counted now$/ }).waitFor();
});

const openerOf = "[hx-get][hx-target='#dialog']";

/**
 * The links to dialogs on a page, in its order; none if its subject has been deleted. Asked as the browser asks, in whose
 * time zone the month may be another.
 */
async function linksOn(path: string): Promise<string[]> {
  const links: string[] = [];
  const collect = { element: (each: HTMLRewriterTypes.Element) => void links.push(each.getAttribute("hx-get") ?? "") };
  const answer = await page.request.get(path);
  if (answer.status() === 200) new HTMLRewriter().on(openerOf, collect).transform(await answer.text());
  return links.map((link) => link.replaceAll("&amp;", "&"));
}

/** What a dialog takes away, others need. */
const isLast = (link: string) => /\/(delete|merge|remove)\b/.test(link);

test("every link to a dialog, on every page that has one", async () => {
  const seen = new Set<string>();
  const opened = new Set<string>();
  const dead: string[] = [];
  const pages: [room: string, path: string][] = [];
  for (const [room, path] of Object.entries(rooms)) if ((await linksOn(path)).length) pages.push([room, path]);
  for (const isRound of [(link: string) => !isLast(link), isLast])
    for (const [room, path] of pages) {
      const name = (link: string) => `${kindOf(path)} → ${kindOf(link)}`;
      // Asked again after each, because it may have changed what is there
      const next = async () => (await linksOn(path)).find((link) => isRound(link) && !seen.has(name(link)));
      for (let link = await next(); link !== undefined; link = await next()) {
        seen.add(name(link));
        await page.goto(path);
        const openers = page.locator(`${openerOf}[hx-get="${link}"]`);
        const isInSight = (await openers.filter({ visible: true }).count()) > 0; // on a phone it may be in a menu alone
        const opener = openers.filter(isInSight ? { visible: true } : {}).first();
        const menu = page.locator(".menu[popover]", { has: opener });
        if (!isInSight && (await menu.count()))
          await page.locator(`[popovertarget="${await menu.getAttribute("id")}"]`).click();
        try {
          const id = (await opener.getAttribute("id")) ?? undefined;
          await opener.click();
          await dialog().waitFor();
          await confirm(dialog().locator("form").first(), id);
          opened.add(kindOf(link));
        } catch (problem) {
          dead.push(`${room}: ${name(link)}: ${problem}`);
        }
      }
    }
  expect(dead).toEqual([]);
  expect([...opened].sort()).toEqual(kinds);
});

/** Every dialog that a link opens. */
const kinds = [
  "/dashboard/api-keys/*/deactivate",
  "/dashboard/api-keys/new",
  "/dashboard/broadcasts/*/cancel",
  "/dashboard/calendar/move?kind=*&id=*&month=*",
  "/dashboard/managers/*/remove",
  "/dashboard/managers/*/role",
  "/dashboard/managers/invite",
  "/dashboard/newsletter/*/delete",
  "/dashboard/newsletter/*/edit",
  "/dashboard/newsletter/filter",
  "/dashboard/newsletter/filter?source=*",
  "/dashboard/newsletter/filter?status=*",
  "/dashboard/newsletter/new",
  "/dashboard/newsletter/new?instead=*",
  "/dashboard/posts/*/delete",
  "/dashboard/posts/*/preview-link",
  "/dashboard/posts/*/publish",
  "/dashboard/posts/*/unpublish",
  "/dashboard/posts/pictures?for=*",
  "/dashboard/posts/tags/*/delete",
  "/dashboard/posts/tags/*/merge",
  "/dashboard/posts/tags/*/rename",
  "/dashboard/projects/*/delete",
  "/dashboard/settings/custom/*/edit",
  "/dashboard/settings/custom/*/remove",
  "/dashboard/settings/custom/new",
  "/dashboard/storage/files/*/link",
  "/dashboard/storage/files/*/move",
  "/dashboard/storage/files/*/rename",
  "/dashboard/storage/files/*/replace",
  "/dashboard/storage/folders/new",
  "/dashboard/storage/folders/new?in=*",
  "/dashboard/storage/folders/remove?path=*",
  "/dashboard/storage/nodes/*/remove",
  "/dashboard/storage/uploads/abort?ids=*",
  "/dashboard/suppressions/new",
  "/dashboard/views/*/rename",
  "/dashboard/views/new?list=*&query=*",
  "/dashboard/webhooks/*/remove",
];

test("help beside what is hard opens by a key and without moving anything, and Escape closes it", async () => {
  for (const path of ["suppressions", "settings/newsletter", "api-keys", "storage"].map(
    (page) => `/dashboard/${page}`,
  )) {
    await page.goto(path);
    const button = page.getByRole("button", { name: /^Help: / });
    const before = await button.boundingBox();
    await button.press("Enter");
    await page.locator(".help-text:popover-open").waitFor();
    expect([path, await button.boundingBox()]).toEqual([path, before]);
    await page.keyboard.press("Escape");
    await page.locator(".help-text:popover-open").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.className")).toBe("help");
  }
});

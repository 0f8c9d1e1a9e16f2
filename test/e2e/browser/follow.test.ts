import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as endpoints from "../../../db/webhooks/endpoints";
import { erasePerson } from "../../../db/people/erasures";
import { checkLater } from "../../../src/people/erasure-check";
import { onSqlite } from "../../support/look";
import { temporaryFolder } from "../../support/processes";
import { join } from "node:path";
import { eventually, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* A page follows what happens, and nothing is replaced under a hand, however late the answer. */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const by = { actor: "ada@example.com" };

/** An endpoint with one call that waits. Returns its page, and what makes one more. */
async function addEndpoint(name: string) {
  const { db, now } = stage;
  const fields = { name, url: `https://${name}.example.com/hook`, events: [], withPeople: false };
  const endpoint = await endpoints.add(db, { fields, secret: "sealed" }, by, now());
  if (!endpoint) throw new Error("The stage is full");
  const call = () => endpoints.ping(db, endpoint.id, by, now());
  await call();
  return { path: `/dashboard/webhooks/${endpoint.id}`, call };
}

const rows = (page: Page) => page.locator("#list tbody tr").count();

const countAnswers = `
  globalThis.answers = 0;
  addEventListener("htmx:finally:request", ({ detail }) => {
    if (detail.ctx.request.headers["X-Purpose"] === "poll") answers++;
  });`;
const answers = (page: Page) => page.evaluate("answers") as Promise<number>;

/**
 * Opens a page, and holds the first answer that it asks for by itself, at the wire, once the server has given it. On
 * PostgreSQL a page may ask as soon as it is open, because what it knows when it is rendered can be a second old.
 */
async function openHeld(page: Page, path: string) {
  await page.addInitScript(countAnswers);
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route("**/dashboard/webhooks/*", async (route) => {
    const headers = route.request().headers();
    if (headers["x-purpose"] !== "poll") return route.continue();
    // Playwright cannot read zstd, which Firefox accepts
    const response = await route.fetch({ headers: { ...headers, "accept-encoding": "identity" } });
    asked.resolve();
    await held.promise;
    await route.fulfill({ response });
  });
  await page.goto(path);
  return {
    isHeld: asked.promise,
    async letThrough() {
      const before = await answers(page);
      held.resolve();
      await eventually(() => answers(page), before + 1);
    },
  };
}

const firstRow = (page: Page) => page.locator("#list tbody tr").first();

/** What keeps a hand busy, and what ends it. */
const hands: Record<string, { begin: (page: Page) => Promise<unknown>; end: (page: Page) => Promise<unknown> }> = {
  "a menu is open": {
    begin: (page) => page.getByRole("button", { name: "More actions for this endpoint" }).click(),
    end: (page) => page.keyboard.press("Escape"),
  },
  "a dialog is open": {
    begin: async (page) => {
      await page.keyboard.press("?");
      await page.locator("dialog[open]").waitFor();
    },
    end: (page) => page.keyboard.press("Escape"),
  },
  "a row is expanded": {
    begin: (page) => firstRow(page).locator("summary").click(),
    end: (page) => firstRow(page).locator("summary").click(),
  },
  "a text is selected": {
    begin: (page) => page.evaluate("getSelection().selectAllChildren(document.querySelector('#list tbody tr'))"),
    end: (page) => page.evaluate("getSelection().empty()"),
  },
};

/** By itself every five seconds, or told by the server. */
const ways = { polling: true, "server-sent events": false };

for (const [way, asksByItself] of Object.entries(ways))
  for (const [what, { begin, end }] of Object.entries(hands))
    test(`${way}: while ${what}, what was asked for before replaces nothing, and the news comes after it`, async () => {
      const { path, call } = await addEndpoint(`${asksByItself ? "asks" : "told"}-${what.replaceAll(" ", "-")}`);
      const page = await stage.open("/dashboard");
      if (asksByItself) await page.route("**/dashboard/live*", (route) => route.abort());
      await page.clock.install();
      const { isHeld, letThrough } = await openHeld(page, path);
      await call();
      if (asksByItself) await page.clock.runFor(5_000);
      await isHeld;
      await begin(page);
      await letThrough();
      expect(await rows(page)).toBe(1);
      await page.clock.runFor(20_000);
      expect([await rows(page), await answers(page)]).toEqual([1, 1]);
      await end(page);
      await page.clock.runFor(5_000);
      await eventually(() => rows(page), 2);
      await page.close();
    });

test("an answer that was asked for before an action does not undo what the action shows", async () => {
  const { path, call } = await addEndpoint("stale");
  const page = await stage.open("/dashboard");
  await page.clock.install();
  const { isHeld, letThrough } = await openHeld(page, path);
  await call();
  await isHeld;
  await call();
  await page.locator("#segment-queued").click();
  await page.locator("#segment-queued[aria-current]").waitFor();
  expect(await rows(page)).toBe(3);
  await letThrough();
  expect([await rows(page), await page.locator("#segment-queued[aria-current]").count()]).toEqual([3, 1]);
  await call();
  await page.clock.runFor(5_000);
  await eventually(() => rows(page), 4);
  expect(await page.locator("#segment-queued[aria-current]").count()).toBe(1);
  expect(stage.complaints).toEqual([]);
  await page.close();
});

onSqlite("the file of the database")(
  "an open proof of erasure says by itself what the search of the database found",
  async () => {
    using folder = temporaryFolder();
    const email = "ada@example.com";
    const files = await openStage({ database: join(folder.path, "postroom.sqlite") });
    const { db, log, now } = files;
    await files.post("/api/newsletter/subscribe", { email });
    const erased = { email, scope: ["subscription", "messages"] } satisfies Parameters<typeof erasePerson>[2];
    const erasure = await erasePerson(
      db,
      join(folder.path, "erasures.log"),
      erased,
      { actor: "cli", via: "cli" },
      now(),
    );
    const page = await files.open(`/dashboard/people/erasures/${erasure.id}`);
    await page.getByText("Not searched yet.").waitFor();
    await checkLater({ db, log, now }, erasure, email);
    await page.getByText("The address was not found in it afterwards.").waitFor();
    expect(await page.locator("#proof[data-poll]").count()).toBe(0);
    await page.close();
    expect(files.complaints).toEqual([]);
    await files.close();
  },
);

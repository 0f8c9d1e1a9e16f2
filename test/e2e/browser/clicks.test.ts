import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { addListFixtures } from "./click-fixtures";
import { eventually, openStage, type Stage, until } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* No click is lost: whatever was done in a toolbar just before, the next click takes effect (U5). */

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
let page: Page;
let lists: Record<string, string>;
beforeAll(async () => {
  stage = await openStage();
  lists = await addListFixtures(stage);
  page = await (await stage.manager({ viewport: { width: 1280, height: 4_000 } })).newPage(); // all in sight
  await page.addInitScript(() => {
    const underWay = new Set<unknown>();
    const page = globalThis as unknown as EventTarget & { underWay: number; answered: number };
    Object.assign(page, { underWay: 0, answered: 0 });
    const count = (name: string, by: (request: unknown) => void) =>
      page.addEventListener(`htmx:${name}`, (event) => {
        by((event as CustomEvent<{ ctx: unknown }>).detail.ctx);
        page.underWay = underWay.size;
      });
    count("before:request", (request) => underWay.add(request));
    count("finally:request", (request) => underWay.delete(request));
    count("after:request", () => page.answered++);
  });
});
afterAll(() => stage.close());

const read = (name: "underWay" | "answered") => page.evaluate(name) as Promise<number>;

/** Waits until the list shows what was requested. */
const quiet = () => eventually(() => read("underWay"), 0);
const query = (name: string) => new URL(page.url()).searchParams.get(name);

/** A way to filter or sort the list, and what the URL says about it afterwards. */
type Field = { control: Locator; name: string; value: string; isSearch: boolean };

async function fieldsOf(path: string): Promise<Field[]> {
  await page.goto(path);
  const found: Field[] = [];
  for (const control of await page.locator(".filters .input").all()) {
    const id = await control.getAttribute("id");
    const name = (await control.getAttribute("name")) ?? "";
    const value = await control.evaluate((field) => {
      const { options, type } = field as unknown as { options?: { value: string }[]; type: string };
      const wanted = ["blog", "tides", "contact", "text", "unused", "api-key"]; // options that match all rows, if not the first
      const values = [...(options ?? [])].map(({ value }) => value);
      if (options) return values.find((value) => wanted.includes(value)) ?? values[1] ?? "";
      return type === "date"
        ? (field as unknown as { name: string }).name === "to"
          ? "2099-12-31"
          : "2020-01-01"
        : "";
    });
    found.push({ control: page.locator(`#${id}`), name, value: value || "harbour", isSearch: name === "q" });
  }
  return found;
}

/** Opens the fields for dates, which a button hides. */
async function reveal({ control }: Field) {
  if (!(await control.isVisible())) await page.locator(".period > summary").click();
  await control.waitFor();
}

async function fill({ control, value, isSearch }: Field) {
  if (!isSearch)
    return void ((await control.locator("option").count())
      ? await control.selectOption(value)
      : await control.fill(value));
  await control.focus();
  await page.keyboard.insertText(value);
}

/** What a manager does next: where they click, and what appears then. */
type Act = { name: string; at: string; came: (id: string, href: URL) => Promise<void> };

const acts: Act[] = [
  {
    name: "tick a row",
    at: "#list input[type=checkbox][name=ids]",
    async came(id) {
      await page.locator("[data-picked]", { hasText: /^1 selected$/ }).waitFor();
      expect(await page.locator(`#${id}`).isChecked()).toBe(true);
    },
  },
  {
    name: "sort",
    at: "#list th:not([aria-sort]) a",
    async came(id, href) {
      await eventually(() => query("sort"), href.searchParams.get("sort"));
      await page.locator(`th[aria-sort]:has(#${id})`).waitFor();
    },
  },
  {
    name: "turn the page",
    at: "#page-next",
    async came() {
      await page.locator(".pager p", { hasText: /^(26|51)–/ }).waitFor();
      expect(query("page")).toBe("2");
    },
  },
  {
    name: "choose a segment",
    at: "#list .segments a:not([aria-current])",
    came: (id) => page.locator(`#${id}[aria-current]`).waitFor(),
  },
  {
    name: "open a dialog",
    at: "#list .acts > a[hx-target='#dialog']",
    async came(id) {
      await page.locator("#dialog dialog[open]").waitFor();
      await page.keyboard.press("Escape");
      await page.locator(`#${id}:focus`).waitFor();
    },
  },
  {
    name: "open a row",
    at: "#list a[id^=open-]",
    came: (_, { pathname }) => page.waitForURL((url) => url.pathname === pathname),
  },
  { name: "unfold a row", at: "#list summary", came: () => page.locator("#list details[open]").waitFor() },
];

type Place = { x: number; y: number };
const placeOf = async (target: Locator): Promise<Place> => {
  const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + width / 2, y: y + height / 2 };
};
async function press({ x, y }: Place) {
  await page.mouse.move(x, y);
  await page.mouse.down();
}

/** Holds the answer to what this field sends until it is resolved. */
async function holdAnswer({ name }: Field): Promise<PromiseWithResolvers<void>> {
  const held = Promise.withResolvers<void>();
  await page.route(new RegExp(`[?&]${name}=`), (route) => held.promise.then(() => route.continue()), { times: 1 });
  return held;
}

/** Between the field and the click: nothing, the request in progress, or the results. */
const moments = {
  async "at once"(field: Field, target: Locator) {
    const place = await placeOf(target);
    const pressed = await holdAnswer(field); // otherwise a slow test clicks where the target was before the results
    await fill(field);
    await press(place);
    pressed.resolve();
    await page.mouse.up();
  },
  async "while the answer is on its way"(field: Field, target: Locator) {
    const place = await placeOf(target);
    const sent = await holdAnswer(field);
    await fill(field);
    await until(async () => (await read("underWay")) === 1);
    await press(place);
    sent.resolve();
    await until(async () => (await read("answered")) === 1);
    await page.mouse.up();
  },
  async "when the results are there"(field: Field, target: Locator) {
    await fill(field);
    await eventually(() => query(field.name), field.value);
    await quiet();
    await press(await placeOf(target));
    await quiet(); // leaving the field sends nothing; if it did, the response would be here before the click
    await page.mouse.up();
  },
};
type Moment = keyof typeof moments;

/** What a click after this field lost: undefined, or why. */
async function lostAfter(field: Field, { name, at, came }: Act, moment: Moment): Promise<string[]> {
  const target = page.locator(at).first();
  const id = (await target.getAttribute("id")) ?? "";
  const href = new URL((await target.getAttribute("href")) ?? "", page.url());
  const before = await page.locator(at).evaluateAll((all) => all.map(({ id }) => id));
  await reveal(field);
  await moments[moment](field, target);
  try {
    if (!leaves.test(id) || isMessage(href)) {
      await eventually(() => query(field.name), field.value);
      await quiet();
    }
    await came(id, href);
    return [];
  } catch (problem) {
    const opened = before.indexOf(`open-${page.url().split("/").at(-1)}`);
    return [
      `${field.name}, then ${name}${opened > 0 ? ` (number ${opened + 1} of the list was opened)` : ""}: ${problem}`,
    ];
  }
}
const leaves = /^open-/;
const isMessage = ({ pathname }: URL) => pathname.startsWith("/dashboard/contact/");

/** Tries everything that can be done after a search; after a choice, only the first of them. */
async function lostOn(list: string, moment: Moment) {
  const path = `/dashboard/${lists[list]}?per=25`;
  const lost: string[] = [];
  for (const field of await fieldsOf(path))
    for (const act of acts) {
      await page.goto(path);
      if ((await page.locator(act.at).count()) === 0) continue;
      lost.push(...(await lostAfter(field, act, moment)));
      if (!field.isSearch) break;
    }
  return lost;
}

/** A form that is replaced with its list, one whose list is morphed, and one that stays above its list. */
const kinds = ["subscribers", "messages", "the audit log"];
const others = ["posts", "tags", "projects", "emails", "files", "files in the trash"];

test.each([...kinds, ...others])("when the results are there, the next click in %s does what it says", async (list) => {
  expect(await lostOn(list, "when the results are there")).toEqual([]);
});

for (const moment of ["at once", "while the answer is on its way"] as const)
  test.each(kinds)(`${moment}, the next click in %s does what it says, and the search goes on`, async (list) => {
    expect(await lostOn(list, moment)).toEqual([]);
  });

/** On a slow machine the next click comes after the results, and hits what is there by then. */
test.each([1280, 390])("the first results of a search move no row, in a window of %i pixels", async (width) => {
  const page = await (await stage.manager({ viewport: { width, height: 900 } })).newPage();
  const firstRow = page.locator("#list tbody tr, #list .rows > *").first();
  const moved: Record<string, unknown> = {};
  for (const [list, path] of Object.entries(lists)) {
    await page.goto(`/dashboard/${path}`);
    if (!(await page.locator("#q").count())) continue;
    const before = (await firstRow.boundingBox())?.y;
    await page.locator("#q").fill("har");
    await page.waitForURL(/q=har/);
    const after = (await firstRow.boundingBox())?.y;
    if (after !== before) moved[list] = [before, after];
  }
  expect(moved).toEqual({});
  await page.close();
});

test("the browser reports no errors", () => expect(stage.complaints).toEqual([]));

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { set } from "../../support/settings";
import { eventually, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

/* What readers see of the brand is shown beside the choices. */

setDefaultTimeout(testTimeoutMs);

const path = "/dashboard/settings/brand";
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await set(stage.db, "brandAccent", "#8a1c1c", { by: "cli" }, stage.now());
});
afterAll(() => stage.close());

const sample = (page: Page, name: string) => page.frameLocator(`#brand-look iframe[title="${name}"]`);
const email = "An email to subscribers";
const archived = "Its page in the archive";

/** The colours of an email are in its HTML, those of a page in a style sheet: no script may look into the frames. */
const accentIn = (page: Page, frame: string) => async () => {
  const rule = await sample(page, frame).locator(".sheet").getAttribute("style");
  return /border-top:5px solid (#\w+)/.exec(rule ?? "")?.[1];
};
const stylesIn = (page: Page, frame: string) => () =>
  sample(page, frame).locator("link[href*=colours]").getAttribute("href");

test("an email and a page follow accent, author and footer while they are typed, and nothing is saved", async () => {
  const page = await stage.open(path);
  const rule = accentIn(page, email);
  const button = stylesIn(page, archived);
  await eventually(rule, "#8a1c1c");
  await eventually(button, expect.stringContaining("8a1c1c"));
  await page.getByLabel("Accent colour", { exact: true }).fill("#1d4ed8");
  await eventually(rule, "#1d4ed8");
  await eventually(button, expect.stringContaining("1d4ed8"));
  expect(await page.getByLabel("Accent colour: choose").inputValue()).toBe("#1d4ed8");
  await page.getByLabel("Accent colour", { exact: true }).fill("#1d4e"); // not yet a colour
  await page.getByLabel("Author").fill("Noor Halvorsen");
  await page.getByLabel("Footer line").fill("Written in Ballstad.");
  await sample(page, email).getByText("Noor Halvorsen").waitFor();
  await sample(page, email).getByText("Written in Ballstad.").waitFor();
  await sample(page, archived).getByText("Noor Halvorsen").waitFor();
  await eventually(rule, "#8a1c1c");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto("/newsletter");
  const styles = await page.request.get("/assets/brand.css");
  expect(await styles.text()).toContain("#8a1c1c");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("a colour is picked, shown, saved, and still shown; Back leaves the page", async () => {
  const page = await stage.open("/dashboard/settings/site");
  await page.goto(path);
  await page.getByLabel("Accent colour: choose").fill("#2f6b3a");
  expect(await page.getByLabel("Accent colour", { exact: true }).inputValue()).toBe("#2f6b3a");
  const rule = accentIn(page, email);
  await eventually(rule, "#2f6b3a");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Brand details saved.").waitFor();
  await eventually(rule, "#2f6b3a");
  await page.goBack();
  await eventually(() => page.url(), expect.stringMatching(/\/settings\/site$/));
  await page.close();
});

test("by night both are dark; without a script they show what is saved", async () => {
  const page = await stage.open(path, { javaScriptEnabled: false });
  await set(stage.db, "brandAccent", "#74cbd4", { by: "cli" }, stage.now());
  await page.reload();
  await page.getByLabel("Dark").check();
  for (const [name, text] of [
    [email, ".sheet"],
    [archived, "main"],
  ] as const) {
    expect(await page.locator(`iframe[title="${name}"]`).isVisible()).toBe(false);
    await sample(page, `${name}, dark`).locator(text).waitFor();
  }
  const html = async (query: string) => (await page.request.get(`${path}/preview?${query}`)).text();
  expect(await html("as=email")).toContain("border-top:5px solid #74cbd4");
  for (const [query, media, name] of [
    ["", "not all", "day"],
    ["&night=1", "all", "night"],
  ]) {
    expect(await html(`as=email${query}`)).toContain(`@media ${media} {`);
    expect(await html(`as=page${query}`)).toContain(`class="${name}"`);
  }
  await page.close();
});

test("what is typed cannot break out of the preview, and a colour is a colour", async () => {
  const page = await stage.open(path);
  const get = async (query: string) => (await page.request.get(`${path}/${query}`)).text();
  const typed = new URLSearchParams({
    brandFooter: "<script>alert(1)</script>",
    brandAuthor: "<b>",
    brandAccent: "red}",
  });
  for (const as of ["email", "page"]) {
    const html = await get(`preview?as=${as}&${typed}`);
    expect(html).not.toMatch(/<script|<b>|red\}/);
  }
  expect(await get("colours?brandAccent=red}*{display:none")).not.toContain("display");
  expect(await get("colours?brandAccent=%23ffd84d")).toContain("background: #ffd84d; color: #000000");
  await page.close();
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as subscribers from "../../../db/newsletter/subscribers";
import { unsubscribeLink } from "../../../src/security/links";
import { describe } from "../../../db/storage/pictures";
import { store } from "../../support/storage/stored-files";
import { flaws } from "./axe";
import { fillDatabase } from "./fixtures";
import { openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await fillDatabase(stage);
});
afterAll(() => stage.close());

/** The dashboard in a browser without scripts. */
async function plain(path: string, run: (page: Page) => Promise<void>) {
  const page = await stage.open(path, { javaScriptEnabled: false });
  await run(page);
  await page.close();
}
const notice = (page: Page, words: string | RegExp) => page.locator("#toasts", { hasText: words }).waitFor();

test("no script runs in these tests, and the page knows that", () =>
  plain("/dashboard/newsletter", async (page) => {
    expect(await page.evaluate("matchMedia('(scripting: none)').matches")).toBe(true);
    expect(await page.evaluate("'htmx' in window")).toBe(false);
    expect(await page.evaluate("[...document.scripts].filter(({ src }) => src).length")).toBeGreaterThan(0);
  }));

test("a subscriber is found, opened, reactivated and deleted", () =>
  plain("/dashboard/newsletter", async (page) => {
    await page.fill("#q", "reader3@");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**q=reader3**");
    await page.getByRole("button", { name: "Actions for reader3@example.com" }).click();
    await page.getByRole("button", { name: "Reactivate", exact: true }).filter({ visible: true }).click();
    await notice(page, "reader3@example.com reactivated");
    await page.waitForURL("**q=reader3**");
    await page.getByRole("button", { name: "Actions for reader3@example.com" }).click();
    await page.getByRole("link", { name: "Delete…" }).filter({ visible: true }).click();
    await page.getByRole("button", { name: "Delete subscriber" }).click();
    await notice(page, "reader3@example.com deleted");
  }));

test("a selection is deleted after a question", () =>
  plain("/dashboard/newsletter?q=reader4", async (page) => {
    const boxes = page.locator("input[name=ids]");
    const count = await boxes.count();
    for (let i = 0; i < count; i++) await boxes.nth(i).check();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: `Delete ${count} subscribers` }).click();
    await notice(page, `${count} subscribers deleted`);
  }));

test("someone is added, after a mistake was pointed out", () =>
  plain("/dashboard/newsletter/new", async (page) => {
    await page.fill("#new-email", "reader5@example.com");
    await page.fill("#new-name", "Five");
    await page.getByRole("button", { name: "Add subscriber" }).click();
    await page.locator("#new-email-error", { hasText: "This address is already subscribed." }).waitFor();
    expect(await page.inputValue("#new-name")).toBe("Five");
    await page.fill("#new-email", "five@example.com");
    await page.getByRole("button", { name: "Add subscriber" }).click();
    await notice(page, "five@example.com added");
  }));

test("a file is imported: its columns are matched, consent is requested, and axe finds nothing on the way", async () => {
  for (const javaScriptEnabled of [false, true]) {
    const page = await stage.open("/dashboard/newsletter/import", { javaScriptEnabled });
    const fine = async (step: string) => javaScriptEnabled && expect([step, await flaws(page)]).toEqual([step, []]); // axe is a script
    const address = `scripted-${javaScriptEnabled}@example.com`;
    const rows = `Adresse;Vorname;Joined;Status\n${address};${"Ada ".repeat(20)};2025-01-31;subscribed\nno address;;;\n`;
    await page.locator("#file").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(rows) });
    await page.getByRole("button", { name: "Continue" }).click();
    const email = page.getByRole("combobox", { name: "Adresse" });
    expect(await email.inputValue()).toBe("email");
    await page.getByRole("combobox", { name: "Vorname" }).selectOption("First name");
    await fine("columns");
    await email.selectOption("Ignore");
    await page.getByRole("button", { name: "Review import" }).click();
    await page.getByText("Choose the column that has the email addresses.").waitFor();
    await fine("columns, refused");
    await email.selectOption("Email address");
    await page.getByRole("button", { name: "Review import" }).click();
    const agreed = page.getByRole("textbox", { name: "How did these people agree?" });
    await page.getByText("Refused lines", { exact: true }).click();
    await fine("review");
    await agreed.fill(" ".repeat(12));
    await page.getByRole("button", { name: "Import 1 subscriber" }).click();
    await page.getByText("Say in at least 10 characters how they agreed.").waitFor();
    await fine("review, refused");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download 1 refused line" }).click();
    expect((await download).suggestedFilename()).toStartWith("refused-lines-");
    await agreed.fill("They signed up at our fair");
    await page.getByRole("button", { name: "Import 1 subscriber" }).click();
    await page.getByText("1 subscriber imported.").waitFor();
    await fine("imported");
    const report = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download report" }).click();
    expect((await report).suggestedFilename()).toStartWith("import-report-");
    await page.goto(`/dashboard/newsletter?q=${address}`);
    await page.locator("tbody a.who").click();
    await page.getByText("They signed up at our fair").first().waitFor();
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.fill("#edit-name", "Ada Lovelace");
    await fine("edit");
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, `${address} saved`);
    await page.locator("#more-person").click();
    await page.getByRole("button", { name: "Unsubscribe", exact: true }).click();
    await notice(page, `${address} unsubscribed`);
    await fine("subscriber");
    await page.getByRole("button", { name: "Undo" }).click();
    await notice(page, `${address} reactivated`);
    await page.close();
  }
});

test("an API key is generated, shown once, and not made again by a reload", () =>
  plain("/dashboard/api-keys", async (page) => {
    await page.getByRole("link", { name: "Generate new key" }).click();
    await page.getByLabel("Name").fill("Without script");
    await page.getByRole("button", { name: /^Generate/ }).click();
    expect(await page.locator("#new-key").inputValue()).toMatch(/^site_live_[0-9a-f]{32}$/);
    await page.reload();
    await notice(page, "already shown");
    expect(await page.getByText("Without script").count()).toBe(1);
  }));

test("a message is read, moved to the trash and restored", () =>
  plain("/dashboard/contact", async (page) => {
    await page
      .getByRole("link", { name: /Hana Sato/ })
      .first()
      .click();
    await page.getByRole("button", { name: "More actions", exact: true }).first().click(); // a popover, which needs no script
    await page
      .getByRole("button", { name: /^(Delete|Move to trash)/ })
      .first()
      .click();
    await notice(page, /trash/i);
    await page.getByRole("button", { name: "Undo" }).click();
    await notice(page, /restored/);
    await page.goto("/dashboard/contact");
    await page
      .getByRole("link", { name: /Hana Sato/ })
      .first()
      .waitFor();
  }));

test("a quarantined message is released, and then all of them", () =>
  plain("/dashboard/contact?box=quarantine", async (page) => {
    await page.getByRole("link", { name: /Ida Berg/ }).click();
    await page.locator("#do-release").click();
    await notice(page, "Message from Ida Berg released to the inbox.");
    await page.goto("/dashboard/contact?box=quarantine");
    await page.getByRole("button", { name: "Release it" }).click();
    await notice(page, "Message from Milan Horvat released to the inbox.");
    await page.goto("/dashboard/contact?box=quarantine");
    await page.getByText("No messages in quarantine").waitFor();
  }));

test("a limit per hour is set, and a wrong one is explained", () =>
  plain("/dashboard/settings/limits", async (page) => {
    const save = () => page.locator("#save-limits").click();
    await page.getByLabel("New subscribers", { exact: true }).fill("many");
    await save();
    await page.getByText("Enter a whole number from 0 to 10,000.").waitFor();
    await page.getByLabel("New subscribers", { exact: true }).fill("2,500");
    await save();
    await notice(page, "Limits per hour saved.");
    await page.goto("/dashboard/settings/limits");
    expect(await page.getByLabel("New subscribers", { exact: true }).inputValue()).toBe("2500");
  }));

test("a setting is saved", () =>
  plain("/dashboard/settings", async (page) => {
    await page.getByLabel("Title", { exact: true }).fill("The Harbour Log");
    await page
      .locator("form", { has: page.getByLabel("Title", { exact: true }) })
      .getByRole("button", { name: /^Save/ })
      .click();
    await notice(page, /saved/i);
    await page.goto("/dashboard/settings");
    expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("The Harbour Log");
  }));

test("the words of the welcome email are previewed beside the form, saved and reset", () =>
  plain("/dashboard/settings/welcome", async (page) => {
    const text = page.getByLabel("Text", { exact: true });
    await text.fill('Hello {name, "friend"}, **thanks** for joining.');
    await page.getByRole("button", { name: "Preview" }).click();
    await page.frameLocator("iframe").locator("p", { hasText: "Hello friend, thanks for joining." }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Welcome email saved.");
    await page.getByRole("link", { name: "Reset…" }).click();
    await page.getByRole("button", { name: "Reset" }).click();
    await notice(page, "Welcome email reset to the default.");
    expect(await text.inputValue()).toContain("Thank you for subscribing to");
  }));

test("a picture is chosen for each field that takes one, and what was typed is kept", async () => {
  const [id = ""] = await store(stage, { filename: "pier.png", mimeType: "image/png" });
  await describe(stage.db, id, { alt: "A [long] pier", focus: { x: 50, y: 50 } }, { actor: "cli" }, new Date());
  const url = `/media/${id}/pier.png`;
  const source = `![A \\[long\\] pier](${url})\n`;
  const choose = async (page: Page, nth = 0) => {
    await page.getByRole("button", { name: "Choose a picture…" }).nth(nth).click();
    await page.getByRole("searchbox", { name: "Search pictures" }).fill("nothing like it");
    await page.keyboard.press("Enter");
    await page.getByText("No pictures match “nothing like it”.").waitFor();
    await page.getByRole("searchbox", { name: "Search pictures" }).fill("LONG");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("button", { name: /^Use pier\.png/ }).click();
  };
  await plain("/dashboard/posts/new", async (page) => {
    await page.getByLabel("Title", { exact: true }).fill("From “a” <form>");
    await page.locator("#content").fill("\nTwo\n\nlines");
    await choose(page);
    expect(await page.locator("#content").inputValue()).toBe(`\nTwo\n\nlines\n\n${source}`);
    await choose(page, 1);
    expect(await page.locator("#cover-image").inputValue()).toBe(url);
    expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("From “a” <form>");
    await page.locator("#slug").press("Enter");
    await notice(page, "Draft saved.");
    await page.getByRole("button", { name: "Choose a picture…" }).first().click();
    await page.getByRole("button", { name: "Back without a picture" }).click();
    expect(await page.locator("#content").inputValue()).toBe(`\nTwo\n\nlines\n\n${source}`);
  });
  await plain("/dashboard/projects/new", async (page) => {
    await page.getByLabel("Title", { exact: true }).fill("Pier");
    await page.getByLabel("Featured").check();
    await choose(page);
    await choose(page, 1);
    expect(await page.locator("#project-description").inputValue()).toBe(source);
    expect(await page.locator("#project-imageUrl").inputValue()).toBe(url);
    expect(await page.getByLabel("Featured").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create project" }).click();
    await notice(page, "“Pier” created.");
  });
  await plain("/dashboard/settings/welcome", async (page) => {
    await page.getByLabel("Text", { exact: true }).fill("Hello");
    await choose(page);
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(`Hello\n\n${source}`);
    await page.getByRole("button", { name: "Save" }).click();
    await notice(page, "Welcome email saved.");
  });
  const { headers } = await stage.owner.submit("/dashboard/broadcasts/new", {});
  await plain(headers.get("location") ?? "", async (page) => {
    await page.locator("#subject").fill("A pier");
    await page.locator("#content").fill("Hello");
    await choose(page);
    expect(await page.locator("#content").inputValue()).toBe(`Hello\n\n${source}`);
    expect(await page.locator("#subject").inputValue()).toBe("A pier");
  });
});

test("someone unsubscribes with the link in the email, and subscribes again", async () => {
  const email = "reader2@example.org";
  const page = await (await stage.visitor({ javaScriptEnabled: false })).newPage();
  await page.goto(unsubscribeLink(stage.config, email));
  await page.locator("h1", { hasText: /^You’re unsubscribed$/ }).waitFor();
  await page.getByRole("button", { name: "Subscribe again" }).click();
  await page.locator("h1", { hasText: /^You’re subscribed again$/ }).waitFor();
  expect(await subscribers.byEmail(stage.db, email)).toMatchObject({ state: "active" });
  await page.close();
});

test("the menu of a small screen opens", async () => {
  const page = await stage.open("/dashboard", { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.waitForURL("**/dashboard/settings/site");
  await page.close();
});

test("a key, a counter or a button that only a script handles is not shown", async () => {
  const paths = ["newsletter", "contact", "search?q=sett", "posts"].map((path) => `/dashboard/${path}`);
  const shown = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("kbd, [data-of], #word-count, [data-dismiss-toast], .menu [href$='/shortcuts']")]
      .filter((each) => each.checkVisibility()).map((each) => each.outerHTML)`);
  for (const path of paths) await plain(path, async (page) => expect([path, await shown(page)]).toEqual([path, []]));
  await plain("/dashboard/search?q=new+broadcast", async (page) => {
    await page.getByRole("button", { name: "New broadcast" }).click();
    await page.locator("#subject").waitFor();
    expect(await shown(page)).toEqual([]);
  });
});

test("a notice is above what it is about and covers nothing, on a phone too", async () => {
  for (const width of [1280, 390])
    await plain("/dashboard/contact", async (page) => {
      await page.setViewportSize({ width, height: 844 });
      await page
        .getByRole("link", { name: /Hana Sato/ })
        .first()
        .click();
      await page.locator("#reply-text").fill("Dear Hana");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await notice(page, "Reply to Hana Sato");
      await page.waitForLoadState(); // with its styles
      const [said, main] = [await page.locator("#toasts").boundingBox(), await page.locator("#main").boundingBox()];
      expect([width, said && main && said.y >= 0 && said.y + said.height < main.y + 1]).toEqual([width, true]);
      expect(await page.getByRole("button", { name: "Dismiss" }).count()).toBe(0);
    });
});

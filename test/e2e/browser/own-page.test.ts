import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { addTopic } from "../../../db/newsletter/topics";
import { preferencesLink } from "../../../src/security/links";
import { days, startedSequence } from "../../support/broadcasts/sequences";
import { flaws } from "./axe";
import { eventually, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const email = "reader@example.com";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  for (const [name, sentence] of [
    ["Field notes", "Tides, rain and old instruments. Twice a month."],
    ["Workshops", "When there is a seat somewhere. Four times a year."],
    ["Releases", ""],
  ] as const)
    await addTopic(stage.db, { name, sentence, isDefault: false }, { actor: "cli" }, stage.now());
  await stage.post("/api/newsletter/subscribe", { email, language: "es", topics: ["field-notes", "workshops"] });
});
afterAll(() => stage.close());

test("someone drops a topic, takes a break and leaves, without a script, in both themes and widths", async () => {
  const found: string[] = [];
  const person = () => subscribers.byEmail(stage.db, email);
  const link = preferencesLink(stage.config, email);
  const eyes = await (await stage.visitor()).newPage(); // with scripts, which axe needs
  const page = await (await stage.visitor({ javaScriptEnabled: false })).newPage();
  const check = async () => {
    await eyes.goto(page.url());
    found.push(...(await flaws(eyes)));
  };
  await startedSequence(stage.db, stage.now(), { waits: [days(1, 540)] }); // 9:00 where they live
  await page.goto(link);
  await check();
  await page.getByRole("heading", { name: "Tu boletín" }).waitFor();
  await page.getByLabel("Workshops").uncheck();
  await page.getByLabel("Idioma").selectOption("en");
  await page.getByLabel("Zona horaria").selectOption({ label: "Santiago" });
  await page.getByRole("button", { name: "Guardar" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await page.getByLabel("Time zone").inputValue()).toBe("America/Santiago");
  expect(await page.getByLabel("Workshops").isChecked()).toBe(false);
  expect(await page.getByLabel("Field notes").isChecked()).toBe(true);

  await page.getByRole("button", { name: "2 months" }).click();
  await page.getByRole("button", { name: "End the break" }).waitFor();
  await check();
  expect((await person())?.pausedUntil).toBeDate();
  await page.getByRole("button", { name: "Unsubscribe from everything" }).click();
  await page.getByRole("heading", { name: "You’re not subscribed" }).waitFor();
  await check();
  expect(await person()).toMatchObject({ state: "unsubscribed", language: "en" });
  expect(found).toEqual([]);
  expect(stage.complaints).toEqual([]);
});

test("a manager adds a topic and a field, and finds them with the person, in both themes and widths", async () => {
  const found: string[] = [];
  const page = await stage.open("/dashboard/newsletter/topics");
  await page.getByRole("link", { name: "Add topic" }).click();
  await page.getByLabel("Name").fill("Letters from the road");
  await page.getByRole("dialog").getByRole("button", { name: "Add topic" }).click();
  await page.getByText("Topic “Letters from the road” saved.").waitFor();
  found.push(...(await flaws(page)));
  await page.goto(`${stage.config.BASE_URL}/dashboard/newsletter/fields`);
  await page.getByRole("link", { name: "Add field" }).click();
  await page.getByLabel("Name").fill("City");
  await page.getByLabel("Key").fill("city");
  await page.getByRole("dialog").getByRole("button", { name: "Add field" }).click();
  await page.getByText("Field “City” added.").waitFor();
  found.push(...(await flaws(page)));
  const { id } = (await subscribers.byEmail(stage.db, email)) ?? { id: "" };
  await page.goto(`${stage.config.BASE_URL}/dashboard/newsletter/${id}`);
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  found.push(...(await flaws(page)));
  await page.getByRole("link", { name: "Edit tags" }).click();
  await page.getByRole("dialog").getByLabel("Tags (optional)").fill("sailor");
  await page.getByRole("dialog").getByLabel("City (optional)").fill("Porto");
  await page.getByRole("dialog").getByLabel("Letters from the road").check();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Porto", { exact: true }).waitFor();
  await page.getByRole("link", { name: "sailor" }).waitFor();
  expect(found).toEqual([]);
  expect(stage.complaints).toEqual([]);
});

test("who is looked up on People’s data is shown where all of it can be exported and erased", async () => {
  const page = await stage.open("/dashboard/people", { viewport: { width: 390, height: 600 } });
  for (const known of [email, "who.only@wrote.example"]) {
    await page.getByLabel("Email address").fill(known);
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("heading", { name: "Stored data" }).waitFor();
    const isInSight = async () => {
      const { y = -1 } = (await page.locator("#erase-person").boundingBox()) ?? {};
      return y >= 0 && y < 560;
    };
    await eventually(isInSight, true);
    await page.goto("/dashboard/people");
  }
  await page.close();
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { pauseAutomatically } from "../../../db/broadcasts/sending/promote";
import { startedSequence } from "../../support/broadcasts/sequences";
import { flaws } from "./axe";
import { openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

test("a manager makes a sequence of two emails, writes them and starts it, in both themes and widths", async () => {
  const found: string[] = [];
  const page = await stage.open("/dashboard/sequences");
  const check = async () => void found.push(...(await flaws(page)));
  await check();
  await page.getByRole("link", { name: "New sequence" }).click();
  await page.getByLabel("Name").fill("A course in tides");
  await check();
  await page.getByRole("button", { name: "Create sequence" }).click();
  for (const [at, subject] of ["The first tide", "The second tide"].entries()) {
    await page.getByRole("link", { name: "Add email" }).click();
    await page.getByLabel("Subject").fill(subject);
    await page.getByLabel("Wait").fill(String(at * 2));
    if (at) await page.getByLabel("At (optional)").fill("9:00");
    if (at) await check();
    await page.getByRole("dialog").getByRole("button", { name: "Add email" }).click();
    await page.getByRole("heading", { name: subject }).waitFor();
    await page.getByRole("textbox", { name: "Text" }).fill("Look at the **moon**.");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText(/^Saved \d/).waitFor();
    if (at) await check();
    await page.getByRole("link", { name: "Back to the sequence" }).click();
    await page.getByRole("link", { name: subject, exact: true }).waitFor();
  }
  await check();
  await page.getByRole("link", { name: "Review and start…" }).click();
  await page.getByRole("button", { name: "Start sequence" }).waitFor();
  await check();
  await page.getByRole("button", { name: "Start sequence" }).click();
  await page.getByText("Sequence “A course in tides” started.").waitFor();
  await stage.post("/api/newsletter/subscribe", { email: "ada@example.com" });
  await page.reload();
  await page.getByText("Immediately", { exact: true }).waitFor();
  await check();
  await page.getByRole("link", { name: "The first tide", exact: true }).click();
  await page.getByText("An email of the sequence").waitFor();
  await check();
  await page.goBack();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused by a manager.").waitFor();
  await check();
  await page.getByRole("button", { name: "More actions for this sequence" }).click();
  await page.getByRole("link", { name: "Change…", exact: true }).click();
  await page.getByLabel("Name").fill("A course in waves");
  await check();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "A course in waves" }).waitFor();
  await page.getByRole("button", { name: "Edit emails" }).click();
  await page.getByRole("heading", { name: "New version" }).waitFor();
  await check();
  await page.getByRole("link", { name: "Review and publish…" }).click();
  await page.getByRole("button", { name: "Publish new version" }).waitFor();
  await check();
  await page.getByRole("button", { name: "Publish new version" }).click();
  await page.getByText("New version published.").waitFor();
  await check();
  expect(found).toEqual([]);
  expect(stage.complaints).toEqual([]);
});

test("on a phone, each email of a sequence says who waits for it in a line of its own", async () => {
  const { id } = await startedSequence(stage.db, stage.now(), { name: "On a phone" });
  const page = await stage.open(`/dashboard/sequences/${id}`);
  await page.setViewportSize({ width: 390, height: 844 });
  const email = page.locator(".flow > li").first();
  const boxes = await Promise.all([".wait", ".email"].map((part) => email.locator(part).boundingBox()));
  const [wait, card] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  expect([wait, card].map((box) => (box?.width ?? 0) > 300)).toEqual([true, true]);
  const end = (wait?.y ?? 0) + (wait?.height ?? 0);
  expect((card?.y ?? 0) + 0.001).toBeGreaterThanOrEqual(end); // who waits, and then for what; Firefox is 1/60,000 px less exact
  await page.close();
});

test("a new sequence asks which tag or topic begins it once one does", async () => {
  const page = await stage.open("/dashboard/sequences/new");
  const [tag, topic, again] = ["tag", "topic", "again"].map((name) => page.locator(`[name="${name}"]`));
  const seen = () => Promise.all([tag, topic, again].map((field) => field?.isVisible()));
  expect(await seen()).toEqual([false, false, false]);
  await page.getByLabel("Begins when").selectOption("Someone gets a tag");
  expect(await seen()).toEqual([true, false, true]);
  await page.getByLabel("Begins when").selectOption("Someone chooses a topic");
  expect(await seen()).toEqual([false, true, true]);
  await page.close();
});

test("the actions of an email that is not sent yet stand beside it, on a desk and on a phone", async () => {
  const { id } = await startedSequence(stage.db, stage.now(), { name: "Beside" });
  const page = await stage.open(`/dashboard/sequences/${id}`);
  await page.getByRole("button", { name: "Edit emails" }).click();
  const row = page.locator("tbody tr", { hasText: "Email 1" });
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const boxes = await Promise.all([".main", ".acts"].map((part) => row.locator(part).boundingBox()));
    const [main, acts] = boxes.map((box) => box ?? { y: 0, height: 0 });
    expect(acts?.y ?? 0).toBeLessThan((main?.y ?? 0) + (main?.height ?? 0));
  }
  await page.close();
});

test("a sequence that paused by itself says why, and is resumed, without a script", async () => {
  const { db, now } = stage;
  const { id, emails } = await startedSequence(db, now(), { name: "Without a script" });
  await pauseAutomatically(db, emails[0] ?? "", { reason: "complaints", notify: undefined }, now());
  const page = await stage.open(`/dashboard/sequences/${id}`, { javaScriptEnabled: false });
  await page.getByText("Too many recipients reported it as spam.").waitFor();
  await page.getByLabel("I have looked at it").check();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await stage.post("/api/newsletter/subscribe", { email: "bob@example.com" });
  await page.getByRole("button", { name: "Edit emails" }).click();
  await page.getByRole("button", { name: "Actions for Email 1" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).filter({ visible: true }).click();
  await page.getByRole("link", { name: "Review and publish…" }).click();
  await page.getByLabel("Goes on with the new one").check();
  await page.getByRole("button", { name: "Publish new version" }).click();
  await page.getByText("New version published.").waitFor();
  await page.getByRole("button", { name: "More actions for this sequence" }).click();
  await page.getByRole("link", { name: "End…" }).click();
  await page.getByRole("button", { name: "End sequence" }).click();
  await page.getByText("Ended", { exact: true }).waitFor();
});

import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as subscribers from "../../../db/newsletter/subscribers";
import { writeEmails } from "../../../src/broadcasts/letter/emails";
import { Sender } from "../../../src/broadcasts/sender";
import { unsubscribeLink } from "../../../src/security/links";
import { openCourse, placesIn } from "../../support/broadcasts/sequences";
import { listOf } from "../../support/lists/programs";
import { look } from "../../support/look";
import { fakeProvider } from "../../support/mail";
import { startWorker } from "../../support/outbox";
import { eventually, openStage, type Stage } from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

/* What the audience is for, as people live it, in clicks. Each begins with a new site, because days pass. */

const day = 86_400_000;
let stage: Stage;
let provider: Awaited<ReturnType<typeof fakeProvider>>;
beforeEach(async () => {
  provider = await fakeProvider({ now: () => stage.now() });
  stage = await openStage({ env: provider.env });
});
afterEach(async () => {
  await stage.close();
  provider.stop();
});

/** The form of someone’s own site, which here has the service’s origin. */
const signUpForm = (action: string) => `<!doctype html><html lang="es"><title>El diario</title>
  <form method="post" action="${action}">
    <label>Correo <input type="email" name="email" required></label>
    <input type="hidden" name="language" value="es"><input type="hidden" name="topics" value="">
    <label><input type="checkbox" name="topics" value="field-notes"> Notas de campo</label>
    <label><input type="checkbox" name="topics" value="workshops"> Talleres</label>
    <button>Suscribirme</button>
  </form></html>`;

/** The people in the list that the page shows. */
const listed = (page: Page, words: RegExp) => page.locator(".found", { hasText: words }).waitFor();

/** Filters the list of subscribers by one condition on a tag. */
async function filterByTag(page: Page, tag: string) {
  await page.goto("/dashboard/newsletter");
  await page.locator("#filter-button").click();
  await page.locator("#w-0-field").selectOption("tag");
  await page.getByRole("checkbox", { name: tag, exact: true }).check();
  await page.getByRole("button", { name: "Show these people" }).click();
  await page.locator("#sentence").waitFor();
}

test("someone signs up in Spanish, confirms, gets a sequence, drops a topic, takes a break and leaves, by the links of the emails", async () => {
  const { config, db, deps } = stage;
  const email = "ada@reader.example";
  await openCourse({ config, db }, stage.now());
  const worker = startWorker(deps, { everyMs: 1e9 });
  const sender = new Sender(deps, { write: writeEmails });
  const later = async (ms: number) => {
    stage.clock.time += ms;
    await worker.drain();
    await sender.drain();
  };
  const inbox = () => provider.delivered().filter(({ to }) => to.includes(email));
  const letters = () => inbox().filter(({ subject }) => ["First", "Second", "Third"].includes(subject));
  const subjects = () => letters().map(({ subject }) => subject);
  const page = await (await stage.visitor({ locale: "es-ES" })).newPage();
  const open = async (letter = "") => {
    await page.goto("about:blank"); // an email has no policy, and its styles are inline
    await page.setContent(letter);
  };

  const form = `${config.BASE_URL}/diario`;
  await page.route(form, (route) =>
    route.fulfill({ contentType: "text/html", body: signUpForm("/newsletter/subscribe") }),
  );
  await page.goto(form);
  await page.getByLabel("Correo").fill(email);
  await page.getByLabel("Notas de campo").check();
  await page.getByLabel("Talleres").check();
  await page.getByRole("button", { name: "Suscribirme" }).click();
  await page.getByRole("heading", { name: "Revisa tu bandeja de entrada" }).waitFor();
  await later(0);
  expect(inbox()).toHaveLength(1);
  await open(inbox()[0]?.html);
  await page.getByRole("link", { name: "Confirmar suscripción" }).click();
  await page.getByRole("button", { name: "Confirmar suscripción" }).click();
  await page.waitForURL(/confirm/);
  await eventually(async () => (await subscribers.byEmail(db, email))?.pendingAt, null);
  await later(0);
  expect(subjects()).toEqual(["First"]);

  await open(letters()[0]?.html);
  await page.getByText("Hola amiga.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Preferencias" }).click();
  await page.getByRole("heading", { name: "Tu boletín" }).waitFor();
  await page.getByLabel("Workshops").uncheck();
  await page.getByLabel("Tu nombre").fill("Ada");
  await page.getByRole("button", { name: "Guardar" }).click();
  await page.getByText("Guardado.").first().waitFor();
  await later(day);
  expect(subjects()).toEqual(["First", "Second"]);
  await open(letters()[1]?.html);
  await page.getByText("Hola Ada.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Preferencias" }).click();
  expect(await page.getByLabel("Workshops").isChecked()).toBe(false);
  await page.getByRole("button", { name: "1 mes" }).click();
  await page.getByText("Tu suscripción está en pausa.").first().waitFor();
  await later(3 * day);
  expect(subjects()).toEqual(["First", "Second"]);
  await page.getByRole("button", { name: "Terminar la pausa" }).click();
  await page.getByText("Tu pausa ha terminado.").first().waitFor();
  await later(0);
  expect(subjects()).toEqual(["First", "Second", "Third"]);
  await page.getByRole("button", { name: "Darse de baja de todo" }).click();
  await page.getByRole("heading", { name: "No recibes el boletín" }).waitFor();
  await later(30 * day);
  expect(subjects()).toHaveLength(3);
  expect(await placesIn(db)).toEqual({ [email]: "done" });

  expect(await subscribers.byEmail(db, email)).toMatchObject({ state: "unsubscribed", language: "es", name: "Ada" });
  await Promise.all([worker.close(), sender.close()]);
  expect(stage.complaints).toEqual([]);
});

test("a manager makes a key for the shop, its program sends 60 customers while half leave, and the list is right", async () => {
  const page = await stage.open("/dashboard/api-keys");
  await page.locator("#generate").click();
  await page.locator("#f-name").fill("Shop");
  const ticked = page.locator("#f-scopes input:checked");
  while (await ticked.count()) await ticked.first().uncheck();
  await page.getByRole("checkbox", { name: "newsletter:write" }).check();
  await page.locator("#dialog button[type=submit]").click();
  const key = await page.locator("#new-key").inputValue();
  const consent = { how: "Box ticked at checkout", at: "2026-11-20T10:00:00Z" };
  const emails = Array.from({ length: 60 }, (_, n) => `customer${n}@shop.example`);
  const send = async () => {
    const people = emails.map((email) => ({ email, tags: ["customer"], consent }));
    const answer = await stage.post("/api/v1/subscribers/batch", { subscribers: people }, { "x-api-key": key });
    const { data } = (await answer.json()) as { data: { results: { result: string }[] } };
    return Map.groupBy(data.results, ({ result }) => result);
  };
  expect((await send()).get("created")).toHaveLength(60);
  const [first = "", ...others] = emails.filter((_, n) => n % 2 === 0);
  const reader = await (await stage.visitor()).newPage();
  await reader.goto(unsubscribeLink(stage.config, first));
  await reader.getByRole("heading", { name: /unsubscribed/i }).waitFor();
  const leaveAll = async () => {
    for (const email of others) await stage.send(unsubscribeLink(stage.config, email), { method: "POST" });
  };
  await Promise.all([send(), leaveAll()]);
  const again = await send();
  expect([again.get("left")?.length, again.get("known")?.length]).toEqual([30, 30]);

  await filterByTag(page, "customer");
  await listed(page, /^60 subscribers$/);
  await page.goto(`/dashboard/newsletter?q=${first}`);
  await page.getByRole("link", { name: first, exact: true }).click();
  await page.getByText("Box ticked at checkout").first().waitFor();
  await page.getByText("Unsubscribed").first().waitFor();
  expect(stage.complaints).toEqual([]);
});

test("a manager moves here from Mailchimp: names, tags and who left are as they were there", async () => {
  const page = await stage.open("/dashboard/newsletter");
  const { name, text, people } = listOf("mailchimp", 40, (date) => date.toISOString());
  await page.goto("/dashboard/newsletter/import");
  await page.locator("#file").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.getByRole("button", { name: "Continue" }).click();
  expect(await page.getByRole("combobox", { name: "TAGS", exact: true }).inputValue()).toBe("tags");
  await page.getByRole("button", { name: "Review import" }).click();
  await page.getByText("Editors, VIP").first().waitFor();
  await page.getByRole("textbox", { name: "How did these people agree?" }).fill("Signed up at Mailchimp");
  await page.getByRole("button", { name: /^Import \d+ subscribers$/ }).click();
  await page.getByText(/\d+ subscribers imported/).waitFor();

  const vips = people.filter(({ n }) => n % 3 === 0);
  await filterByTag(page, "VIP");
  await listed(page, new RegExp(`^${vips.length} subscribers$`));
  const left = people.filter(({ truth }) => truth === "left").map(({ email }) => email);
  const stored = await look<{ email: string }>(
    stage.db,
    "select email from subscribers where state = 'unsubscribed' and email like 'reader%'",
  );
  expect(stored.map(({ email }) => email).sort()).toEqual(left.toSorted());
  const [person] = vips;
  await page.goto(`/dashboard/newsletter?q=${person?.email}`);
  await page.locator("tbody a.who").click();
  await page.getByRole("heading", { name: `${person?.first} ${person?.last}` }).waitFor();
  await page.getByText("Signed up at Mailchimp").first().waitFor();
  expect(stage.complaints).toEqual([]);
});

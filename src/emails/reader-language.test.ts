import { expect, test } from "bun:test";
import type { Mail } from "../../db/mail/outbox";
import * as subscribers from "../../db/newsletter/subscribers";
import { addTopic } from "../../db/newsletter/topics";
import { languages } from "../../db/settings/rules";
import { cleanUp } from "../../db/ops/cleanup";
import { look } from "../../test/support/look";
import { nextPeer, testService } from "../../test/support/service";
import { set } from "../../test/support/settings";
import { confirmLink, preferencesLink, recordLink, unsubscribeLink } from "../security/links";
import { compose } from "./compose";

const email = "ada@reader.example";
const path = "/api/newsletter/subscribe";

/** A German site, and what one of its readers gets. */
async function germanSite(settings: Record<string, string> = {}) {
  const service = await testService({ BASE_URL: "https://site.example" });
  const { config, db, now, get, send } = service;
  for (const [key, value] of Object.entries({ language: "de", ...settings }))
    await set(db, key, value, { by: "cli" }, now());
  const mail = async (kind: Mail["kind"]) => {
    const row = { kind, recipient: email, subjectId: null, payload: {}, createdAt: now() } as unknown as Mail;
    return compose({ config, db }, row);
  };
  const text = async (url: string, headers: Record<string, string> = {}) => (await get(url, headers)).text();
  const press = async (url: string) => (await send(url, { method: "POST" }, nextPeer())).text();
  const language = async () => (await subscribers.byEmail(db, email))?.language;
  return { ...service, mail, text, press, language };
}

test("someone who subscribes in Spanish on a German site confirms, is welcomed and leaves in Spanish", async () => {
  const { config, db, post, mail, text, press, clock } = await germanSite({ doubleOptIn: "true" });
  expect((await post(path, { email, language: "es-MX" })).status).toBe(201);
  const asked = await mail("confirm");
  expect([asked?.subject, asked?.html.includes('<html lang="es">')]).toEqual([
    "Confirma tu suscripción a site.example",
    true,
  ]);

  const askedAt = (await subscribers.byEmail(db, email))?.pendingAt ?? new Date(0);
  const confirm = confirmLink(config, email, askedAt);
  expect(await text(confirm)).toContain('<html lang="es">');
  clock.time += 8 * 86_400_000;
  expect(await text(confirm)).toContain('<html lang="es">'); // expired
  expect(await press(confirm)).toContain('<html lang="es">');
  expect(await press(confirm.replace("/confirm?", "/confirm-again?"))).toContain('<html lang="es">');

  const welcome = await mail("welcome");
  expect([welcome?.html, welcome?.text]).toEqual([
    expect.stringContaining('<html lang="es">'),
    expect.stringContaining("Gracias por suscribirte"),
  ]);
  const leave = unsubscribeLink(config, email);
  const again = leave.replace("/unsubscribe?", "/subscribe-again?");
  expect(await text(leave, { "sec-purpose": "prefetch" })).toContain('<html lang="es">');
  for (const url of [leave, leave, again]) expect(await text(url)).toContain('<html lang="es">');
  await press(again);
  expect(await text(again)).toContain('<html lang="es">');
});

test("without a valid token, no page tells in which language someone reads", async () => {
  const { config, post, text } = await germanSite();
  await post(path, { email, language: "es" });
  const wrong = (url: string) => url.replace(/(token=.{12}).{4}/, "$1AAAA");
  for (const link of [unsubscribeLink(config, email), confirmLink(config, email, new Date(1))]) {
    const page = await text(wrong(link));
    expect(page).toContain('<html lang="de">');
    expect(page).toBe(await text(wrong(link).replace("ada", "eve")));
  }
});

test("a language that the product does not have is ignored, and an absent one is the site's", async () => {
  const { post, mail, language } = await germanSite();
  for (const given of ["it", "Klingon", "", null]) {
    expect((await post(path, { email, language: given })).status).toBeLessThan(300);
    expect(await language()).toBeNull();
  }
  expect((await mail("welcome"))?.html).toContain('<html lang="de">');
  expect((await post(path, { email: "eve@reader.example", language: "x".repeat(36) })).status).toBe(400);
  expect((await post(path, { email: "eve@reader.example", language: 7 })).status).toBe(400);
});

test("no one changes the language of an active address by subscribing it; who comes back may add one that was unknown", async () => {
  const { config, post, get, language } = await germanSite();
  await post(path, { email });
  await post(path, { email, language: "fr" });
  expect(await language()).toBeNull();
  await get(unsubscribeLink(config, email));
  await post(path, { email, language: "fr" });
  expect(await language()).toBe("fr");
  await get(unsubscribeLink(config, email));
  await post(path, { email, language: "nl" });
  expect(await language()).toBe("fr");
});

test("a welcome email in the managers' words is marked as theirs, within what is the reader's", async () => {
  const { db, now, post, mail } = await germanSite();
  await set(db, "welcomeText", "Schön, dass Sie da sind.", { by: "cli" }, now());
  await post(path, { email, language: "fr" });
  expect((await mail("welcome"))?.html).toMatch(
    /<html lang="fr">.*<div lang="de">.*Schön, dass Sie da sind\..*Se désabonner/s,
  );
});

test("managers see and change the language, find people by it, and the change is on the timeline for two years", async () => {
  const { db, clock, now, post, signIn, language } = await germanSite();
  await post(path, { email });
  await post(path, { email: "eve@reader.example", language: "nl" });
  const { manager, ...browser } = await signIn();
  const id = (await subscribers.byEmail(db, email))?.id ?? "";
  const page = `/dashboard/newsletter/${id}`;
  expect(await (await browser.get(`${page}/edit`)).text()).toContain(
    '<option value="" selected>Same as the site</option>',
  );
  clock.time += 1_000;
  await browser.submit(`${page}/edit`, { name: "", source: "", language: "es" });
  expect(await language()).toBe("es");
  const shown = await (await browser.get(page)).text();
  expect(shown).toContain("<dt>Language</dt><dd><span>Español (Spanish)</span></dd>");
  expect(shown).toContain(`Language set to Español (Spanish) by ${manager.name}`);
  const listed = async (query: string) =>
    [...(await (await browser.get(`/dashboard/newsletter${query}`)).text()).matchAll(/class="who"[^>]*>([^<]+)</g)].map(
      ([, address]) => address,
    );
  expect(await listed("?language=es")).toEqual([email]);
  expect(await listed("?language=nl&status=active")).toEqual(["eve@reader.example"]);
  expect(await listed("?language=fr")).toEqual([]);
  expect(await listed("?language=tlh")).toHaveLength(2);

  await browser.submit(`${page}/edit`, { name: "", source: "", language: "" });
  expect(await language()).toBeNull();
  expect(await (await browser.get(page)).text()).toContain(`Language set to that of the site by ${manager.name}`);
  const kinds = () => look<{ kind: string }>(db, "select kind from subscriber_events order by created_at, id");
  expect((await kinds()).map(({ kind }) => kind)).toEqual(["subscribed", "subscribed", "changed", "changed"]);
  await cleanUp(db, new Date(now().getTime() + 730 * 86_400_000));
  expect(await kinds()).toHaveLength(4);
  await cleanUp(db, new Date(now().getTime() + 732 * 86_400_000));
  expect((await kinds()).map(({ kind }) => kind)).toEqual(["subscribed", "subscribed"]);
});

/** Everything that someone who reads this language sees from their links, and the emails they get, by what they did. */
async function seenIn(language: string): Promise<Map<string, string>> {
  const { config, db, get, mail, now, clock, post, send } = await germanSite({ language: "en" });
  for (const name of ["Qqq", "Www"])
    await addTopic(db, { name, sentence: "", isDefault: false }, { actor: "cli" }, now());
  await post(path, { email, language, topics: ["qqq", "www"] });
  const seen = new Map<string, string>();
  const see = async (what: string, url: string, fields?: Record<string, string>) => {
    const form = fields && { method: "POST", body: new URLSearchParams(fields) };
    const sent = form ? await send(url, form, nextPeer()) : await get(url);
    const to = sent.headers.get("location");
    seen.set(what, await (to ? await get(to) : sent).text());
  };
  const [own, record] = [preferencesLink(config, email), recordLink(config, email, now())];
  await see("the page of one’s own", own);
  const choices = { offered: "qqq,www", topics: "qqq", language, name: "" };
  for (const does of ["save", "pause", "resume", "record", "record", "record", "record"])
    await see(`${does} on it`, own, { ...choices, do: does, months: "2" });
  for (const kind of ["record", "welcome"] as const) {
    const written = await mail(kind);
    seen.set(`the email “${kind}”`, written?.html ?? "");
    seen.set(`the text of the email “${kind}”`, `${written?.subject}\n${written?.text}`);
  }
  clock.time += 7_200_000;
  await see("what is stored, too late", record);
  for (let i = 0; i < 20; i++) await get(record);
  await see("what is stored, too often", record);
  const leave = unsubscribeLink(config, email);
  const [topic, again] = ["leave", "subscribe-again"].map((to) => leave.replace("/unsubscribe?", `/${to}?`));
  await see("leaving a topic", `${topic}&topic=qqq`);
  await see("leaving", leave);
  await see("leaving once more", leave);
  await see("the page of one’s own after that", own);
  await see("coming back", again ?? "");
  await see("being back", again ?? "", {});
  return seen;
}

/** What people read: texts of at least two words. */
const phrasesIn = (html: string) =>
  html
    .replace(/<(style|script|head)[^]*?<\/\1>/g, "")
    .split(/<[^>]+>|\n/)
    .map((text) => text.trim())
    .filter((text) => /\p{L}+\s+\p{L}+/u.test(text));

test("whatever someone sees from their links is wholly in their language, in each of the six", async () => {
  const english = await seenIn("en");
  for (const language of languages.filter((one) => one !== "en"))
    for (const [what, page] of await seenIn(language)) {
      const inEnglish = new Set(phrasesIn(english.get(what) ?? ""));
      const untranslated = phrasesIn(page).filter((text) => inEnglish.has(text));
      const stated = /<html lang="([a-z]{2})/.exec(page)?.[1] ?? language;
      expect([what, stated, untranslated, phrasesIn(page).length > 0]).toEqual([what, language, [], true]);
    }
});

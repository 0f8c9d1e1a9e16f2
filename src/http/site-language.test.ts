import { expect, test } from "bun:test";
import { withContent } from "../../db/broadcasts/broadcasts";
import { create } from "../../db/broadcasts/edit";
import { assignSlug, confirm } from "../../db/broadcasts/states";
import { set } from "../../test/support/settings";
import { look } from "../../test/support/look";
import { nextPeer, testService } from "../../test/support/service";
import { writeBroadcast } from "../broadcasts/freeze";
import { unsubscribeLink } from "../security/links";

const ada = "ada@reader.example";

async function speaking(language: string) {
  const service = await testService({ BASE_URL: "https://site.example" });
  const { db, now, get, config } = service;
  const speak = (value: string) => set(db, "language", value, { by: "cli" }, now());
  await speak(language);
  const text = async (path: string) => (await get(path)).text();
  return { ...service, speak, text, link: unsubscribeLink(config, ada) };
}

test("pages are in the language of the site from the next request on; those of the dashboard are in English", async () => {
  const { speak, text } = await speaking("de");
  expect(await text("/newsletter")).toContain("Noch keine Ausgaben.");
  expect(await text("/nothing")).toMatch(/<html lang="de">.*Seite nicht gefunden/);
  await speak("pt");
  expect(await text("/newsletter")).toMatch(/<html lang="pt-BR">.*Nenhuma edição por enquanto\./);
  expect(await text("/nothing")).toContain("Página não encontrada");
  expect(await text("/dashboard/nothing")).not.toContain("Página");
  await speak("");
  expect(await text("/nothing")).toMatch(/<html lang="en">.*Page not found/);
});

test("what fails says so in the language that was known before, without the database", async () => {
  const { db, text, link } = await speaking("fr");
  expect(await text(link)).toContain("Vous n’êtes pas sur la liste");
  await look(db, "alter table settings rename to gone");
  await look(db, "alter table subscribers rename to gone_too");
  expect(await text(link)).toContain("Le problème vient de chez nous.");
  expect(await text("/newsletter")).toContain("Le problème vient de chez nous.");
});

test("the API responds in English, and says which language the site has", async () => {
  const { post, get, key } = await speaking("de");
  const answer = (await (await post("/api/newsletter/subscribe", { email: ada }, {}, nextPeer())).json()) as {
    data: { message: string };
  };
  expect(answer.data.message).toBe("Thank you for subscribing.");
  const settings = (await (await get("/api/v1/settings", await key())).json()) as { data: { settings: object } };
  expect(settings.data.settings).toEqual({ language: "de" });
});

test("feeds state the chosen language, and none before one was chosen", async () => {
  const { speak, text } = await speaking("");
  for (const path of ["/rss.xml", "/newsletter.xml"]) expect(await text(path)).not.toContain("<language>");
  expect(await text("/atom.xml")).not.toContain("xml:lang");
  await speak("nl");
  for (const path of ["/rss.xml", "/newsletter.xml"]) expect(await text(path)).toContain("<language>nl</language>");
  expect(await text("/atom.xml")).toContain('xml:lang="nl"');
  expect(await text("/newsletter.xml")).toContain("<title>Nieuwsbrief van ");
});

test("a broadcast is in the language it was confirmed in; before, its preview follows the site", async () => {
  const { config, db, now, speak, signIn } = await speaking("de");
  const by = { actor: "m@example.com" };
  const fields = { subject: "Regen", preheader: "", content: "Dear {email}", fromName: "", segment: {} };
  const { id } = await create(db, { source: { kind: "own" }, fields: { ...fields, archive: "listed" } }, by, now());
  const manager = await signIn();
  const preview = async (as: string) => (await manager.get(`/dashboard/broadcasts/${id}/preview?as=${as}`)).text();
  expect(await preview("html")).toMatch(/<html lang="de">.*21\. November 2026.*Abbestellen/s);
  expect(await preview("text")).toContain("Dear Ihre E-Mail-Adresse");
  expect(await preview("page")).toContain('<html lang="de">');

  await assignSlug(db, id, (subject) => subject);
  const draft = await withContent(db, id);
  if (!draft) throw new Error("The draft is gone");
  const { frozen } = await writeBroadcast({ config, db }, draft, now());
  await confirm(db, { seen: draft, to: { at: now(), audience: 0, frozen } }, by, now());
  await speak("fr");
  expect(await preview("html")).toContain("Diese E-Mail enthält kein Tracking.");
});

import { expect, test } from "bun:test";
import { create } from "../../db/broadcasts/edit";
import { withContent } from "../../db/broadcasts/broadcasts";
import { subscribe } from "../../db/newsletter/subscribers";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { set } from "../../test/support/settings";
import { wholeOf } from "../mail/text";
import { compose } from "../emails/compose";
import { writeLetter } from "./freeze";
import { writeEmails } from "./letter/emails";

/* Colours, author, footer line and replies: settings of the site, in its emails and on its pages. */

const reader: [number, string, string | null, string, string] = [1, "ada@reader.example", null, "t".repeat(43), "de"];

async function branded(settings: Record<string, string>) {
  const service = await testService({ BASE_URL: "https://site.example", OWNER_EMAIL: "noor@site.example" });
  const { db, now, config } = service;
  for (const [key, value] of Object.entries(settings)) await set(db, key, value, { by: "cli" }, now());
  const fields = { subject: "Rain", preheader: "", content: "[a](https://a.example)", fromName: "", segment: {} };
  const draft = await create(
    db,
    { source: { kind: "own" }, fields: { ...fields, archive: "listed" } },
    { actor: "cli" },
    now(),
  );
  /** Written as it would be sent now, for someone who reads German. */
  const sent = async () => {
    const broadcast = await withContent(db, draft.id);
    if (!broadcast) throw new Error("There is no broadcast");
    const [email] = writeEmails(
      (await writeLetter({ config, db }, broadcast, now())).frozen.letter,
      [reader],
      draft.id,
    );
    return { ...email, html: wholeOf(email?.html ?? ""), text: wholeOf(email?.text ?? "") };
  };
  return { ...service, sent };
}

test("a broadcast has the site's colours, its author and its footer line, in every language", async () => {
  const { sent } = await branded({
    brandAccent: "#ffd84d",
    brandAuthor: "Noor <b>",
    brandFooter: "Sent on Sundays.",
  });
  const { html, text, replyTo } = await sent();
  expect(html).toContain("border-top:5px solid #ffd84d");
  expect(html).not.toContain("#095d6c");
  expect(html).toMatch(/\d{4} · Noor &lt;b&gt;</);
  for (const part of [html, text]) expect(part).toContain("Sent on Sundays.");
  expect(text).toContain(
    "Wurde Ihnen diese E-Mail weitergeleitet? Newsletter abonnieren: https://site.example/newsletter",
  );
  expect(html).toContain('href="https://site.example/newsletter"');
  expect(replyTo).toBe("noor@site.example");
  expect(text).not.toContain("nicht gelesen");
});

test("where replies are not read, there is no Reply-To, and the email says so", async () => {
  const { sent } = await branded({ brandReplies: "false" });
  const { html, text, replyTo } = await sent();
  expect(replyTo).toBeUndefined();
  for (const part of [html, text]) expect(part).toContain("Antworten auf diese E-Mail werden nicht gelesen.");
});

test("a confirmation and a welcome email look alike", async () => {
  const { db, config, now } = await branded({ brandAccent: "#8a1c1c", brandFooter: "From Ballstad." });
  for (const isDouble of ["false", "true"]) {
    await set(db, "doubleOptIn", isDouble, { by: "cli" }, now());
    await subscribe(db, { email: `ada-${isDouble}@reader.example` }, { via: "form" }, now());
  }
  const mails = await look(db, "select id, kind, recipient, subject_id, payload, created_at from outbox order by id");
  expect(mails.map(({ kind }) => kind)).toEqual(["welcome", "confirm"]);
  for (const { kind, recipient } of mails) {
    const mail = { kind, recipient, subjectId: null, payload: {}, createdAt: now() };
    const email = await compose({ config, db }, mail as never);
    expect([kind, email?.html]).toEqual([kind, expect.stringContaining("border-top:5px solid #8a1c1c")]);
    for (const part of [email?.html, email?.text])
      expect([kind, part]).toEqual([kind, expect.stringContaining("From Ballstad.")]);
  }
});

test("the pages for visitors link a style sheet with the site's colours, at once after a change", async () => {
  const { db, get, now } = await branded({});
  const styles = async () => {
    const response = await get("/assets/brand.css");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    return response.text();
  };
  expect(await styles()).toBe("");
  await set(db, "brandAccent", "#FFD84D", { by: "cli" }, now());
  expect(await styles()).toContain("background: #ffd84d; color: #000000");
  for (const path of ["/newsletter", "/api/newsletter/unsubscribe?email=a&token=b", "/nothing-here"])
    expect([path, await (await get(path)).text()]).toEqual([path, expect.stringContaining("/assets/brand.css")]);
});

test.each(["red", "#12345", "#1234567", "#12345g", "url(x)"])("%p is not an accent colour", async (value) => {
  await expect(branded({ brandAccent: value })).rejects.toThrow();
});

test("sites read the brand with a key, and can look alike", async () => {
  const { get, key } = await branded({ brandAccent: "#8a1c1c", brandReplies: "false" });
  const answer = await get("/api/v1/settings", await key());
  const { data } = (await answer.json()) as { data: { settings: object } };
  expect(data.settings).toEqual({ brandAccent: "#8a1c1c", brandReplies: "false" });
});

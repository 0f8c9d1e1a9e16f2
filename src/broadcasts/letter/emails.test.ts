import { expect, test } from "bun:test";
import type { FrozenRecipient } from "../../../db/schema/broadcasts";
import { headerPayloads } from "../../../test/security/header-payloads";
import { source } from "../../../test/support/broadcasts/letters";
import { wholeOf } from "../../mail/provider";
import { type Envelope, frozen, writeEmails } from "./emails";
import { letterOf } from "./letter";

const id = "019aa6a0-8f6e-7c31-b2a4-5d0e9b7c1f02";
const envelope: Envelope = {
  from: "Noor <noor@site.example>",
  replyTo: "hello@site.example",
  siteTitle: "Ink & Paper",
  siteUrl: "https://site.example",
  isListed: true,
};
const people: FrozenRecipient[] = [
  [7, "ada+x@reader.example", "Ada", "t".repeat(43)],
  [8, "grace@reader.example", null, "u".repeat(43)],
];
const written = (fields: Partial<Envelope> = {}, recipients = people) =>
  writeEmails(
    frozen(letterOf(source({ content: 'Dear {name, "friend"},' })), { ...envelope, ...fields }).letter,
    recipients,
    id,
  );

test("every email of a broadcast says how to leave, which list it is, and that no person sent it", () => {
  const [ada] = written();
  const query = `email=ada%2Bx%40reader.example&token=${"t".repeat(43)}`;
  expect(ada?.headers).toEqual({
    "List-Unsubscribe": `<https://site.example/api/newsletter/unsubscribe?${query}&b=7>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": '"Ink & Paper" <newsletter.site.example>',
    "List-Archive": "<https://site.example/newsletter>",
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "OOF",
    "Feedback-ID": "5d0e9b7c1f02:newsletter:postroom",
  });
  expect(wholeOf(ada?.text ?? "")).toContain(`Unsubscribe: https://site.example/api/newsletter/leave?${query}&b=7\n`);
  expect(ada).toMatchObject({ from: envelope.from, to: "ada+x@reader.example", replyTo: "hello@site.example" });
});

test("tags and the Message-ID name rows, never people", () => {
  const [ada] = written();
  expect(ada?.tags).toEqual({ postroom_b: id, postroom_r: "7" });
  expect(ada?.messageId).toMatch(new RegExp(`^b\\.7\\.${id}\\.[0-9a-f]{20}@site\\.example$`));
});

test("a Message-ID is the same at every attempt, and depends on the token that only its recipient has", () => {
  const idWith = (token: string) => written({}, [[7, "ada+x@reader.example", "Ada", token]])[0]?.messageId;
  expect(idWith("t".repeat(43))).toBe(idWith("t".repeat(43)));
  expect(idWith("t".repeat(43))).toBe(written()[0]?.messageId);
  expect(idWith("u".repeat(43))).not.toBe(idWith("t".repeat(43)));
});

test("each recipient reads their own name or the fallback, and a second attempt has the same bytes", () => {
  const [ada, grace] = written();
  expect([ada, grace].map((email) => /Dear (\w+)/.exec(wholeOf(email?.text ?? ""))?.[1])).toEqual(["Ada", "friend"]);
  expect(written()).toEqual(written());
});

test("without https there is no one-click header, unlisted ones name no archive", () => {
  const [email] = written({ siteUrl: "http://localhost:3000", isListed: false });
  expect(Object.keys(email?.headers ?? {})).not.toContain("List-Unsubscribe-Post");
  expect(Object.keys(email?.headers ?? {})).not.toContain("List-Archive");
  expect(email?.headers["List-Id"]).toBe('"Ink & Paper" <newsletter.localhost>');
});

test.each([null, undefined, "x", 1, {}, { subject: [], html: [], text: [] }])("%j is not a letter", (letter) => {
  expect(() => writeEmails(letter, people, id)).toThrow("This is no letter");
});

test(`${headerPayloads.length} titles of the site and names stay in one header of one line`, () => {
  for (const payload of headerPayloads) {
    const [email] = written({ siteTitle: payload }, [[7, "ada@reader.example", payload, "t".repeat(43)]]);
    for (const value of [email?.subject, ...Object.values(email?.headers ?? {})])
      expect(value).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(email?.headers["List-Id"]).toMatch(/^("[ !#-[\]-~]+" )?<newsletter\.site\.example>$/);
    expect(email?.headers["List-Id"]).not.toContain("=?");
  }
});

test("each recipient reads the same text in a frame of their own language, the site's if it is not known", () => {
  const site = { ...source().site, language: "de" as const };
  const letter = letterOf(source({ site, subject: "{name}{email}", content: "Dear {name}{email},\n\n* one" }));
  const { letter: stored } = frozen(letter, envelope);
  const token = "t".repeat(43);
  const languages = [undefined, "de", "es", "pt", "tlh"];
  const to = languages.map((language, at): FrozenRecipient => {
    const values = [at + 1, "ada@reader.example", "Ada", token] as const;
    return language ? [...values, language] : [...values];
  });
  const emails = writeEmails(JSON.parse(JSON.stringify(stored)), to, id).map(({ html, text, subject }) => ({
    html: wholeOf(html).replaceAll(/&amp;b=\d/g, ""),
    text: wholeOf(text).replaceAll(/&b=\d/g, ""),
    subject,
  }));
  const [german, same, spanish, brazilian, unknown] = emails;
  expect([same, unknown]).toEqual([german, german]);
  expect(emails.map(({ html }) => /<html lang="([^"]+)">/.exec(html)?.[1])).toEqual(["de", "de", "es", "pt-BR", "de"]);
  expect([spanish?.text, brazilian?.text]).toEqual([
    expect.stringContaining("Darse de baja: https://site.example/"),
    expect.stringContaining("Cancelar inscrição: https://site.example/"),
  ]);
  expect(spanish?.html).toMatch(/<h1 lang="de"[^>]*>Adaada@reader\.example<\/h1><div lang="de"><div class="ink"/);
  expect(german?.html).not.toContain("<h1 lang");
  for (const { html, text, subject } of emails) {
    expect([text, subject]).toEqual([
      expect.stringContaining("Dear Adaada@reader.example,\n\n"),
      "Adaada@reader.example",
    ]);
    expect(html).toContain("Dear Adaada@reader.example,");
    expect(`${html}${text}`).not.toMatch(/[\ue000\ue001]/);
  }
});

test("a letter that was frozen before letters had languages is the site's for everyone", () => {
  const { subject, html, text } = letterOf(source({ content: "Hello" }));
  const thawed: unknown = JSON.parse(JSON.stringify({ subject, html, text, envelope }));
  const grace = [8, "grace@reader.example", null, "u".repeat(43)] as const;
  const [plain, spanish] = writeEmails(thawed, [[...grace], [...grace, "es"]], id);
  expect(plain?.to).toBe("grace@reader.example");
  expect(spanish).toEqual(plain);
});

test("an email to a topic names the topic as its list, and its button leaves that topic alone", () => {
  const letter = letterOf({ ...source({ content: "Hello" }), topic: "Field <notes>" });
  const [ada] = writeEmails(frozen(letter, { ...envelope, topic: "field-notes" }).letter, people, id);
  const own = `email=ada%2Bx%40reader.example&token=${"t".repeat(43)}`;
  const leave = `https://site.example/api/newsletter/leave?${own}&b=7`;
  expect(ada?.headers).toMatchObject({
    "List-Unsubscribe": `<${leave.replace("/leave?", "/unsubscribe?")}&topic=field-notes>`,
    "List-Id": '"Ink & Paper" <field-notes.newsletter.site.example>',
  });
  const text = wholeOf(ada?.text ?? "");
  expect(text).toContain("because “Field <notes>” is part of your subscription");
  expect(text).toContain(`Unsubscribe from Field <notes>: ${leave}&topic=field-notes\n`);
  expect(text).toContain(`Unsubscribe from everything: ${leave}\n`);
  expect(text).toContain(`Preferences: https://site.example/newsletter/preferences?${own}\n`);
  expect(wholeOf(ada?.html ?? "")).toContain("Unsubscribe from Field &lt;notes&gt;");
  const [other] = writeEmails(frozen(letter, { ...envelope, topic: "brücken" }).letter, people, id);
  expect(other?.headers?.["List-Id"]).toEndWith("<xn--brcken-4ya.newsletter.site.example>");
});

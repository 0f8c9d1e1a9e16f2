import { expect, test } from "bun:test";
import { setArchive } from "../../db/broadcasts/states";
import * as subscribers from "../../db/newsletter/subscribers";
import { set } from "../../test/support/settings";
import { confirmedBroadcast } from "../../test/support/broadcasts/archive";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { defaultBrand } from "../../views/brand";
import { translator } from "../../views/languages/translator";
import { readPart } from "../broadcasts/letter/resolve";
import { plainText } from "../broadcasts/letter/text";
import { compose } from "./compose";
import { defaultWelcome } from "./welcome";

const ada = "ada@reader.example";

async function welcoming(settings: Record<string, string>) {
  const service = await testService({ BASE_URL: "https://site.example", BLOG_URL: "https://blog.example" });
  const { config, db, now } = service;
  for (const [key, value] of Object.entries(settings)) await set(db, key, value, { by: "cli" }, now());
  await subscribers.subscribe(db, { email: ada, name: "Ada" }, { via: "form" }, now());
  const letter = async () => {
    const mail = { kind: "welcome", recipient: ada, subjectId: null, payload: {}, createdAt: now() };
    const written = await compose({ config, db }, mail as never);
    if (!written) throw new Error("There is no welcome email");
    return written;
  };
  return { ...service, letter };
}

test("the words of the managers are in the email, with the frame and the links that every one has", async () => {
  const { letter } = await welcoming({
    language: "de",
    postalAddress: "Weg 1, 10115 Berlin",
    welcomeSubject: "Schön, dass  Sie da sind",
    welcomeText: "Hallo,\n\nhier ist [das Beste](/posts/best) & **mehr**.\n\n{unsubscribe_url}",
  });
  const { subject, html, text, headers } = await letter();
  expect(subject).toBe("Schön, dass Sie da sind");
  expect(html).toContain("Schön, dass Sie da sind</h1>");
  for (const version of [html, text]) expect(version).toContain("Weg 1, 10115 Berlin");
  expect(html).toContain('href="https://blog.example/posts/best"');
  expect(html).toContain("&amp; <strong>mehr</strong>");
  expect(html).not.toContain("Danke, dass");
  expect(text).toContain("hier ist das Beste <https://blog.example/posts/best> & mehr.");
  for (const part of [html.replaceAll("&amp;", "&"), text])
    expect(part.match(/unsubscribe\?email=ada%40reader\.example&token=[\w-]{43}/g)?.length).toBeGreaterThan(1);
  expect(text).toContain("Hier bestellen Sie den Newsletter mit einem Klick ab:");
  expect(headers["List-Unsubscribe"]).toContain("/api/newsletter/unsubscribe?");
});

test("a name is written to those only who have confirmed that the address is theirs (D33)", async () => {
  const { db, now, letter } = await welcoming({
    welcomeSubject: "Hello {name}",
    welcomeText: 'Dear {name, "friend"},',
  });
  const parts = async () => {
    const { subject, html, text } = await letter();
    return `${subject}\n${html}\n${text}`;
  };
  expect(await parts()).toStartWith("Hello\n");
  expect(await parts()).toContain("Dear friend,");
  expect(await parts()).not.toContain("Ada");
  await look(db, "update subscribers set confirmed_at = ?", [now().getTime()]);
  expect(await parts()).toStartWith("Hello Ada\n");
  await look(db, "update subscribers set name = 'Win at evil.example'");
  expect(await parts()).not.toContain("evil.example");
});

test("nothing in the words becomes markup or another header", async () => {
  const { letter } = await welcoming({
    welcomeSubject: "One\r\nBcc: x@evil.example",
    welcomeText: '<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src="x" onerror="alert(1)" />',
  });
  const { subject, html } = await letter();
  expect(subject).toBe("One Bcc: x@evil.example");
  expect(html).not.toMatch(/<script|javascript:|onerror/);
});

test("it links to recent posts, to recent newsletters, or to nothing", async () => {
  const { db, now, clock, letter } = await welcoming({ welcomeLinks: "newsletters" });
  const listed = await confirmedBroadcast(db, now(), { subject: "For {name}" });
  const hidden = await confirmedBroadcast(db, now(), { subject: "Hidden" });
  await setArchive(db, { seen: hidden, archive: "unlisted" }, { actor: "m@example.com" }, now());
  clock.time -= 1;
  expect((await letter()).text).not.toContain("Recent"); // queued before it was sent
  clock.time += 1;
  const { html, text } = await letter();
  expect(text).toContain(`Recent newsletters:\n\n* For\n  https://site.example/newsletter/${listed.slug}\n`);
  expect(html).not.toContain("Hidden");
  await set(db, "welcomeLinks", "none", { by: "cli" }, now());
  expect((await letter()).text).not.toContain("Recent");
});

test.each(["Rain & Gauges", "*a* _b_ `c` [d](e) {f} <g/> \\h #i ~~j~~ k|l", "1. x", "Line\ntwo  # three"])(
  "the default words for %p read as they are sent",
  (title) => {
    const t = translator("en");
    const site = {
      t,
      siteTitle: title,
      siteDescription: title,
      siteUrl: "https://s.example",
      brand: defaultBrand,
      sender: [],
    };
    const { text } = defaultWelcome(site);
    const { nodes, problems } = readPart(text, "text", { t, siteUrl: site.siteUrl, base: site.siteUrl });
    const line = title.replace(/\s+/g, " ");
    expect(problems).toEqual([]);
    expect(plainText(nodes, { t, mark: () => "" })).toBe(
      `Thank you for subscribing to ${line}. ${line}\n\nWe’ll only write when there is something new to read.`,
    );
  },
);

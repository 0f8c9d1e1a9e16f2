import { expect, test } from "bun:test";
import { join } from "node:path";
import { composeEmail } from "../../src/broadcasts/letter/emails";
import { letterOf } from "../../src/broadcasts/letter/letter";
import { LetterProse } from "../../views/newsletter/archive";
import { translator } from "../../views/languages/translator";
import { recipient, source } from "../support/broadcasts/letters";

/**
 * Thirty texts and what is made of each: the email's HTML between its title and its footer, its plain text, the page of
 * the archive, and what the composer says of it. After an intended change: `GOLDEN=write bun test test/golden`, and read
 * the difference.
 */
const file = (name: string) => Bun.file(join(import.meta.dir, name));
const sectionsOf = (text: string) =>
  text
    .split(/^%% /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section.slice(section.indexOf("\n") + 1)] as const);

const sheet = (html: string) => html.match(/<\/h1><div [^>]*>(.*)<\/div><\/td><\/tr><tr><td class="foot"/s)?.[1];
const body = (text: string) => text.slice(text.indexOf("\n\n") + 2, text.indexOf("\n\n-- \n"));
const made = (content: string) => {
  const letter = letterOf(source({ content }));
  const email = composeEmail(letter, recipient);
  const problems = letter.problems.map(
    ({ code, line, what }) => `${line ?? "?"} ${code}: ${what.replace(/\n/g, "⏎")}\n`,
  );
  return {
    html: `${sheet(email.html)}\n`,
    text: `${body(email.text)}\n`,
    page: `${LetterProse({ t: translator("en"), nodes: letter.page })}\n`,
    problems: problems.join(""),
  };
};

const texts = sectionsOf(await file("letter-texts.txt").text());

test("there are thirty texts", () => {
  expect(new Set(texts.map(([name]) => name)).size).toBe(30);
});

test.each(["html", "text", "page", "problems"] as const)("thirty texts give the %s they gave before", async (part) => {
  const golden = file(`letter-${part}.txt`);
  const now = texts.map(([name, content]) => `%% ${name}\n${made(content)[part]}`).join("");
  if (process.env.GOLDEN === "write") await golden.write(now);
  expect(sectionsOf(now)).toEqual(sectionsOf(await golden.text()));
});

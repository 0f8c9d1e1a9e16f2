import { describe, expect, test } from "bun:test";
import { type Language, languages } from "../../db/settings/rules";
import { whatVisitorsRead } from "../../test/support/visitors";
import { en, type Key, type Plural } from "./en";
import { translations, translator } from "./translator";

const others = languages.filter((language) => language !== "en");
const keys = Object.keys(en.texts) as Key[];

/** Words that are the same in English. */
const equal: Partial<Record<Language, Key[]>> = {
  de: ["newsletter"],
  fr: ["newsletter", "archive.page", "archive.pages"],
  es: ["value.no"],
  pt: ["newsletter"],
};

let english: ReturnType<typeof whatVisitorsRead> | undefined; // computed once

const formsOf = (language: Language, key: Key): string[] => {
  const text: string | Plural = translations[language].texts[key];
  return typeof text === "string" ? [text] : Object.values(text);
};
const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name).sort();

describe.each([...others])("in %s", (language) => {
  const { lang, dir, locale } = translations[language];

  test("every text exists, and none is the English one by mistake", () => {
    expect(Object.keys(translations[language].texts)).toEqual(keys);
    expect(keys.filter((key) => formsOf(language, key).some((text) => !text.trim()))).toEqual([]);
    const same = keys.filter((key) => formsOf(language, key).some((text) => formsOf("en", key).includes(text)));
    expect(same).toEqual(equal[language] ?? []);
  });

  test("every text has the placeholders of the English one, in all its forms", () => {
    const wrong = keys.filter((key) => {
      const [expected = ""] = formsOf("en", key);
      return formsOf(language, key).some((text) => !Bun.deepEquals(placeholdersIn(text), placeholdersIn(expected)));
    });
    expect(wrong).toEqual([]);
  });

  test("a number has every form that the language needs below a million", () => {
    const rules = new Intl.PluralRules(locale);
    const needed = [...new Set(Array.from({ length: 1_000 }, (_, n) => rules.select(n)))].sort();
    for (const key of keys) {
      const text: string | Plural = translations[language].texts[key];
      if (typeof text !== "string") expect([key, Object.keys(text).sort()]).toEqual([key, needed]);
    }
  });

  test("its name, direction and signs are those of the language", () => {
    expect(Intl.getCanonicalLocales(lang)).toEqual([lang]);
    expect(Intl.DateTimeFormat.supportedLocalesOf(locale)).toEqual([locale]);
    expect(dir).toBe("ltr");
    const texts = keys.flatMap((key) => formsOf(language, key));
    expect(texts.filter((text) => /['"!]|\.\.\.| {2}/.test(text))).toEqual([]);
    const broken = language === "fr" ? / [?:;»]|« |[^\u00a0][?:;»]/ : / [?:;»]|[«¿] /;
    expect(texts.filter((text) => broken.test(text))).toEqual([]);
  });

  test("pages, emails and feeds are in it, without a line in English", async () => {
    const [read, inEnglish] = [await whatVisitorsRead({ language }), await (english ??= whatVisitorsRead())];
    expect([...read.keys()]).toEqual([...inEnglish.keys()]);
    for (const [name, text] of read) {
      if (text.includes("<html")) expect([name, text]).toEqual([name, expect.stringContaining(`<html lang="${lang}"`)]);
      const before = new Set(linesOf(inEnglish.get(name) ?? ""));
      const kept = linesOf(text).filter((line) => before.has(line) && !isContent(line, equal[language] ?? []));
      expect([name, kept]).toEqual([name, []]);
    }
  });
});

/** What people read: text between tags, names of regions, titles of links. */
const linesOf = (text: string) =>
  [
    ...text.replace(/<style>.*?<\/style>|<head>(?=.*<title>)/gs, "").split(/<[^>]+>|\n/),
    ...[...text.matchAll(/(?:aria-label|title|alt)="([^"]+)"/g)].map(([, label = ""]) => label),
  ]
    .map((line) => line.replace(/[\u200c\u00a0]| {2,}/g, " ").trim())
    .filter((line) => /\p{L}{2}/u.test(line));

/** What managers wrote, URLs and numbers. */
const content =
  /^(Rain &amp; Gauges|Rain & Gauges|Notes on \*weather\*\.|Tides|Of tides\.|English|Deutsch|Français|Español|Português|Nederlands|\* Tides|Older|Pictures|Newer|Dear|About|About (Older|Newer)\.|(Older|Pictures|Newer) · .*|\. Notes.*|Rain gauges|Noor Halvorsen.*|RSS|\d+ ?\S*|(?=\S*([:/@•]|\.\w))\S+|\w{3}, \d.*GMT)$/;
const isContent = (line: string, keys: Key[]) =>
  content.test(line) || keys.some((key) => formsOf("en", key).includes(line));

test("what a title says is not said again by the text below it", () => {
  const titles = keys.filter((key) => key.endsWith(".title"));
  expect(titles.length).toBeGreaterThan(15);
  for (const language of languages)
    for (const key of titles) {
      const below = keys.filter((other) => other === key.replace(/title$/, "text"));
      const [title = ""] = formsOf(language, key);
      const said = below.flatMap((other) => formsOf(language, other)).filter((text) => text.includes(title));
      expect([language, key, said]).toEqual([language, key, []]);
    }
});

test("numbers, dates and plurals are those of the language", () => {
  const date = new Date("2026-11-22T23:59:00Z");
  const options = { day: "numeric", month: "long", year: "numeric" } as const;
  expect(languages.map((language) => translator(language).date(date, options))).toEqual([
    "22 November 2026",
    "22. November 2026",
    "22 novembre 2026",
    "22 de noviembre de 2026",
    "22 de novembro de 2026",
    "22 november 2026",
  ]);
  const waits = (count: number) => languages.map((language) => translator(language)("limit.text", { count }));
  expect(waits(1).every((text, i) => text !== waits(2)[i]?.replace("2", "1"))).toBe(true);
  expect(translator("de")("limit.text", { count: 1_200 })).toContain("1.200 Sekunden");
  expect(translator("fr")("limit.text", { count: 0 })).toContain("0 seconde.");
});

import { expect, test } from "bun:test";
import { languages } from "../../db/settings/rules";
import { languageNames } from "../../views/languages/names";
import { languageIn } from "./subscriber";

test("a language is known by its tag, with or without a region, and by its name in each language", () => {
  for (const language of languages) {
    expect([language, language.toUpperCase(), `${language}-XX`, `${language}_yy`].map(languageIn)).toEqual(
      Array(4).fill(language),
    );
    const spoken = (locale: string) => new Intl.DisplayNames(locale, { type: "language" }).of(language) ?? "";
    expect(languages.map((locale) => languageIn(spoken(locale)))).toEqual(Array(6).fill(language));
    expect(languageIn(languageNames[language])).toBe(language);
  }
  expect(["Portuguese (Brazil)", " Español ", "pt-BR"].map(languageIn)).toEqual(["pt", "es", "pt"]);
});

test("what only looks like one is none", () => {
  expect(["", "it", "no", "eng", "desk", "Norwegian", "toString", "x".repeat(9_000), "12"].map(languageIn)).toEqual(
    Array(9).fill(undefined),
  );
});

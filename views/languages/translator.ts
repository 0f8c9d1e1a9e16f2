import type { Language } from "../../db/settings/rules";
import type { Child } from "../jsx/jsx-runtime";
import { de } from "./de";
import { en, type Key, type Placeholders, type Plural, type Translation } from "./en";
import { es } from "./es";
import { fr } from "./fr";
import { nl } from "./nl";
import { pt } from "./pt";

export const translations: Record<Language, Translation> = { en, de, fr, es, pt, nl };

type Values<K extends Key, Value> = [Placeholders<K>] extends [never] ? [] : [values: Record<Placeholders<K>, Value>];

/** Returns texts in one language, with values filled in. */
export type Translator = {
  <K extends Key>(key: K, ...values: Values<K, string | number>): string;
  /** The same, with elements in the placeholders. */
  rich<K extends Key>(key: K, ...values: Values<K, Child>): Child[];
  /** In UTC, because the public pages know no other time zone. */
  date(date: Date, options: Intl.DateTimeFormatOptions): string;
  number(value: number): string;
  /** Attributes of the root element. */
  root: { lang: string; dir?: "rtl" };
};

/** Returns the translator of a language, created once. */
export function translator(language: Language): Translator {
  const cached = translators.get(language);
  if (cached) return cached;
  const made = translatorOf(translations[language]);
  translators.set(language, made);
  return made;
}
const translators = new Map<Language, Translator>();

function translatorOf({ lang, dir, locale, texts }: Translation): Translator {
  // Made on first use: a start needs neither, and the data of a language takes a millisecond and memory
  let rules: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  const formOf = (text: string | Plural, count: unknown) =>
    typeof text === "string"
      ? text
      : (text[(rules ??= new Intl.PluralRules(locale)).select(Number(count))] ?? text.other);
  const number = (value: number) => (numbers ??= new Intl.NumberFormat(locale)).format(value);
  const written = (value: Child) => (typeof value === "number" ? number(value) : value);
  const parts = (key: Key, values: Record<string, Child> = {}): Child[] =>
    formOf(texts[key], values.count)
      .split(/\{(\w+)\}/)
      .map((part, i) => (i % 2 ? written(values[part]) : part));
  const say = (key: Key, values?: Record<string, Child>) => parts(key, values).join("");
  const date = (at: Date, options: Intl.DateTimeFormatOptions) =>
    at.toLocaleDateString(locale, { ...options, timeZone: "UTC" });
  const root = { lang, ...(dir === "rtl" && { dir }) }; // "ltr" is HTML's default
  return Object.assign(say, { rich: parts, date, number, root });
}

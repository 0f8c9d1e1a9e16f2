import type { en } from "./en";

type Texts = typeof en.texts;
export type Key = keyof Texts;
/** A text with a number in it, in the forms of Intl.PluralRules. `other` stands for those that a language lacks. */
export type Plural = { [form in Intl.LDMLPluralRule]?: string } & { other: string };

/** One language: a missing text, or one too many, does not compile. */
export type Translation = {
  /** Of the attribute `lang`. */
  lang: string;
  dir: "ltr" | "rtl";
  /** How dates and numbers are written. */
  locale: string;
  texts: { [key in Key]: Texts[key] extends string ? string : Plural };
};

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The placeholders of a text, as the English one has them. */
export type Placeholders<K extends Key> = NamesIn<Texts[K] extends { other: infer Other } ? Other : Texts[K]>;

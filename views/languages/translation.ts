import type { en } from "./en";

type Texts = typeof en.texts;
export type Key = keyof Texts;
/** A text with a number, in the forms of Intl.PluralRules. `other` is used for forms that a language lacks. */
export type Plural = { [form in Intl.LDMLPluralRule]?: string } & { other: string };

/** One language. A missing or additional text is a type error. */
export type Translation = {
  /** The value of the attribute `lang`. */
  lang: string;
  dir: "ltr" | "rtl";
  /** The locale of dates and numbers. */
  locale: string;
  texts: { [key in Key]: Texts[key] extends string ? string : Plural };
};

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The placeholders of a text, as in the English one. */
export type Placeholders<K extends Key> = NamesIn<Texts[K] extends { other: infer Other } ? Other : Texts[K]>;

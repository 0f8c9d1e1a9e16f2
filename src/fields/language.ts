import { normalized } from "../../db/lib/text";
import { type Language, languages } from "../../db/settings/rules";

/** What the languages are called, in each of them. */
const names: Record<Language, string> = {
  en: "english englisch anglais ingles engels",
  de: "german deutsch allemand aleman alemao duits",
  fr: "french francais franzosisch frances frans",
  es: "spanish espanol spanisch espagnol espanhol castellano castilian spaans",
  pt: "portuguese portugues portugiesisch portugais portugees",
  nl: "dutch nederlands niederlandisch neerlandais neerlandes holandes flemish",
};

/**
 * Returns the language of the product that a tag of BCP 47 (`es`, `es-MX`, `pt_BR`) or a name (“Español”, “Portuguese
 * (Brazil)”) means; undefined if there is none.
 */
export function languageIn(text: string): Language | undefined {
  const [word] =
    normalized(text.slice(0, 100), "NFKD")
      .toLowerCase()
      .replaceAll(/\p{M}/gu, "")
      .match(/\p{L}+/u) ?? [];
  return languages.find((language) => word === language || (word && names[language].split(" ").includes(word)));
}

import type { Db } from "../../db/engine/open";
import * as versions from "../../db/engine/versions";
import { languageOf } from "../../db/settings/rules";
import { readLanguage } from "../../db/settings/settings";
import { type Translator, translator } from "../../views/languages/translator";

const remembered = new WeakMap<Db, { version: number; t: Translator }>();

/** Returns the translator for the site's language. Read once for each version of the settings. */
export async function siteTranslator(db: Db): Promise<Translator> {
  const { version } = versions.current(db, "settings");
  const cached = remembered.get(db);
  if (cached?.version === version) return cached.t;
  const t = translator(await readLanguage(db));
  remembered.set(db, { version, t });
  return t;
}

/** Returns the translator for a person: of their language, or the site's if that is not known. */
export const translatorFor = async (db: Db, person: { language: string | null } | undefined): Promise<Translator> =>
  person?.language ? translator(languageOf(person.language)) : siteTranslator(db);

/** Returns the last known one, for pages that must not query the database (D14). */
export const knownTranslator = (db: Db): Translator => remembered.get(db)?.t ?? translator("en");

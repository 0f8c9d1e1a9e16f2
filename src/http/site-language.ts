import type { Db } from "../../db/engine/open";
import * as versions from "../../db/engine/versions";
import { readLanguage } from "../../db/settings/settings";
import { type Translator, translator } from "../../views/languages/translator";

const remembered = new WeakMap<Db, { version: number; t: Translator }>();

/** Speaks to visitors in the language of the site. Read once for each version of the settings. */
export async function siteTranslator(db: Db): Promise<Translator> {
  const { version } = versions.current(db, "settings");
  const known = remembered.get(db);
  if (known?.version === version) return known.t;
  const t = translator(await readLanguage(db));
  remembered.set(db, { version, t });
  return t;
}

/** The same as it was last known, for pages that must not ask the database (D14). */
export const knownTranslator = (db: Db): Translator => remembered.get(db)?.t ?? translator("en");

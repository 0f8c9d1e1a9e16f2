import type { Db } from "../../db/engine/open";
import { languageOf } from "../../db/settings/rules";
import * as settings from "../../db/settings/settings";
import * as keyRules from "../../db/settings/rules";
import type { Brand } from "../../views/brand";
import { type Translator, translator } from "../../views/languages/translator";
import { readBrand } from "../content/brand";
import type { Config } from "../platform/config";
import { headerText } from "../mail/headers";

/** What single emails say about the site that sends them. */
export type MailSite = {
  /** The language of the recipient. */
  t: Translator;
  /** The site's language, in which managers write, if that is another one. */
  written?: Translator | undefined;
  siteTitle: string;
  siteDescription?: string | undefined;
  siteUrl: string;
  brand: Brand;
  /** The site's own last line. */
  footerLine?: string | undefined;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
};

/** @param language of the recipient; the site's if it is not known */
export async function readSite(
  { config, db }: { config: Config; db: Db },
  language?: string | null,
): Promise<MailSite> {
  const site = await settings.readForEmails(db);
  const own = languageOf(site[keyRules.languageKey]);
  const read = language ? languageOf(language) : own;
  return {
    t: translator(read),
    written: read === own ? undefined : translator(own),
    siteTitle: headerText(site.siteTitle ?? "") || new URL(config.BASE_URL).host,
    siteDescription: site.siteDescription,
    siteUrl: config.BASE_URL,
    brand: await readBrand({ config, db }, site),
    footerLine: site[keyRules.brandKeys.footer],
    sender: [site.name, site.postalAddress].filter((line) => line?.trim()).map(String),
  };
}

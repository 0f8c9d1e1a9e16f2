import type { Db } from "../../db/engine/open";
import { languageOf } from "../../db/settings/rules";
import * as settings from "../../db/settings/settings";
import * as keyRules from "../../db/settings/rules";
import { type Translator, translator } from "../../views/languages/translator";
import type { Config } from "../platform/config";
import { headerText } from "../mail/headers";

/** What single emails say about the site that sends them. */
export type MailSite = {
  /** The language of the subscribers. */
  t: Translator;
  siteTitle: string;
  siteDescription?: string | undefined;
  siteUrl: string;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
};

export async function readSite({ config, db }: { config: Config; db: Db }): Promise<MailSite> {
  const site = await settings.readForEmails(db);
  return {
    t: translator(languageOf(site[keyRules.languageKey])),
    siteTitle: headerText(site.siteTitle ?? "") || new URL(config.BASE_URL).host,
    siteDescription: site.siteDescription,
    siteUrl: config.BASE_URL,
    sender: [site.name, site.postalAddress].filter((line) => line?.trim()).map(String),
  };
}

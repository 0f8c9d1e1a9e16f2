import { inArray } from "drizzle-orm";
import { type Orm, prepared } from "../../engine/open";
import { languageKey, settings, timeZoneKey } from "../../schema/settings";
import type { Terms } from "./definition";

/** Returns how segments are understood now: days in the site's time zone, and no language as the site's. */
export async function termsOf(orm: Orm, now: Date): Promise<Terms> {
  const rows = await siteTerms(orm).all();
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return { now, zone: values.get(timeZoneKey) || "UTC", language: values.get(languageKey) || "en" };
}

const siteTerms = prepared((orm) =>
  orm
    .select({ key: settings.key, value: settings.value })
    .from(settings)
    .where(inArray(settings.key, [languageKey, timeZoneKey]))
    .prepare(),
);

import type { Db } from "../../db/engine/open";
import { postUrlKey } from "../../db/settings/rules";
import { readPublic } from "../../db/settings/settings";
import type { Config } from "../platform/config";

type Needs = { config: Config; db: Db };
type Saved = Partial<Record<string, string>>;

/** Returns where posts are read, with `{slug}`: as the public settings say, or below the blog's URL. */
export const postUrlIn = (saved: Saved, { BLOG_URL }: Pick<Config, "BLOG_URL">): string =>
  saved[postUrlKey] || `${BLOG_URL}/posts/{slug}`;

/** Returns where posts are read, with `{slug}`; `isKnown` if someone has said where. */
export async function readPostUrl({ config, db }: Needs): Promise<{ postUrl: string; isKnown: boolean }> {
  const saved = await readPublic(db);
  return { postUrl: postUrlIn(saved, config), isKnown: config.hasBlog || Boolean(saved[postUrlKey]) };
}

import { postUrlIn } from "../content/post-url";
import * as posts from "../../db/posts/posts";
import * as feedPosts from "../../db/posts/feed";
import { languageOf } from "../../db/settings/rules";
import * as settings from "../../db/settings/settings";
import * as keyRules from "../../db/settings/rules";
import * as versions from "../../db/engine/versions";
import { translator } from "../../views/languages/translator";
import type { Deps } from "./deps";
import { PreparedFile } from "../http/prepared";

/** What a feed says about the site. */
export type Site = {
  url: string;
  /** Where a post is read, with `{slug}`. */
  postUrl: string;
  title: string;
  description: string;
  author: string;
  changedAt: Date;
  /** Undefined until a language is chosen, because posts may be in any. */
  lang: string | undefined;
};
/** `undefined`: there is no such file. */
type Make = (site: Site, now: Date) => Promise<string | undefined>;
type Needs = Pick<Deps, "config" | "db" | "now">;
type Kept = { versions: string; until: Date | undefined; made: Promise<PreparedFile | undefined> };

const maxFiles = 20; // cached; a sitemap of 50,000 posts has 7 MB

/**
 * Public files, made from the published posts unless other topics are named. Each is made once, and cached until one of
 * the topics changes or the next scheduled post is due (D22), so no timer is needed for it to appear.
 */
export class PublicFiles {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly deps: Needs,
    private readonly topics: versions.Topic[] = ["feeds", "settings"],
  ) {}

  /** Responds with the file of that name. `make` is called if there is none yet, or only an outdated one. */
  async respond(request: Request, name: string, type: string, make: Make): Promise<Response | undefined> {
    const { db, now } = this.deps;
    const current = this.topics.map((topic) => versions.current(db, topic).version).join(" ");
    const cached = this.kept.get(name);
    const isFresh = cached?.versions === current && !(cached.until && cached.until <= now());
    const file = isFresh
      ? cached
      : this.remember(name, current, await posts.nextScheduled(db, now()), () =>
          fresh(this.deps, this.topics, type, make),
        );
    return (await file.made)?.respond(request);
  }

  private remember(name: string, current: string, until: Date | undefined, make: () => Kept["made"]): Kept {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= maxFiles && oldest !== undefined) this.kept.delete(oldest);
    const file: Kept = { versions: current, until, made: make() };
    this.kept.set(name, file);
    file.made.then(
      (made) => made ?? this.kept.delete(name), // invented names are not cached
      () => this.kept.delete(name),
    );
    return file;
  }
}

async function fresh(
  deps: Needs,
  topics: versions.Topic[],
  type: string,
  make: Make,
): Promise<PreparedFile | undefined> {
  const at = deps.now();
  const site = await siteAt(deps, topics, at);
  const text = await make(site, at);
  if (text === undefined) return;
  return new PreparedFile(text, {
    "content-type": type,
    "cache-control": "public, max-age=0, must-revalidate", // so that no cache delays a scheduled post
    "last-modified": site.changedAt.toUTCString(),
  });
}

async function siteAt({ config, db }: Needs, topics: versions.Topic[], at: Date): Promise<Site> {
  const changes = topics.map((topic) => versions.current(db, topic));
  const [all, newest] = await Promise.all([settings.readPublic(db), feedPosts.latest(db, 1, at)]);
  const times = [...changes.map((each) => each.changedAt), ...newest.map((post) => post.publishedAt)];
  const changedAt = new Date(Math.max(...times.map((time) => time.getTime())));
  const language = all[keyRules.languageKey];
  const title = all.siteTitle || all.name || new URL(config.BLOG_URL).host;
  return {
    url: config.BLOG_URL,
    postUrl: postUrlIn(all, config),
    title,
    changedAt,
    description: all.siteDescription || title,
    author: all.name || title,
    lang: language && translator(languageOf(language)).root.lang,
  };
}

import { postUrlOf } from "../../db/posts/rules";
import type { Latest } from "../../db/posts/feed";
import type { Site } from "./files";
import { all, documentOf, element } from "./xml";

/** A post in a feed: its excerpt and URL. Its MDX source is for sites, not for readers. */
type Entry = Latest;

/** Permanent, even if the slug changes, so that readers do not see a post twice. */
const idOf = ({ id }: Entry) => `urn:uuid:${id}`;

/** A scheduled post is written before it appears, and counts as new when it appears. */
const changedAt = ({ updatedAt, publishedAt }: Entry) =>
  new Date(Math.max(updatedAt.getTime(), publishedAt.getTime())).toISOString();

/** RSS 2.0 (rssboard.org/rss-specification). Dates are in the format of RFC 822, with four-digit years. */
export function rss(site: Site, entries: Entry[]): string {
  const items = entries.map((entry) =>
    element(
      "item",
      {},
      element("title", {}, entry.title),
      element("link", {}, postUrlOf(site.postUrl, entry.slug)),
      element("guid", { isPermaLink: "false" }, idOf(entry)),
      element("pubDate", {}, entry.publishedAt.toUTCString()),
      element("description", {}, entry.excerpt),
      entry.author ? element("dc:creator", {}, entry.author) : undefined,
      ...entry.tags.map(({ name }) => element("category", {}, name)),
    ),
  );
  const channel = element(
    "channel",
    {},
    element("title", {}, site.title),
    element("link", {}, `${site.url}/`),
    element("description", {}, site.description),
    site.lang ? element("language", {}, site.lang) : undefined,
    element("atom:link", { rel: "self", type: "application/rss+xml", href: `${site.url}/rss.xml` }),
    element("lastBuildDate", {}, site.changedAt.toUTCString()),
    all(items),
  );
  const namespaces = { "xmlns:atom": "http://www.w3.org/2005/Atom", "xmlns:dc": "http://purl.org/dc/elements/1.1/" };
  return documentOf(element("rss", { version: "2.0", ...namespaces }, channel));
}

/** Atom (RFC 4287). */
export function atom(site: Site, entries: Entry[]): string {
  const items = entries.map((entry) =>
    element(
      "entry",
      {},
      element("title", {}, entry.title),
      element("link", { rel: "alternate", type: "text/html", href: postUrlOf(site.postUrl, entry.slug) }),
      element("id", {}, idOf(entry)),
      element("published", {}, entry.publishedAt.toISOString()),
      element("updated", {}, changedAt(entry)),
      entry.author ? element("author", {}, element("name", {}, entry.author)) : undefined,
      ...entry.tags.map(({ name, slug }) => element("category", { term: slug, label: name })),
      element("summary", {}, entry.excerpt),
    ),
  );
  return documentOf(
    element(
      "feed",
      { xmlns: "http://www.w3.org/2005/Atom", ...(site.lang && { "xml:lang": site.lang }) },
      element("title", {}, site.title),
      element("subtitle", {}, site.description),
      element("id", {}, `${site.url}/`),
      element("link", { rel: "alternate", type: "text/html", href: `${site.url}/` }),
      element("link", { rel: "self", type: "application/atom+xml", href: `${site.url}/atom.xml` }),
      element("updated", {}, site.changedAt.toISOString()),
      element("author", {}, element("name", {}, site.author)),
      all(items),
    ),
  );
}

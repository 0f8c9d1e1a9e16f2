import type { ArchiveSite } from "../../views/newsletter/archive";
import { all, documentOf, element } from "./xml";

type Entry = { id: string; url: string; subject: string; excerpt: string; sentAt: Date };

/** The archive as RSS 2.0 (rssboard.org/rss-specification). */
export function newsletterRss(
  site: ArchiveSite,
  { changedAt, lang }: { changedAt: Date; lang: string | undefined },
  entries: Entry[],
): string {
  const items = entries.map(({ id, url, subject, excerpt, sentAt }) =>
    element(
      "item",
      {},
      element("title", {}, subject),
      element("link", {}, url),
      element("guid", { isPermaLink: "false" }, `urn:uuid:${id}`),
      element("pubDate", {}, sentAt.toUTCString()),
      element("description", {}, excerpt),
    ),
  );
  const channel = element(
    "channel",
    {},
    element("title", {}, site.t("archive.name", { site: site.title })),
    element("link", {}, site.archiveUrl),
    element("description", {}, site.description || site.title),
    lang ? element("language", {}, lang) : undefined,
    element("atom:link", { rel: "self", type: "application/rss+xml", href: `${site.archiveUrl}.xml` }),
    element("lastBuildDate", {}, changedAt.toUTCString()),
    all(items),
  );
  return documentOf(element("rss", { version: "2.0", "xmlns:atom": "http://www.w3.org/2005/Atom" }, channel));
}

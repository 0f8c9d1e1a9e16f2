import type { Db } from "../../db/engine/open";
import { counts } from "../../db/posts/list";
import * as addressPages from "../../db/posts/feed";
import type { Site } from "./files";
import { all, documentOf, element, escaped, Xml } from "./xml";

const namespace = { xmlns: "http://www.sitemaps.org/schemas/sitemap/0.9" };

/** The most URLs that one file may contain (sitemaps.org). */
const maxAddresses = 50_000;

/** All posts in one file or, if there are too many, the list of the files. */
export async function firstSitemap(db: Db, site: Site, now: Date, limit = maxAddresses): Promise<string> {
  const pages = Math.ceil((await counts(db, now)).published / limit);
  if (!pages) return addressList([{ url: `${site.url}/` }]); // a sitemap has at least one URL
  if (pages <= 1) return addresses(db, site, { page: 1, limit }, now);
  const files = Array.from({ length: pages }, (_, at) =>
    element(
      "sitemap",
      {},
      element("loc", {}, `${site.url}/sitemap-${at + 1}.xml`),
      element("lastmod", {}, site.changedAt.toISOString()),
    ),
  );
  return documentOf(element("sitemapindex", namespace, all(files)));
}

/** One of the files in the list, from 1; undefined past the last one. */
export async function nextSitemap(
  db: Db,
  site: Site,
  { page, limit = maxAddresses }: { page: number; limit?: number },
  now: Date,
) {
  const pages = Math.ceil((await counts(db, now)).published / limit);
  return page > pages ? undefined : addresses(db, site, { page, limit }, now);
}

/**
 * Assembled as text, because there are so many: an encoded slug and a date contain nothing that XML would have to
 * escape.
 */
async function addresses(
  db: Db,
  site: Site,
  { page, limit }: { page: number; limit: number },
  now: Date,
): Promise<string> {
  const [before = "", after = ""] = site.postUrl.split("{slug}").map(escaped);
  const urls: string[] = [];
  for await (const some of addressPages.addresses(db, { skip: (page - 1) * limit, limit }, now))
    for (const { slug, changedAt } of some) {
      const loc = before + encodeURIComponent(slug).replaceAll("'", "%27") + after;
      urls.push(`<url><loc>${loc}</loc><lastmod>${new Date(changedAt).toISOString()}</lastmod></url>`);
    }
  return documentOf(element("urlset", namespace, new Xml(urls.join("\n"))));
}

/** A sitemap of a few URLs. */
export const addressList = (addresses: { url: string; changedAt?: Date | undefined }[]) =>
  documentOf(
    element(
      "urlset",
      namespace,
      all(
        addresses.map(({ url, changedAt }) =>
          element("url", {}, element("loc", {}, url), changedAt && element("lastmod", {}, changedAt.toISOString())),
        ),
      ),
    ),
  );

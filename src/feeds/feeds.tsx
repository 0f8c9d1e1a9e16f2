import { Elysia } from "elysia";
import type { Db } from "../../db/engine/open";
import * as versions from "../../db/engine/versions";
import { brandKeys } from "../../db/settings/rules";
import { readPublic } from "../../db/settings/settings";
import { type LogoFile, readLogo } from "../content/brand";
import { brandOf, defaultBrand, plate, styleSheetOf } from "../../views/brand";
import * as feedPosts from "../../db/posts/feed";
import type { Deps } from "./deps";
import { PublicFiles, type Site } from "./files";
import { conditional, etagOf, type Prepared } from "../http/prepared";
import { notModified, plainText, xml } from "../openapi/responses";
import { failurePage } from "../http/response";
import { contextOf } from "../platform/request-context";
import { notRouted } from "../http/unrouted";

const maxEntries = 50; // in a feed, the newest; a sitemap lists all posts

/**
 * What readers and search engines request from the blog: feeds, the sitemap and robots.txt, made from the published
 * posts. Their code is loaded on the first request.
 */
export const feeds = (deps: Deps) => {
  const { config, db } = deps;
  const files = new PublicFiles(deps);
  const styles = new PublicFiles(deps, ["settings"]);
  const logos = logoOf(deps);

  return new Elysia()
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failurePage(deps, request, error)))
    .get("/rss.xml", ({ request }) => feed(db, files, request, "rss"), { detail: docs.rss })
    .get("/atom.xml", ({ request }) => feed(db, files, request, "atom"), { detail: docs.atom })
    .get("/sitemap.xml", ({ request }) => sitemap(db, files, request), { detail: docs.sitemap })
    .get("/sitemap-:page", ({ request }) => sitemapPage(db, files, request), { detail: docs.sitemapPage })
    .get("/assets/brand.css", ({ request }) => brandStyles(db, styles, request))
    .get("/assets/logo", ({ request }) => logos(request))
    .get(
      "/robots.txt",
      ({ request }) =>
        files.respond(request, "robots", "text/plain; charset=utf-8", async (site) => robots(site, config.BASE_URL)),
      { detail: docs.robots },
    );
};

const feed = (db: Db, files: PublicFiles, request: Request, name: "rss" | "atom") =>
  files.respond(request, name, `${types[name]}; charset=utf-8`, async (site, now) => {
    const write = (await import("./posts"))[name];
    return write(site, await feedPosts.latest(db, maxEntries, now));
  });

/** Without a page: all URLs, or the list of the pages. */
const sitemap = (db: Db, files: PublicFiles, request: Request, page = 0) =>
  files.respond(request, `sitemap ${page}`, `${types.xml}; charset=utf-8`, async (site, now) => {
    const { firstSitemap, nextSitemap } = await import("./sitemap");
    return page ? nextSitemap(db, site, { page }, now) : firstSitemap(db, site, now);
  });

async function sitemapPage(db: Db, files: PublicFiles, request: Request) {
  const number = Number(/^\/sitemap-([1-9]\d{0,4})\.xml$/.exec(contextOf(request).pathname)?.[1] ?? 0);
  return (number && (await sitemap(db, files, request, number))) || notRouted();
}

/** The site's colours, for the pages that visitors see: after public.css, whose tokens it sets. */
const brandStyles = (db: Db, styles: PublicFiles, request: Request) =>
  styles.respond(request, "brand", "text/css; charset=utf-8", async ({ title }) => {
    const saved = await readPublic(db);
    const brand = brandOf(saved[brandKeys.accent]);
    const logo = await readLogo(db, saved);
    return `${brand === defaultBrand ? "" : styleSheetOf(brand)}${logo ? logoStyles(logo, title) : saved.siteTitle ? nameStyles(title) : ""}`;
  });

/**
 * The logo above each page, on a light plate in the dark. It comes from here, because these pages load nothing from
 * elsewhere, and changes its URL with its bytes.
 */
const logoStyles = ({ file, width, height }: LogoFile, title: string) => `.letter::before, .archive::before {
  content: "";
  content: "" / ${cssString(title)};
  justify-self: start;
  display: block;
  inline-size: ${width}px;
  max-inline-size: 100%;
  block-size: ${height}px;
  background: url("/assets/logo?v=${file.objectKey.slice(-8)}") left / contain no-repeat light-dark(transparent, ${plate});
  box-shadow: 0 0 0 8px light-dark(transparent, ${plate});
  border-radius: 1px;
}
`;

/** Whose page it is, where there is no logo: most visitors come from an email, and see nothing else of the site. */
const nameStyles = (title: string) => `.letter::before {
  content: ${cssString(title)};
  color: var(--quiet);
  font-weight: 600;
  overflow-wrap: anywhere;
}
`;

/** CSS Syntax 3, 4.3.5: everything but letters, digits and blanks by its code. */
const cssString = (text: string) =>
  `"${text.replace(/[^\p{L}\p{N} ]/gu, (sign) => `\\${(sign.codePointAt(0) ?? 0).toString(16)} `)}"`;

const maxLogoBytes = 512 * 1024;

const retryLogoMs = 10_000;

/**
 * The logo's bytes, looked up once for each version of the settings, which also changes with the file (`announce`). 404
 * while there is none; if storage does not give it, it is asked again after ten seconds.
 */
function logoOf({ db, now, storage }: Pick<Deps, "db" | "now" | "storage">) {
  let lookup: { version: number; until: number; picture: ReturnType<typeof look> } | undefined;
  let kept: { key: string; picture: Prepared } | undefined;

  async function look(): Promise<Prepared | "none" | "no answer"> {
    const logo = await readLogo(db, await readPublic(db));
    if (!logo) return "none";
    const { file, loaded } = logo;
    const key = `${file.objectKey} ${loaded}`;
    if (kept?.key === key) return kept.picture;
    const picture = await storage.readPicture(file, { width: loaded, takesWebp: false }, maxLogoBytes);
    if (!picture) return "no answer";
    kept = { key, picture: preparedPicture(picture) };
    return kept.picture;
  }

  return async (request: Request) => {
    const { version } = versions.current(db, "settings");
    if (lookup?.version !== version || lookup.until <= now().getTime()) {
      const own = { version, until: Infinity, picture: look() };
      const again = (ms: number) => (own.until = now().getTime() + ms);
      own.picture.then(
        (picture) => picture === "no answer" && again(retryLogoMs),
        () => again(0),
      );
      lookup = own;
    }
    const picture = await lookup.picture;
    return typeof picture === "string" ? notRouted() : conditional(request, picture);
  };
}

function preparedPicture({ bytes, mimeType }: { bytes: Uint8Array<ArrayBuffer>; mimeType: string }): Prepared {
  const etag = etagOf(bytes);
  const headers = new Headers({ "content-type": mimeType, "cache-control": "public, max-age=86400", etag });
  return { body: bytes, etag, headers, until: undefined };
}

const types = { rss: "application/rss+xml", atom: "application/atom+xml", xml: "application/xml" };

/** The newsletter archive is on another host, so it has a sitemap of its own. */
const robots = ({ url }: Site, baseUrl: string) =>
  `User-agent: *\nDisallow: /dashboard\nDisallow: /api\n\nSitemap: ${url}/sitemap.xml\nSitemap: ${baseUrl}/newsletter-sitemap.xml\n`;

const fileDocs = (operationId: string, summary: string, type: string, description?: string) => ({
  operationId,
  tags: ["Content"],
  summary,
  ...(description && { description }),
  responses: { 200: xml(type), ...notModified },
});

const docs = {
  rss: fileDocs("getRssFeed", "The newest posts as RSS 2.0", types.rss),
  atom: fileDocs("getAtomFeed", "The newest posts as Atom", types.atom),
  sitemap: fileDocs("getSitemap", "Sitemap of all posts", types.xml, "Above 50,000 posts: an index of sitemap files."),
  sitemapPage: fileDocs(
    "getSitemapPart",
    "Sitemap part (up to 50,000 posts)",
    types.xml,
    "`1.xml` and so on, as `/sitemap.xml` names them.",
  ),
  robots: {
    tags: ["Content"],
    operationId: "getRobots",
    summary: "Crawling rules and sitemap location",
    responses: { 200: plainText("The rules (RFC 9309)."), ...notModified },
  },
};

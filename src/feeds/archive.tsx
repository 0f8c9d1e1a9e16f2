import { Elysia } from "elysia";
import * as archive from "../../db/broadcasts/archive";
import { brandKeys } from "../../db/settings/rules";
import * as settings from "../../db/settings/settings";
import type { Translator } from "../../views/languages/translator";
import { ArchivePage, type ArchiveSite, BroadcastPage } from "../../views/newsletter/archive";
import type { Deps } from "./deps";
import { archiveUrl, excerptOf, nodesOf, publicLine } from "../broadcasts/letter/text";
import { emailInput } from "../fields/subscriber";
import { siteTranslator } from "../http/site-language";
import { contextOf } from "../platform/request-context";
import { notRouted } from "../http/unrouted";
import { documentOf, failurePage } from "../http/response";
import { policyWithPictures } from "../security/headers";
import { PublicFiles } from "./files";
import { htmlPage, notModified, parameter, xml } from "../openapi/responses";

const perPage = 20;
const maxEntries = 50; // in the feed, the newest
const maxBroadcasts = 49_999; // in one sitemap, which may have 50,000 addresses with that of the archive (sitemaps.org)
const html = "text/html; charset=utf-8";

type Needs = Pick<Deps, "config" | "counters" | "db" | "log" | "now" | "storage">;

/**
 * The newsletter archive, for readers and search engines. Each page is made once for each version of the broadcasts.
 */
export const newsletterArchive = (deps: Needs) => {
  const files = new PublicFiles(deps, ["broadcasts", "settings"]);

  return new Elysia()
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failurePage(deps, request, error)))
    .get("/newsletter", ({ request }) => index(deps, files, request), { detail: docs.index })
    .get("/newsletter/:slug", ({ request, params }) => broadcast(deps, files, request, params.slug), {
      detail: docs.broadcast,
    })
    .get("/newsletter.xml", ({ request }) => feed(deps, files, request), { detail: docs.feed })
    .get("/newsletter-sitemap.xml", ({ request }) => sitemap(deps, files, request), { detail: docs.sitemap });
};

async function index({ config, db }: Needs, files: PublicFiles, request: Request) {
  const number = new URL(request.url).searchParams.get("page") ?? "1";
  if (!/^[1-9]\d{0,5}$/.test(number)) return notRouted();
  const at = Number(number);
  if (at > 1 && (at - 1) * perPage >= (await archive.countListed(db))) return notRouted();
  const response = await files.respond(request, `page ${at}`, html, async () => {
    const { broadcasts, next } = await archive.listArchived(db, { limit: perPage, skip: (at - 1) * perPage });
    const site = await siteOf({ config, db });
    const items = broadcasts.map((one) => itemOf(config.BASE_URL, site.t, one));
    return documentOf(<ArchivePage site={site} items={items} page={at} hasMore={Boolean(next)} />);
  });
  return response ?? notRouted();
}

async function broadcast({ config, counters, db, storage }: Needs, files: PublicFiles, request: Request, slug: string) {
  const id = await archive.idOf(db, slug);
  if (id === undefined) return notRouted(); // invented names cost no more than that
  const response = await files.respond(request, `broadcast ${slug}`, html, async () => {
    const broadcast = await archive.readBySlug(db, slug);
    const sentAt = broadcast?.finishedAt ?? broadcast?.startedAt;
    if (!broadcast || !sentAt) return;
    const { older, newer } = broadcast.isListed ? await archive.neighbours(db, { sentAt, id: broadcast.id }) : {};
    const site = await siteOf({ config, db });
    const { t } = site;
    const url = archiveUrl(config.BASE_URL, broadcast.slug);
    const view = {
      url,
      subject: publicLine(broadcast.subject, t),
      excerpt: excerptOf(broadcast, t),
      sentAt,
      nodes: nodesOf(broadcast.page),
      isListed: broadcast.isListed,
      older: linkTo(config.BASE_URL, t, older),
      newer: linkTo(config.BASE_URL, t, newer),
    };
    return documentOf(<BroadcastPage site={site} {...view} />);
  });
  if (!response) return notRouted();
  counters.readOnTheWeb(id, contextOf(request)); // the page itself may be cached
  const nodes = await storage.nodes.list();
  const origins = new Set(nodes.map(({ publicEndpoint }) => new URL(publicEndpoint).origin));
  response.headers.set("content-security-policy", policyWithPictures(["https:", ...origins]));
  return response;
}

const feed = ({ config, db }: Needs, files: PublicFiles, request: Request) =>
  files.respond(request, "feed", "application/rss+xml; charset=utf-8", async (site) => {
    const { broadcasts } = await archive.listArchived(db, { limit: maxEntries });
    const { newsletterRss } = await import("./newsletter-rss");
    const about = await siteOf({ config, db });
    return newsletterRss(
      about,
      site,
      broadcasts.map((one) => itemOf(config.BASE_URL, about.t, one)),
    );
  });

const sitemap = ({ config, db }: Needs, files: PublicFiles, request: Request) =>
  files.respond(request, "sitemap", "application/xml; charset=utf-8", async () => {
    const { addressList } = await import("./sitemap");
    const listed = await archive.listedSlugs(db, maxBroadcasts);
    return addressList([
      { url: archiveUrl(config.BASE_URL), changedAt: listed[0]?.sentAt },
      ...listed.map(({ slug, sentAt }) => ({ url: archiveUrl(config.BASE_URL, slug), changedAt: sentAt })),
    ]);
  });

type Listed = Awaited<ReturnType<typeof archive.listArchived>>["broadcasts"][number];
const itemOf = (baseUrl: string, t: Translator, { id, slug, sentAt, ...text }: Listed) => ({
  id,
  url: archiveUrl(baseUrl, slug),
  subject: publicLine(text.subject, t),
  excerpt: excerptOf(text, t),
  sentAt,
});

const linkTo = (baseUrl: string, t: Translator, other: { slug: string; subject: string } | undefined) =>
  other && { url: archiveUrl(baseUrl, other.slug), subject: publicLine(other.subject, t) };

async function siteOf({ config, db }: Pick<Deps, "config" | "db">): Promise<ArchiveSite> {
  const { siteTitle, name, siteDescription = "", [brandKeys.author]: author } = await settings.readPublic(db);
  const title = siteTitle || name || new URL(config.BLOG_URL).host;
  const urls = { homeUrl: config.BLOG_URL, archiveUrl: archiveUrl(config.BASE_URL) };
  return { t: await siteTranslator(db), title, description: siteDescription, author, ...urls, emailInput };
}

const tags = ["Newsletter"];
const docs = {
  index: {
    tags,
    operationId: "getArchive",
    summary: "Show the newsletter archive",
    description: "Lists the broadcasts that were sent to everyone, newest first, twenty per page.",
    parameters: [parameter("query", "page", "Counts from 1.", { pattern: "^[1-9][0-9]{0,5}$" })],
    responses: { 200: htmlPage("The page."), ...notModified, 404: htmlPage("Page not found.") },
  },
  broadcast: {
    tags,
    operationId: "getArchivePage",
    summary: "Show a broadcast",
    description:
      "Unlisted broadcasts are shown to anyone who knows their slug. Merge fields are replaced by their fallbacks.",
    responses: { 200: htmlPage("The page."), ...notModified },
  },
  feed: {
    tags,
    operationId: "getArchiveFeed",
    summary: "RSS feed of the newsletter",
    responses: { 200: xml("application/rss+xml"), ...notModified },
  },
  sitemap: {
    tags,
    operationId: "getArchiveSitemap",
    summary: "Sitemap of the newsletter archive",
    responses: { 200: xml("application/xml"), ...notModified },
  },
};

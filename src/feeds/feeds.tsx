import { Elysia } from "elysia";
import * as published from "../../db/posts/feed";
import { ErrorPage } from "../../views/error";
import type { Deps } from "../boot/deps";
import { publicFiles, type Site } from "./files";
import { notRouted } from "../http/pipeline";
import { described } from "../telemetry/log";
import { content, notModified, plainText } from "../openapi/responses";
import { page } from "../http/response";
import { contextOf } from "../http/request-context";

const mostEntries = 50; // in a feed, the newest; a sitemap names all posts

/**
 * What readers and search engines ask for on the blog: feeds, the sitemap, robots.txt. Made of the published posts. What
 * writes them is loaded when somebody asks.
 */
export const feeds = (deps: Deps) => {
  const { db, log } = deps;
  const file = publicFiles(deps);

  const feed = (request: Request, name: "rss" | "atom") =>
    file(request, name, `${types[name]}; charset=utf-8`, async (site, now) => {
      const write = (await import("./posts"))[name];
      return write(site, await published.latest(db, mostEntries, now));
    });

  /** Without a page: all addresses, or the list of the pages. */
  const sitemap = (request: Request, page = 0) =>
    file(request, `sitemap ${page}`, `${types.xml}; charset=utf-8`, async (site, now) => {
      const { firstSitemap, nextSitemap } = await import("./sitemap");
      return page ? nextSitemap(db, site, page, now) : firstSitemap(db, site, now);
    });

  return new Elysia()
    .onError(({ code, error, request }) => {
      if (code === "NOT_FOUND") return;
      const { id, pathname } = contextOf(request);
      log.error("failed", { id, method: request.method, path: pathname, ...described(error) });
      return page(<ErrorPage status={500} message="Something went wrong. The request may be retried." />, 500);
    })
    .get("/rss.xml", ({ request }) => feed(request, "rss"), {
      detail: told("The newest posts as RSS 2.0", types.rss),
    })
    .get("/atom.xml", ({ request }) => feed(request, "atom"), {
      detail: told("The newest posts as Atom", types.atom),
    })
    .get("/sitemap.xml", ({ request }) => sitemap(request), {
      detail: told(
        "The addresses of all posts",
        types.xml,
        "Above 50,000 posts: the list of the files that name them.",
      ),
    })
    .get(
      "/sitemap-:page",
      async ({ request }) => {
        const number = Number(/^\/sitemap-([1-9]\d{0,4})\.xml$/.exec(contextOf(request).pathname)?.[1] ?? 0);
        return (number && (await sitemap(request, number))) || notRouted();
      },
      { detail: told("The addresses of 50,000 posts", types.xml, "`1.xml` and so on, as `/sitemap.xml` names them.") },
    )
    .get(
      "/robots.txt",
      ({ request }) => file(request, "robots", "text/plain; charset=utf-8", async (site) => robots(site)),
      {
        detail: {
          tags: ["Content"],
          summary: "What search engines may read, and where the sitemap is",
          responses: { 200: plainText("The rules (RFC 9309)."), ...notModified },
        },
      },
    );
};

const types = { rss: "application/rss+xml", atom: "application/atom+xml", xml: "application/xml" };

const robots = ({ url }: Site) =>
  `User-agent: *\nDisallow: /dashboard\nDisallow: /api\n\nSitemap: ${url}/sitemap.xml\n`;

const told = (summary: string, type: string, description?: string) => ({
  tags: ["Content"],
  summary,
  ...(description && { description }),
  responses: { 200: content("The file.", type, { type: "string" }), ...notModified },
});

import { Elysia } from "elysia";
import type { Scope } from "../db/schema/scopes";
import { ErrorPage, failureOf } from "../views/error";
import { translator } from "../views/languages/translator";
import { readBroadcasts } from "./api/broadcasts";
import { confirmSubscription } from "./api/links/confirm";
import { ownPage } from "./api/links/preferences";
import { contact } from "./api/contact";
import { api, fail } from "./api/envelope";
import { storedFiles } from "./api/files";
import { media } from "./api/media";
import { subscribe } from "./api/newsletter";
import { openUploads } from "./api/uploads-list";
import { listPosts, readPost } from "./api/posts";
import { previewEvents } from "./api/preview-events";
import { listProjects, readProject, visitProject } from "./api/projects";
import { providerWebhook } from "./api/provider-webhook";
import { readSettings } from "./api/settings";
import { fastPath } from "./api/fast-path";
import { type PreparedResponses, preparedResponses } from "./api/prepared-responses";
import type { Deps as ApiDeps } from "./api/deps";
import { requestUpload } from "./api/storage";
import { keyedSubscribers } from "./api/subscribers";
import { unsubscribe } from "./api/links/unsubscribe";
import { resumeUpload } from "./api/uploads";
import { staticAssets } from "./http/assets";
import type { Deps as DashboardDeps } from "./dashboard/deps";
import type { Deps as FeedDeps } from "./feeds/deps";
import { newsletterArchive } from "./feeds/archive";
import { feeds } from "./feeds/feeds";
import { contactForm } from "./feeds/contact-form";
import { subscribeForm } from "./feeds/subscribe-form";
import { type Area, pipeline } from "./http/pipeline";
import { operations } from "./health/health";
import { createMetrics, type Metrics } from "./telemetry/metrics";
import { documentation } from "./openapi/pages";
import { scopesOf } from "./openapi/scopes";
import { keptPages } from "./http/prepared";
import { knownTranslator, siteTranslator } from "./http/site-language";
import { recorder } from "./http/access-log";
import type { Gate } from "./security/refusal";
import { hasKeyFor, keyQuota, requireApiKey } from "./security/require-api-key";
import { keepErrorsSmall } from "./http/request-schemas";
import { worksWithFiles } from "./security/session";
import { variableWatch } from "./security/variables";
import { isOverview, paths } from "../views/paths";
import { notRouted } from "./http/unrouted";
import { isApi } from "./platform/request-context";

type Deps = ApiDeps & DashboardDeps & FeedDeps & Parameters<typeof operations>[0];

/** All routes of the service, behind one pipeline. */
export function createApp(deps: Deps) {
  const consumeKeyQuota = keyQuota(deps);
  const metrics = createMetrics();
  const responses = preparedResponses(deps);
  const record = recorder({ log: deps.log, metrics });
  let scopeTable: ReadonlyMap<string, Scope> | undefined;
  /** The scopes of the keyed routes, once these are all there. */
  const scopes = () => (scopeTable ??= scopesOf(site.routes));
  const gate = requireApiKey({ ...deps, scopes }, consumeKeyQuota);
  const site = keepErrorsSmall(siteOf(deps, metrics, responses, gate));

  /** The dashboard is half of the program. It is loaded on the first request for it, so that start-up need not wait. */
  let dashboard: Promise<Area> | undefined;
  const openDashboard = () =>
    (dashboard ??= import("./dashboard").then(({ dashboardOf }) => keepErrorsSmall(dashboardOf(deps))));

  return {
    metrics,
    routes: async () => [...site.routes, ...(await openDashboard()).routes],
    /** Responds to a request as over the network. @param peer the socket's address */
    handle: pipeline((pathname) => (isDashboard(pathname) ? openDashboard() : site), {
      config: deps.config,
      log: deps.log,
      record,
      fresh: deps.db.isShared ? freshOf(deps) : undefined,
      tryPrepared: fastPath({ ...deps, responses, record, consumeKeyQuota, scopes }),
      mayUpload: (context) =>
        isApi(context.pathname) ? hasKeyFor(deps, context, "newsletter:write") : worksWithFiles(deps, context.request),
      failure: (request, pathname, status, code, message) =>
        isApi(pathname) ? fail(status, code, message) : errorPage(deps, request, pathname, status),
    }),
  };
}

/** Brings what was changed by another process, variables included. */
function freshOf(deps: Deps): () => Promise<void> {
  const refresh = variableWatch(deps);
  return async () => {
    await deps.db.fresh();
    await refresh();
  };
}

const isDashboard = (pathname: string) => /^\/dashboard(\/|$)/.test(pathname);

const errorPages = keptPages();

/** The error page. It does not query the database if that may have failed, or if the service is overloaded. */
async function errorPage(deps: Deps, request: Request, path: string, status: number) {
  const { db } = deps;
  const inSiteLanguage = () =>
    status < 500 ? siteTranslator(db).catch(() => knownTranslator(db)) : knownTranslator(db);
  const isInside = isDashboard(path);
  if (isInside && (status === 404 || status === 405 || status === 413)) {
    const { strayPage } = await import("./dashboard/pages");
    const stray = await strayPage(deps, request, status, failureOf(translator("en"), status, isOverview(path)));
    if (stray) return stray;
  }
  const t = isInside ? translator("en") : await inSiteLanguage();
  const isRoot = path === "/" || isOverview(path);
  const name = [t.root.lang, isInside && "dashboard", isRoot && "root"].filter(Boolean).join(" ");
  return errorPages(request, name, status, () => (
    <ErrorPage t={t} status={status} isRoot={isRoot} isDashboard={isInside} />
  ));
}

/** The routes for visitors, sites and machines. The dashboard lists its own in dashboard.ts. */
function siteOf(deps: Deps, metrics: Metrics, responses: PreparedResponses, gate: Gate) {
  const routes = new Elysia({ normalize: false })
    .onError(({ code }) => {
      if (code === "NOT_FOUND") return notRouted();
    })
    .use(subscribe(deps))
    .use(unsubscribe(deps))
    .use(confirmSubscription(deps))
    .use(ownPage(deps))
    .use(contact(deps))
    .use(providerWebhook(deps))
    .use(readPost(deps))
    .use(previewEvents(deps))
    .use(visitProject(deps))
    .use(media(deps))
    .use(
      api("/api/v1", deps.log, gate)
        .use(listPosts(deps, responses))
        .use(listProjects(deps, responses))
        .use(readProject(deps, responses))
        .use(readSettings(deps, responses))
        .use(readBroadcasts(deps, responses))
        .use(keyedSubscribers(deps))
        .use(requestUpload(deps))
        .use(openUploads(deps))
        .use(resumeUpload(deps))
        .use(storedFiles(deps)),
    )
    .use(feeds(deps))
    .use(subscribeForm(deps))
    .use(contactForm(deps))
    .use(newsletterArchive(deps))
    .use(operations(deps, metrics))
    .get("/", () => new Response(null, { status: 303, headers: { location: paths.overview } })) // people who open the bare URL run the site
    .use(staticAssets());
  routes.use(documentation(deps, () => routes.routes));
  return routes;
}

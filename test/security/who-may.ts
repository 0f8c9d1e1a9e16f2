export type Route = { method: string; path: string };
export type Access = "anybody" | "the holder of a key" | "a manager" | "an owner";

/** Every route that needs neither a key nor a session. Any other route must be behind a gate, or S1 fails. */
const open = new Set([
  "POST /api/newsletter/subscribe",
  "GET /api/newsletter/unsubscribe", // the token of the link
  "POST /api/newsletter/unsubscribe",
  "GET /api/newsletter/leave",
  "POST /api/newsletter/leave",
  "GET /api/newsletter/subscribe-again",
  "POST /api/newsletter/subscribe-again",
  "GET /api/newsletter/confirm", // the token of the link
  "POST /api/newsletter/confirm",
  "POST /api/newsletter/confirm-again",
  "GET /newsletter/preferences", // the token of the unsubscribe link
  "POST /newsletter/preferences",
  "GET /newsletter/record", // the token of a link that is emailed on request
  "POST /api/contact",
  "POST /api/webhooks/resend", // the provider's signature
  "GET /api/posts/:slug",
  "GET /api/posts/:slug/preview-events", // the token of the preview link
  "GET /api/projects/:slug/visit",
  "GET /media/:id/:filename", // what something published uses; the rest is a 404
  "GET /newsletter", // what was sent to everyone
  "GET /newsletter/:slug",
  "GET /newsletter.xml",
  "GET /newsletter-sitemap.xml",
  "GET /newsletter/subscribe", // leads to the archive
  "POST /newsletter/subscribe",
  "GET /contact", // leads to the site
  "POST /contact",
  "GET /rss.xml",
  "GET /atom.xml",
  "GET /sitemap.xml",
  "GET /sitemap-:page",
  "GET /robots.txt",
  "GET /", // leads to the dashboard
  "GET /healthz",
  "GET /readyz",
  "GET /metrics", // its own rule: from this machine, or with METRICS_TOKEN
  "GET /assets/:name",
  "GET /assets/brand.css",
  "GET /assets/logo",
  "GET /openapi.json",
  "GET /docs",
  "GET /docs.md",
  "GET /llms.txt",
  "GET /docs/search",
  "GET /docs/postroom-client.tgz",
  "GET /docs/postroom-examples.tgz",
  "GET /docs/:page",
  "GET /dashboard/setup", // the doors of the dashboard: one-time tokens, passwords, passkeys
  "POST /dashboard/setup",
  "GET /dashboard/reset",
  "POST /dashboard/reset",
  "GET /dashboard/sign-in",
  "POST /dashboard/sign-in",
  "POST /dashboard/sign-in/code",
  "POST /dashboard/sign-in/passkey/challenge",
  "POST /dashboard/sign-in/passkey",
]);

/**
 * What managers who are not owners may not do: decide who has access, where files are stored, whom emails come from,
 * and whose data is erased.
 */
const forOwners = [
  /^\w+ \/dashboard\/managers(\/|$)/,
  /^POST \/dashboard\/storage\/nodes(\/|$)/,
  /^GET \/dashboard\/storage\/nodes\/(new|:id\/edit|:id\/remove)$/,
  /^POST \/dashboard\/settings\/(owner|limits|newsletter)$/,
  /^\w+ \/dashboard\/settings\/set-up(\/|$)/,
  /^\w+ \/dashboard\/people\/erase$/,
];

/** What every role includes: the own account, and pages whose content follows the role. */
const forEveryone = [
  /^\w+ \/dashboard\/(account|confirm|sign-out|views|columns|search|shortcuts|live)(\/|$)/,
  /^GET \/dashboard\/?$/,
  /^GET \/dashboard\/settings(\/|\/appearance)?$/,
  /^POST \/dashboard\/settings\/(appearance|theme\/:theme)$/,
  /^GET \/dashboard\/(posts\/(:id\/)?views|projects\/(:id\/)?clicks)(\/export\.csv)?$/,
];

/** Further routes of the roles that see a part of the dashboard. Whatever is not named here is closed to them. */
const ofRole = {
  editor: [/^\w+ \/dashboard\/(posts|projects|calendar)(\/|$)/, /^\w+ \/dashboard\/storage(?!\/(nodes|trash))(\/|$)/],
  analyst: [/^GET \/dashboard\/running$/, /^GET \/dashboard\/broadcasts(\/|\/:id(\/(run|figures))?)?$/],
};

/** Whether a role includes a route of the dashboard. */
export const includes = (role: keyof typeof ofRole, { method, path }: Route): boolean =>
  [...forEveryone, ...ofRole[role]].some((route) => route.test(`${method} ${path}`));

/** Returns who may use a route, by the specification; undefined if that has not been decided yet. */
export function whoMay({ method, path }: Route): Access | undefined {
  if (open.has(`${method} ${path}`)) return "anybody";
  if (path.startsWith("/api/v1/")) return "the holder of a key";
  if (forOwners.some((route) => route.test(`${method} ${path}`))) return "an owner";
  return /^\/dashboard(\/|$)/.test(path) ? "a manager" : undefined;
}

export const openRoutes: ReadonlySet<string> = open;

/** Spellings of a path that a router, a proxy or a cache may treat as the same. */
export const spellings = (path: string): string[] => {
  const cut = path.lastIndexOf("/");
  const [head, tail] = [path.slice(0, cut), path.slice(cut + 1)];
  return [
    path,
    `${path}/`,
    `/${path}`,
    `${head}//${tail}`,
    `${head}/./${tail}`,
    `${head}/x/../${tail}`,
    `${head || "/"}%2f${tail}`,
    `${head || "/"}\\${tail}`,
    path.toUpperCase(),
    `${path};a=b`,
    `${path}%00`,
    `${path}.json`,
    path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ];
};

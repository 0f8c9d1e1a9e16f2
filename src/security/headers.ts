import type { Config } from "../platform/config";

/** Public endpoints that a site's own pages call from the browser (D41). Keyed ones never: keys stay on servers. */
const callable = /^\/api\/(newsletter\/subscribe|contact|posts\/[^/]+)\/?$/;

/** Returns the CORS headers of a response; none if the origin or the path is not allowed. */
export function corsHeaders(pathname: string, origin: string | null, allowed: Set<string>): Record<string, string> {
  if (!callable.test(pathname)) return {};
  const refused = refusedOrigin(origin, allowed);
  if (refused)
    return {
      vary: "Origin",
      "postroom-hint": `Origin ${refused} is not allowed; allow it under Settings, Set up, or in CORS_ORIGINS`,
    };
  if (origin === null || !allowed.has(origin)) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    "cross-origin-resource-policy": "cross-origin",
  };
}

/** Returns an origin of the web that is not allowed, as browsers write it; undefined for anything else. */
export function refusedOrigin(origin: string | null, allowed: Set<string>): string | undefined {
  if (origin === null || allowed.has(origin)) return undefined;
  const url = URL.parse(origin);
  return url && /^https?:$/.test(url.protocol) && url.origin === origin ? origin : undefined;
}

/** Returns the headers of a preflight response; none for paths that no other site may call. */
export const preflightHeaders = (pathname: string, methods: string[]): Record<string, string> =>
  callable.test(pathname)
    ? {
        "access-control-allow-methods": methods.join(", "),
        "access-control-allow-headers": "Content-Type, Idempotency-Key",
        "access-control-max-age": "7200",
      }
    : {};

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The headers of every response, errors included (D38). A route can be stricter by setting its own value first. */
export const securityHeaders = ({ isHttps }: Pick<Config, "isHttps">): Record<string, string> => ({
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  ...(isHttps && { "strict-transport-security": "max-age=31536000; includeSubDomains" }),
});

/** The policy for a page that loads from or uploads to storage nodes (D38). */
export const policyWithNodes = (origins: string[]) =>
  [
    contentSecurityPolicy
      .replace("img-src 'self'", ["img-src 'self'", ...origins].join(" "))
      .replace("connect-src 'self'", ["connect-src 'self'", ...origins].join(" ")),
    ...(origins.length ? [["media-src", ...origins].join(" ")] : []),
  ].join("; ");

/** The policy for a page that shows pictures from these places. */
export const policyWithPictures = (places: string[]) =>
  contentSecurityPolicy.replace("img-src 'self'", ["img-src 'self'", ...places].join(" "));

/** The policy for a page whose form may lead to another site: browsers apply form-action to redirects too. */
export const policyWithFormTarget = (origin: string) =>
  contentSecurityPolicy.replace("form-action 'self'", `form-action 'self' ${origin}`);

/** The policy for a page that shows another page of ours in a frame. */
export const policyWithFrame = `${contentSecurityPolicy}; frame-src 'self'`;
/** The policy for the page in that frame: an email's HTML, which runs nothing, loads nothing and links nowhere. */
export const policyOfPreview =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/**
 * The same with pictures from these places. @param allow what the frame may do; a page of ours loads its own style
 * sheets
 */
export const policyOfPreviewWith = ({ pictures, allow }: { pictures: string[]; allow: string }) =>
  [
    policyOfPreview.replace("sandbox;", `${`sandbox ${allow}`.trim()};`),
    ...(pictures.length ? [["img-src", ...pictures].join(" ")] : []),
  ]
    .join("; ")
    .replace("style-src 'unsafe-inline'", allow ? "style-src 'self'; font-src 'self'" : "style-src 'unsafe-inline'");

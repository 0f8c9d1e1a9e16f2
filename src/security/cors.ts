/** Public endpoints that a site's own pages call from the browser (D41). Keyed ones never: keys stay on servers. */
const callable = /^\/api\/(newsletter\/subscribe|contact|posts\/[^/]+)\/?$/;

/** Returns the CORS headers of a response; none if the origin or the path is not allowed. */
export function corsHeaders(pathname: string, origin: string | null, allowed: Set<string>): Record<string, string> {
  if (!callable.test(pathname)) return {};
  if (origin === null || !allowed.has(origin)) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    "cross-origin-resource-policy": "cross-origin",
  };
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

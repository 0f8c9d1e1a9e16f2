import type { Config } from "../platform/config";

/**
 * Whether one of our own pages sent the request (D37). Browsers say so in `Sec-Fetch-Site`; those that do not must send
 * our `Origin`. Anything else was sent by another site's page, or by no page at all.
 */
export function isFromOwnPage({ BASE_URL }: Pick<Config, "BASE_URL">, { headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  return origin !== null && ownOrigins(BASE_URL).includes(origin);
}

/**
 * The origin of BASE_URL, never that of a Host header (D2). On a developer's machine all its loopback names count,
 * because one may open 127.0.0.1 where the configuration says localhost.
 */
export function ownOrigins(baseUrl: string): string[] {
  const { origin, hostname, protocol, port } = new URL(baseUrl);
  if (!loopback.includes(hostname)) return [origin];
  return loopback.map((name) => `${protocol}//${name}${port && `:${port}`}`);
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

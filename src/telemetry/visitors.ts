import { createHmac, randomBytes } from "node:crypto";
import { dayOf } from "../../db/lib/time";
import type { Config } from "../platform/config";
import type { RequestContext } from "../platform/request-context";
import { clientNetwork } from "../platform/client-address";
import { ipVersion } from "../platform/ip-address";

const maxVisitors = 200_000; // remembered at the same time, about 20 MB; then the oldest are forgotten
/** User agents of programs. CUBOT is a brand of phones. */
const bot = /(?<!\bcu)bot\b|crawl|spider|slurp|preview|facebookexternalhit|lighthouse|headless|monitor/i;

/** What distinguishes visitors within a day. */
export const visitorOf = ({ visitorAddress, visitorAgent }: RequestContext) =>
  `${clientNetwork(visitorAddress)} ${visitorAgent.slice(0, 512)}`;

/**
 * Whether this is a person's first visit to something today (D26). Visitors are kept as hashes under a salt that is
 * only in memory and changes every day, so that no one can be recognised tomorrow.
 */
export function visitorsOfTheDay(now: () => Date) {
  const seen = new Set<string>();
  let today = -1;
  let salt = "";

  return (subject: string, context: RequestContext): boolean => {
    if (context.isPassive || bot.test(context.visitorAgent)) return false;
    const date = dayOf(now());
    if (date !== today) {
      [today, salt] = [date, randomBytes(32).toString("hex")];
      seen.clear();
    }
    const person = `${subject} ${visitorOf(context)}`;
    const visitor = createHmac("sha256", salt).update(person).digest("base64url");
    if (seen.has(visitor)) return false;
    const [oldest] = seen;
    if (seen.size >= maxVisitors && oldest) seen.delete(oldest);
    seen.add(visitor);
    return true;
  };
}

const maxRead = 2_048;
const maxHost = 100;

/**
 * Returns the host of the site that a reader came from, and nothing else of the address. Undefined if it is our own, is
 * not the name of a site, or was not given.
 */
export function referrerHost(
  referrer: string | null | undefined,
  { BASE_URL, BLOG_URL, CORS_ORIGINS }: Pick<Config, "BASE_URL" | "BLOG_URL" | "CORS_ORIGINS">,
): string | undefined {
  if (!referrer || referrer.length > maxRead) return undefined;
  const host = hostOf(referrer);
  if (!host || host.length > maxHost || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) || ipVersion(host)) return undefined;
  return [BASE_URL, BLOG_URL, ...CORS_ORIGINS].some((own) => hostOf(own) === host) ? undefined : host;
}

/** Without the "www." that many sites have two of. */
function hostOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/^www\./, "").replace(/\.$/, "") : undefined;
}

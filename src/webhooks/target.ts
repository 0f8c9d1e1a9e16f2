import { isIP } from "node:net";
import { isPublicAddress } from "../platform/networks";

export const maxUrlLength = 500; // UTF-16 units, as URLs are ASCII
export const urlTooLong = `The URL must be at most ${maxUrlLength} characters long.`;

/** What whoever runs the service has to change. */
const byOperator = { setting: "WEBHOOK_PRIVATE_HOSTS" } as const;

type Target = { url: string } | { problem: string; setting?: "WEBHOOK_PRIVATE_HOSTS" };

/**
 * Checks the URL of an endpoint. Requests go to the public Internet only, over HTTPS; hosts that the operator lists in
 * WEBHOOK_PRIVATE_HOSTS may be elsewhere and use HTTP.
 *
 * @returns the URL as it is stored, or what is wrong with it, as a sentence, and the setting that would allow it
 */
export function webhookTarget(text: string, privateHosts: ReadonlySet<string>): Target {
  if (text.length > maxUrlLength) return { problem: urlTooLong };
  if (!URL.canParse(text)) return { problem: "Enter a URL such as https://example.com/hooks." };
  const url = new URL(text);
  const isOurs = privateHosts.has(url.hostname);
  if (url.username || url.password) return { problem: "The URL must not contain a user name or password." };
  if (url.protocol !== "https:" && !(isOurs && url.protocol === "http:"))
    return {
      problem: "The URL must start with https://, unless the server’s administrator has allowed its host.",
      ...byOperator,
    };
  if (url.hash) return { problem: "The URL must not have a fragment." };
  if (isOurs) return { url: url.href };
  const port = Number(url.port || 443);
  if (port !== 443 && port < 1_024) return { problem: "The port must be 443, or 1024 or above." };
  if (!isPublicName(hostOf(url)))
    return {
      problem: "The host must be on the public Internet, or allowed by the server’s administrator.",
      ...byOperator,
    };
  return { url: url.href };
}

/** Returns the host without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** Literal addresses are checked here; a name that is not on the Internet cannot resolve to anything useful. */
const isPublicName = (host: string) => (isIP(host) ? isPublicAddress(host) : /\.[a-z][a-z\d-]*\.?$/i.test(host));

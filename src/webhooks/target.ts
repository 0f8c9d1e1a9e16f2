import { BlockList, isIP } from "node:net";

/**
 * Everything that is not the public Internet (IANA special-purpose registries, RFC 6890), and clouds' metadata
 * services.
 */
const reserved = new BlockList();
const ranges4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
];
for (const range of ranges4) add(range, "ipv4");

/**
 * Of IPv6, only global unicast addresses are allowed, without the ranges in them that are tunnels to IPv4 or examples.
 */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");
for (const range of ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"]) add(range, "ipv6");

function add(range: string, family: "ipv4" | "ipv6") {
  const [address = "", bits] = range.split("/");
  reserved.addSubnet(address, Number(bits), family);
}

/**
 * Whether an address is on the public Internet. Loopback, private, link-local, carrier-grade NAT, multicast, mapped,
 * translated (NAT64) and tunnelled addresses are not.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, "ipv4");
  return family === 6 && globalUnicast.check(address, "ipv6") && !reserved.check(address, "ipv6");
}

export const maxUrlLength = 500; // UTF-16 units, as URLs are ASCII
export const urlTooLong = `The URL must be at most ${maxUrlLength} characters long.`;

/**
 * Checks the URL of an endpoint. Requests go to the public Internet only, over HTTPS; hosts that the operator lists in
 * WEBHOOK_PRIVATE_HOSTS may be elsewhere and use HTTP.
 *
 * @returns the URL as it is stored, or what is wrong with it, as a sentence
 */
export function webhookTarget(text: string, privateHosts: ReadonlySet<string>): { url: string } | { problem: string } {
  if (text.length > maxUrlLength) return { problem: urlTooLong };
  if (!URL.canParse(text)) return { problem: "Enter a URL such as https://example.com/hooks." };
  const url = new URL(text);
  const isOurs = privateHosts.has(url.hostname);
  if (url.username || url.password) return { problem: "The URL must not contain a user name or password." };
  if (url.protocol !== "https:" && !(isOurs && url.protocol === "http:"))
    return { problem: "The URL must start with https://." };
  if (url.hash) return { problem: "The URL must not have a fragment." };
  if (isOurs) return { url: url.href };
  const port = Number(url.port || 443);
  if (port !== 443 && port < 1_024) return { problem: "The port must be 443, or 1024 or above." };
  if (!isPublicName(hostOf(url))) return { problem: "The host must be on the public Internet." };
  return { url: url.href };
}

/** Returns the host without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** Literal addresses are checked here; a name that is not on the Internet cannot resolve to anything useful. */
const isPublicName = (host: string) => (isIP(host) ? isPublicAddress(host) : /\.[a-z][a-z\d-]*\.?$/i.test(host));

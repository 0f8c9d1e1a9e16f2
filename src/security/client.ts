import { type BlockList, isIP } from "node:net";

const maxHops = 32; // proxies before us; a header may list a thousand

/**
 * The address of whoever sent the request (D30): the socket's peer; or, when that is a trusted proxy, the first
 * address from the right of X-Forwarded-For that is not one. Anything that does not parse falls back to the peer.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: BlockList): string {
  const socket = unmapped(peer);
  if (forwardedFor === null || !isTrusted(socket, trusted)) return socket;
  for (const hop of forwardedFor.split(",").slice(-maxHops).reverse()) {
    const address = unmapped(hop.trim());
    if (!isIP(address)) return socket;
    if (!isTrusted(address, trusted)) return address;
  }
  return socket;
}

/** What counts as one client: an IPv4 address, or the /64 that one IPv6 household gets. */
export const clientNetwork = (address: string): string =>
  isIP(address) === 6 ? `${groups(address).slice(0, 4).join(":")}::/64` : address;

/** What counts as one network for the scanner detector (D15): the /24 of IPv4, the /64 of IPv6. */
export const wideNetwork = (address: string): string =>
  isIP(address) === 4 ? `${address.split(".").slice(0, 3).join(".")}.0/24` : clientNetwork(address);

const isTrusted = (address: string, trusted: BlockList) =>
  isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** ::ffff:192.0.2.1 and ::ffff:c000:201 are 192.0.2.1. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const parts = groups(address);
  if (parts.slice(0, 5).some((part) => part !== "0") || parts[5] !== "ffff") return address;
  return parts
    .slice(6)
    .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
    .join(".");
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groups(address: string): string[] {
  const [bare = ""] = address.split("%");
  const hex = bare.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((n) => n.toString(16)).join(":"),
  );
  const [left = "", right] = hex.toLowerCase().split("::");
  const head = left.split(":").filter(Boolean);
  const tail = right?.split(":").filter(Boolean) ?? [];
  const zeros = right === undefined ? [] : new Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((part) => part.replace(/^0+(?=.)/, ""));
}

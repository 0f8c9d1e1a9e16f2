import { groups, ipVersion, isIn, type Network, unmapped } from "./networks";

const maxHops = 32; // proxies examined; a header may list a thousand

/**
 * Returns the client's IP address (D30): the socket's peer or, if that is a trusted proxy, the first address from the
 * right of X-Forwarded-For that is not one. An address that cannot be parsed falls back to the peer.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: readonly Network[]): string {
  const socket = unmapped(peer);
  if (forwardedFor === null || !isIn(trusted, socket)) return socket;
  for (const hop of forwardedFor.split(",").slice(-maxHops).reverse()) {
    const address = unmapped(hop.trim());
    if (!ipVersion(address)) return socket;
    if (!isIn(trusted, address)) return address;
  }
  return socket;
}

/** What counts as one client: an IPv4 address, or the /64 that an IPv6 household gets. */
export const clientNetwork = (address: string): string =>
  ipVersion(address) === 6 ? `${groups(address).slice(0, 4).join(":")}::/64` : address;

/** What counts as one network when detecting mail scanners (D15): the /24 of IPv4, the /64 of IPv6. */
export const wideNetwork = (address: string): string =>
  ipVersion(address) === 4 ? `${address.split(".").slice(0, 3).join(".")}.0/24` : clientNetwork(address);

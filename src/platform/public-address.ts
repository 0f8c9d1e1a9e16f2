import { ipVersion, isIn, type Network, networkOf } from "./networks";

const networksOf = (ranges: string[]): Network[] => ranges.flatMap((range) => networkOf(range) ?? []);

/**
 * Everything that is not the public Internet (IANA special-purpose registries, RFC 6890), and clouds' metadata
 * services.
 */
const reserved4 = networksOf([
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
]);

/**
 * Of IPv6, only global unicast addresses are allowed, without the ranges in them that are tunnels to IPv4 or examples.
 */
const globalUnicast = networksOf(["2000::/3"]);
const reserved6 = networksOf(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"]);

/**
 * Whether an address is on the public Internet. Loopback, private, link-local, carrier-grade NAT, multicast, mapped,
 * translated (NAT64) and tunnelled addresses are not.
 */
export function isPublicAddress(address: string): boolean {
  const version = ipVersion(address);
  if (version === 4) return !isIn(reserved4, address);
  return version === 6 && isIn(globalUnicast, address) && !isIn(reserved6, address);
}

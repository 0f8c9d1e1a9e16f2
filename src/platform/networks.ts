/* Parses IP addresses. `node:net` can do this too, but loading it takes five milliseconds of every start. */

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const ipv6 = /^([\da-f:.]{2,45})(?:%[\w.:-]{1,64})?$/i; // what the URL parser may be given

/** Returns 4 or 6; 0 if the text is not an IP address. */
export function ipVersion(text: string): 0 | 4 | 6 {
  if (ipv4.test(text)) return 4;
  const [, address] = ipv6.exec(text) ?? [];
  return address?.includes(":") && URL.canParse(`http://[${address}]/`) ? 6 : 0;
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
export function groups(address: string): string[] {
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

/** Turns ::ffff:192.0.2.1 and ::ffff:c000:201 into 192.0.2.1. */
export function unmapped(address: string): string {
  if (ipVersion(address) !== 6) return address;
  const parts = groups(address);
  if (parts.slice(0, 5).some((part) => part !== "0") || parts[5] !== "ffff") return address;
  return parts
    .slice(6)
    .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
    .join(".");
}

/** The bits that the addresses of a network begin with. */
export type Network = { version: 4 | 6; bits: string };

const mappedBits = 96; // of ::ffff:192.0.2.1 before those of its IPv4 address

/** Reads "10.0.0.0/8" or a single address, also as IPv6 that maps IPv4; undefined if it is neither. */
export function networkOf(text: string): Network | undefined {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = ipVersion(address);
  const bits = bitsOf(address, version);
  const size = Number(length ?? bits.length);
  if (!version || size > bits.length) return undefined;
  const inner = unmapped(address);
  if (inner === address || size < mappedBits) return { version, bits: bits.slice(0, size) };
  return { version: 4, bits: bitsOf(inner, 4).slice(0, size - mappedBits) };
}

export const networks = (...ranges: string[]): Network[] => ranges.flatMap((range) => networkOf(range) ?? []);

const loopback = networks("127.0.0.0/8", "::1");

/** Whether the host, an address or a name, is this machine. */
export const isThisMachine = (host: string): boolean => isIn(loopback, host) || /^(.+\.)?localhost$/.test(host);

/** Returns the host of a parsed URL, an address without its brackets; undefined if it is no host. */
export function hostOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return ipVersion(host) || /^[a-z\d]([\w.-]*[a-z\d.])?$/.test(host) ? host : undefined;
}

/** Whether some address is in both networks. */
export const overlap = (a: Network, b: Network): boolean =>
  a.version === b.version && (a.bits.startsWith(b.bits) || b.bits.startsWith(a.bits));

/** Whether the address is in one of the networks. */
export function isIn(networks: readonly Network[], text: string): boolean {
  const address = unmapped(text);
  const version = ipVersion(address);
  const bits = bitsOf(address, version);
  return networks.some((network) => network.version === version && bits.startsWith(network.bits));
}

function bitsOf(address: string, version: 0 | 4 | 6): string {
  const parts = version === 4 ? address.split(".") : version === 6 ? groups(address).map((part) => `0x${part}`) : [];
  return parts
    .map((part) =>
      Number(part)
        .toString(2)
        .padStart(version === 4 ? 8 : 16, "0"),
    )
    .join("");
}

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

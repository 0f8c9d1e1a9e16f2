import { groups, ipVersion, unmapped } from "./ip-address";

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

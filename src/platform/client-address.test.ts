import { expect, test } from "bun:test";
import { loadConfig } from "./config";
import { clientAddress, clientNetwork, wideNetwork } from "./client-address";

const trusting = (TRUSTED_PROXIES: string) =>
  loadConfig({ APP_SECRET: "a-secret-of-at-least-32-characters", TRUSTED_PROXIES }).TRUSTED_PROXIES;

test.each<[why: string, proxies: string, peer: string, forwarded: string | null, address: string]>([
  ["no proxy, no header", "loopback", "203.0.113.9", null, "203.0.113.9"],
  ["a stranger's header is not believed", "loopback", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a proxy on this machine is", "loopback", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["also over IPv6", "loopback", "::1", "198.51.100.1", "198.51.100.1"],
  ["also when its address is mapped", "loopback", "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
  [
    "the rightmost is the client, the rest is hearsay",
    "loopback",
    "127.0.0.1",
    "10.9.9.9, 198.51.100.1",
    "198.51.100.1",
  ],
  [
    "proxies behind proxies are skipped",
    "127.0.0.0/8,10.0.0.0/8",
    "10.0.0.1",
    "198.51.100.1, 10.0.0.7",
    "198.51.100.1",
  ],
  ["nothing but proxies: the peer", "10.0.0.0/8", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.1"],
  ["nonsense: the peer", "loopback", "127.0.0.1", "unknown", "127.0.0.1"],
  ["nonsense at the right hides nothing", "loopback", "127.0.0.1", "198.51.100.1, nonsense", "127.0.0.1"],
  ["a port is nonsense", "loopback", "127.0.0.1", "198.51.100.1:443", "127.0.0.1"],
  ["an empty header", "loopback", "127.0.0.1", "", "127.0.0.1"],
  ["mapped IPv6 is IPv4", "loopback", "127.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ["in hex as well", "loopback", "127.0.0.1", "0:0:0:0:0:ffff:c633:6401", "198.51.100.1"],
  ["IPv6 stays", "loopback", "127.0.0.1", "2001:db8::1", "2001:db8::1"],
  ["none trusts nobody", "none", "127.0.0.1", "198.51.100.1", "127.0.0.1"],
  ["a CIDR list is a list", "192.0.2.0/24, 2001:db8::/32", "2001:db8::5", "198.51.100.1", "198.51.100.1"],
  ["outside of it is outside", "192.0.2.0/24", "192.0.3.1", "198.51.100.1", "192.0.3.1"],
])("%s", (_, proxies, peer, forwarded, address) => {
  expect(clientAddress(peer, forwarded, trusting(proxies))).toBe(address);
});

test("of a chain of proxies 32 are looked at, the nearest first; behind a longer one no one is believed", () => {
  const trusted = trusting("10.0.0.0/8");
  const chain = (hops: number) => ["198.51.100.1", ...Array.from({ length: hops }, () => "10.0.0.1")].join();
  expect(clientAddress("10.0.0.2", chain(31), trusted)).toBe("198.51.100.1");
  expect(clientAddress("10.0.0.2", chain(32), trusted)).toBe("10.0.0.2");
});

test("an IPv6 household is one client, an IPv4 address is one", () => {
  expect(clientNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(clientNetwork("2001:0db8:0001:0002::")).toBe("2001:db8:1:2::/64");
  expect(clientNetwork("2001:db8:1:3::6")).toBe("2001:db8:1:3::/64");
  expect(clientNetwork("::1")).toBe("0:0:0:0::/64");
  expect(clientNetwork("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  expect(clientNetwork("203.0.113.9")).toBe("203.0.113.9");
  expect(wideNetwork("203.0.113.9")).toBe("203.0.113.0/24");
  expect(wideNetwork("2001:db8:1:2::9")).toBe("2001:db8:1:2::/64");
});

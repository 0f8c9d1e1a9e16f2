import { expect, test } from "bun:test";
import fc from "fast-check";
import { BlockList, isIP } from "node:net";
import { groups, ipVersion, isIn, networkOf } from "./networks";

test("what is an address, and in which network, is said as node:net says it", () => {
  const octet = fc.oneof(fc.nat(255), fc.constantFrom("01", "256", "", "1e1", "+1"));
  const group = fc.oneof(
    fc.nat(0xffff).map((n) => n.toString(16)),
    fc.constantFrom("0", "00ff", "ffff", "", "10000", "g"),
  );
  const like = fc.oneof(
    fc.array(octet, { minLength: 3, maxLength: 5 }).map((octets) => octets.join(".")),
    fc.array(group, { minLength: 1, maxLength: 9 }).map((groups) => groups.join(":")),
    fc.tuple(fc.constantFrom("::ffff:", "::", "1:2:3:4:5:6:", "64:ff9b::"), fc.ipV4()).map((parts) => parts.join("")),
    ...[
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ maxLength: 20 }),
      fc.constantFrom("::", "fe80::1%eth0", "[::1]", "::1]:80/["),
    ],
  );
  const isOdd = (text: string) => text.includes("::") && groups(text).length === 8; // parsers differ here, including those of URLs
  fc.assert(
    fc.property(like, (text) => ipVersion(text) === isIP(text) || (ipVersion(text) !== 4 && isOdd(text))),
    { numRuns: 3_000 },
  );
  const ipV6 = fc
    .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((parts) => parts.map((n) => n.toString(16)).join(":"));
  const pair = fc.oneof(fc.tuple(fc.ipV4(), fc.ipV4()), fc.tuple(ipV6, ipV6));
  fc.assert(
    fc.property(pair, fc.nat(12), ([network, other], length) => {
      const family = isIP(network) === 6 ? "ipv6" : "ipv4";
      const list = new BlockList();
      list.addSubnet(network, length, family);
      const networks = [networkOf(`${network}/${length}`) ?? []].flat();
      return isIn(networks, network) && isIn(networks, other) === list.check(other, family);
    }),
    { numRuns: 3_000 },
  );
});

test.each(["10.0.0.0/", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/8/9", "::/129", "", "/8"])("%p is no network", (text) => {
  expect(networkOf(text)).toBeUndefined();
});

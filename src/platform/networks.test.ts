import { expect, test } from "bun:test";
import { isIn, networkOf, overlap } from "./networks";

const contains = (network: string, address: string) => isIn([networkOf(network) ?? []].flat(), address);

test.each([
  ["::ffff:10.0.0.0/104", "10.1.2.3", "11.0.0.1"],
  ["::ffff:a00:0/104", "10.1.2.3", "11.0.0.1"],
  ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2.8"],
  ["::ffff:0.0.0.0/96", "198.51.100.1", "2001:db8::1"],
  ["2001:db8::/32", "2001:db8::1", "2001:db9::1"],
])("%s contains %s, also as IPv6, and not %s", (network, inside, outside) => {
  expect([contains(network, inside), contains(network, outside)]).toEqual([true, false]);
  if (!inside.includes(":")) expect(contains(network, `::ffff:${inside}`)).toBe(true);
});

test("a network of IPv4 written as IPv6 overlaps the same one written as IPv4", () => {
  const [mapped, plain] = [networkOf("::ffff:127.0.0.0/104"), networkOf("127.0.0.1")];
  expect(mapped && plain && overlap(mapped, plain)).toBe(true);
});

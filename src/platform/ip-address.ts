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

import { expect, test } from "bun:test";
import { emailKey } from "../../db/lib/email-key";
import { emailAddress } from "../platform/text/email-address";

const isAddress = (text: string) => emailAddress.safeParse(text).success;

test("an address is what is written, to the last character: nothing of its domain may be cut off or decoded", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const invisible = ["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\u00a0", "\u3000"];
  const marks = [...ascii.filter((mark) => !/[a-z0-9.-]/i.test(mark)), ...invisible];
  const accepted = marks.filter((mark) => isAddress(`ada@ex${mark}ample.com`) || isAddress(`ada@example.com${mark}x`));
  expect(accepted).toEqual([]);
  for (const text of [
    "ada@ex%61mple.com",
    "ada@example.com?bcc=eve@example.com",
    "ada@example.com/",
    "ada@example.com#",
  ])
    expect([text, isAddress(text)]).toEqual([text, false]);
});

test.each([
  ["ada@bücher.example", "ada@xn--bcher-kva.example"],
  [" Ada+News@BÜCHER.example ", "ada+news@xn--bcher-kva.example"],
  ["ada@例え.jp", "ada@xn--r8jz45g.jp"],
  ["ada@example。com", "ada@example.com"],
  ["user@почта.рф", "user@xn--80a1acny.xn--p1ai"],
  ["User@XN--80A1ACNY.XN--P1AI", "user@xn--80a1acny.xn--p1ai"],
  ["ada@भारत.भारत", "ada@xn--h2brj9c.xn--h2brj9c"],
  ["ada@موقع.مصر", "ada@xn--4gbrim.xn--wgbh1c"],
  ["A/b=c%d&e!f#g$h*i?j^k{l|m}n~o`p@x.example", "a/b=c%d&e!f#g$h*i?j^k{l|m}n~o`p@x.example"],
  ["o'neill_a-b@sub.example.co.uk", "o'neill_a-b@sub.example.co.uk"],
])("%s is an address, and the same as %s (D11)", (text, key) => {
  expect(isAddress(text)).toBe(true);
  expect(emailKey(text)).toBe(key);
});

import { expect, test } from "bun:test";
import { Linked } from "./linked";

const addresses = (text: string) =>
  [...String(<Linked text={text} />).matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, href, words]) => {
    expect(words).toBe(href ?? "");
    return href;
  });

test.each([
  ["See https://example.org/a?b=1.", ["https://example.org/a?b=1"]],
  ["(https://example.org/a), then", ["https://example.org/a"]],
  ["https://en.example.org/wiki/Tide_(sea) here", ["https://en.example.org/wiki/Tide_(sea)"]],
  ["two: https://a.example and https://b.example/", ["https://a.example", "https://b.example/"]],
  ["http://plain.example ftp://x.example javascript:alert(1) data:text/html,x", []],
  ["https://bank.example@evil.example/", []],
  ["https://localhost/ https://", []],
])("in %j the https addresses are links, named by themselves", (text, found) => {
  expect(addresses(text)).toEqual(found);
});

test("everything else stays the text it was", () => {
  const hostile = `"><img src=x onerror=alert(1)> https://evil.example/"onmouseover=alert(1) <script>`;
  const html = String(<Linked text={hostile} />);
  expect(html).not.toMatch(/<(img|script)|<a [^>]*onmouseover/);
  expect(html.replace(/<\/?a[^>]*>/g, "")).toBe(String(<>{hostile}</>));
});

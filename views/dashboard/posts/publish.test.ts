import { expect, test } from "bun:test";
import { checksOf } from "./publish";

const silent = (content: string) => checksOf({ excerpt: "a", coverImage: "/a.png", content });

test.each([
  ["![](a.png) and ![ ](b.png)", "2 images have no description for people who cannot see it."],
  ['<img src="a.png" /> <img alt="" src="b.png">', "2 images have no description for people who cannot see it."],
  ['<img src="a.png">', "An image has no description for people who cannot see it."],
])("%s is told of before it is published", (content, check) => {
  expect(silent(content)).toEqual([check]);
});

test.each(["![A lamp](a.png)", '<img src="a.png" alt="A lamp" />', "<img alt={words} />", "`![](a.png)`"])(
  "%s is in order",
  (content) => expect(silent(content)).toEqual([]),
);

test.each(["<img ", "<img", "![ ", "![", "`", "```"])("a text of nothing but %j holds up nobody", (piece) => {
  const began = performance.now();
  silent(piece.repeat(900_000 / piece.length));
  expect(performance.now() - began).toBeLessThan(1_000);
});

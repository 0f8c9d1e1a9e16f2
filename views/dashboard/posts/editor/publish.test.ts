import { expect, test } from "bun:test";
import { checksOf } from "./publish";
import { costBeside } from "../../../../test/support/cost";

const silent = (content: string) => checksOf({ excerpt: "a", coverImage: "/a.png", content });

test.each([
  ["![](a.png) and ![ ](b.png)", "2 pictures without alternative text."],
  ['<img src="a.png" /> <img alt="" src="b.png">', "2 pictures without alternative text."],
  ['<img src="a.png">', "1 picture without alternative text."],
])("%s is reported before publication", (content, check) => {
  expect(silent(content)).toEqual([check]);
});

test.each(["![A lamp](a.png)", '<img src="a.png" alt="A lamp" />', "<img alt={words} />", "`![](a.png)`"])(
  "%s is in order",
  (content) => expect(silent(content)).toEqual([]),
);

test.each(["<img ", "<img", "![ ", "![", "`", "```"])("a text of nothing but %j is read quickly", (piece) => {
  const ordinary = "A lamp on the quay. ".repeat(45_000);
  const odd = piece.repeat(ordinary.length / piece.length);
  const cost = costBeside(
    () => silent(ordinary),
    () => silent(odd),
  );
  expect(cost).toBeLessThan(20);
});

import type { Random } from "./random";

/* Texts that cost more than others of the same length if some work is unbounded. */

/** What ordinary people send: the basis of comparison. */
export function words(length: number): string {
  const some = "The harbour was quiet, and a lamp stood on the quay. Nobody asked whose it was; it burned all night.\n";
  return some.repeat(Math.ceil(length / some.length)).slice(0, length);
}

const pieces = [
  ..."[{]}\"'\\`*_~#<>|!()&%+=;:,./?@$^- \n\t\r\0aA0",
  ...["\u0301\u0316", "\u0316", "\uff9e\u0301", "\ufdfa", "\u3300", "\u0345", "\u1100\u1161\u11a8", "\u200d", "\u202e"],
  ...["İ", "ß", "ς", "ﬃ", "👩‍👩‍👧", "\ud800", "\u2028", "\u0600", "é", "漢", "\u{1d165}", "\ufeff"],
  ...[
    "a,",
    "a.",
    "a@",
    "a-",
    "; ",
    "&a=",
    "a=b&",
    "%25",
    "%e0",
    "\\u0000",
    '\\"',
    "1e9",
    "99",
    "0.",
    "-1,",
    "[1",
    '{"a":',
  ],
  ...[
    "](",
    "![",
    "[a](",
    "**a",
    "_a_",
    "```\n",
    "> ",
    "- ",
    "1. ",
    "| a ",
    "|-",
    "<a ",
    "</a>",
    "<!--",
    "{a",
    "{{",
    "${",
    "<A b={",
  ],
  ...[
    "import a\n",
    "# a\n",
    "  ",
    " \n",
    "\n\n",
    "\r\n",
    "a: ",
    "- - ",
    "&a [*a",
    "*a,",
    "? ",
    ": |\n",
    "!!a ",
    "--- \n",
    "a\n",
    '"a",',
    '""',
    '\n"',
    "=1,",
  ],
];

const combining = ["\u0301", "\u0316", "\u0345", "\u0334", "\uff9e", "\u{1d165}", "\u05b0", "\u3099"];

/** A text of this many bytes, or a little less. */
export function hostileText(random: Random, bytes: number): string {
  const text = random.of([grown, grown, halves, marks])(random, bytes).slice(0, bytes);
  return text.slice(0, Math.floor((text.length * bytes) / Math.max(bytes, Buffer.byteLength(text))));
}

/** One piece again and again, with something else before and after it; the piece itself was grown from others. */
function grown(random: Random, length: number): string {
  let piece = random.of(pieces);
  for (let times = random.below(4); times > 0; times--) {
    const other = random.of(pieces);
    piece = random.of([piece + other, other + piece, piece.repeat(1 + random.below(40)) + other, piece]);
  }
  const [begin, end] = [
    random.of(["", "", "a", random.of(pieces)]),
    random.of(["", "!", '"', "x\n", random.of(pieces)]),
  ];
  return begin + piece.repeat(Math.ceil(length / piece.length)).slice(0, length - begin.length - end.length) + end;
}

/** A run of one piece, and a run of another as long. */
function halves(random: Random, length: number): string {
  const half = (piece: string) => piece.repeat(Math.ceil(length / 4 / piece.length));
  return random.of(["", "a"]) + half(random.of(pieces)) + half(random.of(pieces));
}

/** Combining marks in an order that has to be turned around. */
function marks(random: Random, length: number): string {
  const [first, second] = [random.of(combining), random.of(combining)];
  const many = Math.floor(length / 6);
  return (
    random.of(["a", "", "ア"]) + random.of([first.repeat(many) + second.repeat(many), (first + second).repeat(many)])
  );
}

/** JSON in shapes that no client of ours sends, of about this length. */
export function hostileJson(random: Random, length: number): string {
  const item = random.of([
    "1",
    "{}",
    "[]",
    '""',
    "null",
    '"a"',
    "1e999",
    "-0",
    "0.1e-9",
    '{"a":1}',
    `"${"\\u0301".repeat(9)}"`,
  ]);
  const many = Math.floor(length / (item.length + 1));
  const depth = random.of([31, 33, Math.floor(length / 2), Math.floor(length / 2)]);
  const wide = `${`${item},`.repeat(Math.max(0, many - 1))}${item}`;
  const names = Array.from({ length: Math.floor(length / 10) }, (_, n) => `"${n.toString(36)}":${random.below(10)}`);
  const opened = Math.min(depth, Math.floor(length / 6));
  const deep = random.of(["[".repeat(depth) + "]".repeat(depth), `${'{"a":'.repeat(opened)}1${"}".repeat(opened)}`]);
  const flat = random.of([
    `[${wide}]`,
    "[".repeat(30) + wide + "]".repeat(30),
    `{${names.join()}}`,
    `{${'"a":1,'.repeat(Math.floor(length / 6))}"a":1}`,
    "9".repeat(length),
    `1e${"9".repeat(length - 2)}`,
    `0.${"0".repeat(length - 3)}1`,
    `"${"\\ud800".repeat(Math.floor(length / 6))}"`,
    `"${"\\\\".repeat(Math.floor(length / 2) - 1)}"`,
  ]);
  return random.of([deep, flat, flat]);
}

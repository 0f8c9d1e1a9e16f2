import { deflateRawSync, crc32 } from "node:zlib";
import type { Random } from "./random";

/* Texts that cost more than others of their length, where somebody forgot to bound the work. */

/** What ordinary people send: the measure of everything. */
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

/** A post's file: front matter or body, or both, of what costs. */
export function hostilePost(random: Random, length: number): string {
  const anchors = Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [${n ? `*a${n - 1},`.repeat(9) : "x"}]`).join(
    "\n",
  );
  const yaml = random.of([
    `title: ${hostileText(random, Math.floor(length / 2))}`,
    `title: A\ntags: [${"a,".repeat(Math.floor(length / 4))}]`,
    `title: A\n${anchors}\ntags: *a29`,
    `title: A\nexcerpt: *a\n`,
    hostileText(random, Math.floor(length / 2)),
    `title: A\n${"- ".repeat(Math.floor(length / 4))}`,
    `title: A\n${"a:\n ".repeat(100)}`,
    "title: A",
    "title: A",
  ]);
  return `---\n${yaml}\n---\n${hostileText(random, Math.max(0, length - yaml.length))}`;
}

/** A CSV file: long rows, many columns, quotes that never end. */
export function hostileCsv(random: Random, length: number): string {
  const columns = `email,${"a,".repeat(random.of([0, 10, 2_000]))}name`;
  const row = random.of([
    ",",
    "\n",
    '"',
    '""',
    '"a"',
    "a@b.example\n",
    `a@b.example${",".repeat(100)}\n`,
    "=1,",
    "\u0301",
    "a\n",
  ]);
  return `${random.of([columns, columns, hostileText(random, 500)])}\n${row.repeat(Math.floor(length / row.length))}`;
}

/** An archive of one packed file under several names, which may claim anything about itself. */
export function hostileZip(random: Random, unpacked: number): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(`---\ntitle: A\n---\n${random.of(["a", " ", "[", "\0", "\n"]).repeat(unpacked)}`);
  const packed = deflateRawSync(text);
  const claimed = random.of([text.length, text.length, 1, 0xffff_fff0]);
  const copies = random.of([1, 3, 400]);
  const name = (n: number) => Buffer.from(random.of([`${n}.md`, `${"d/".repeat(50)}${n}.md`]));
  const local = head(0x0403_4b50, [20, 0, 8, 0, 0], [crc32(text), packed.length, claimed], [4, 0]);
  const entries = Array.from({ length: copies }, (_, n) => {
    const called = name(n);
    const fields = head(
      0x0201_4b50,
      [20, 20, 0, 8, 0, 0],
      [crc32(text), packed.length, claimed],
      [called.length, 0, 0, 0, 0],
    );
    return Buffer.concat([fields, Buffer.alloc(8), called]);
  });
  const directory = Buffer.concat(entries);
  const start = local.length + 4 + packed.length;
  const end = head(0x0605_4b50, [0, 0, copies, copies], [directory.length, start], [0]);
  return new Uint8Array(Buffer.concat([local, Buffer.from("a.md"), packed, directory, end]));
}

/** Numbers as a ZIP archive has them: a mark, then shorts, longs and shorts. */
function head(mark: number, first: number[], longs: number[], last: number[]): Buffer {
  const bytes = Buffer.alloc(4 + 2 * first.length + 4 * longs.length + 2 * last.length);
  let at = bytes.writeUInt32LE(mark);
  for (const short of first) at = bytes.writeUInt16LE(short, at);
  for (const long of longs) at = bytes.writeUInt32LE(long, at);
  for (const short of last) at = bytes.writeUInt16LE(short, at);
  return bytes;
}

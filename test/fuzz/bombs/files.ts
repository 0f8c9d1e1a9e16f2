import { crc32, deflateRawSync } from "node:zlib";
import { hostileText } from "./material";
import type { Random } from "./random";

/* Files that cost more to read than others of their length. */

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

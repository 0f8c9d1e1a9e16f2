import { deflateSync } from "node:zlib";
import { animate, draw, pretendPng } from "../../support/storage/pictures";
import type { Random } from "./random";

/* Pictures that cost more to read than others of their length, and files that only claim to be pictures. */

const bytesOf = (text: string) => new TextEncoder().encode(text);

const chunk = (type: string, data: Uint8Array) => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(Bun.hash.crc32(named));
  return Buffer.concat([length, named, sum]);
};

/** A PNG with these parts before its pixels. */
async function pngWith(parts: Uint8Array[]): Promise<Uint8Array> {
  const bytes = Buffer.from(await draw({ width: 40, height: 30, format: "png" }));
  return Buffer.concat([bytes.subarray(0, 33), ...parts, bytes.subarray(33)]);
}

/** Metadata that unpacks to a thousand times its length, many entries, or a profile of nothing. */
const hostileMetadata = (random: Random, length: number) => {
  const packed = deflateSync(Buffer.alloc(length * 20));
  const entries = Array.from({ length: Math.ceil(length / 20) }, (_, n) => chunk("tEXt", bytesOf(`k${n}\0v`)));
  return pngWith(
    random.of([
      [chunk("zTXt", Buffer.concat([bytesOf("Comment\0\0"), packed]))],
      [chunk("iCCP", Buffer.concat([bytesOf("profile\0\0"), packed]))],
      entries,
      [chunk("eXIf", Buffer.concat([bytesOf("II*\0\x08\0\0\0\xff\xff"), Buffer.alloc(length, 8)]))],
    ]),
  );
};

/** One frame again and again, each a few bytes: a GIF of as many as fit. */
function manyFrames(length: number): Uint8Array {
  const head = Buffer.from("4749463839610a000a00800000000000ffffff", "hex");
  const frame = Buffer.from("21f9040000000000" + "2c000000000a000a00000208848fa9cbed0f5d00", "hex");
  return Buffer.concat([head, ...Array.from({ length: Math.ceil(length / frame.length) }, () => frame), bytesOf(";")]);
}

/** Entities of entities: ten of each, nine times. */
const laughs = () =>
  bytesOf(
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a0 "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join("")}]><svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"><text>&a9;</text></svg>`,
  );

const formats = ["jpeg", "png", "webp", "tiff", "gif"] as const;
const ordinary = (random: Random) => draw({ width: 300, height: 200, format: random.of(formats) });

/** Some bytes of a picture are others. */
async function mutilated(random: Random): Promise<Uint8Array> {
  const bytes = await ordinary(random);
  for (let times = 1 + random.below(30); times > 0; times--) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

const foreign = [
  "hello",
  "%PDF-1.7\n",
  "PK\x03\x04",
  "<html><script>",
  "\x89PNG\r\n\x1a\n",
  "GIF89a",
  "RIFF\xff\xff\xff\x7fWEBP",
  "II*\0",
  "",
];

/** Each kind, of about this many bytes where that can be chosen. */
export const pictureBombs: Record<string, (random: Random, length: number) => Uint8Array | Promise<Uint8Array>> = {
  pixels: (random) => pretendPng(random.of([8_000, 50_000, 2 ** 31 - 1]), random.of([7_000, 50_000, 2 ** 31 - 1])),
  frames: (random, length) => random.of([() => manyFrames(length), () => animate("gif"), () => animate("webp")])(),
  metadata: hostileMetadata,
  SVG: laughs,
  truncated: async (random) => {
    const bytes = await ordinary(random);
    return bytes.subarray(0, 1 + random.below(bytes.length - 1));
  },
  mutilated,
  "no picture": (random, length) => bytesOf(random.of(foreign) + "a".repeat(random.of([0, 1, length]))),
};

import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
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

/** A picture whose header says that it has so many pixels, or as many as its format can say. */
async function pretend(format: Format, width: number, height: number): Promise<Uint8Array> {
  if (format === "png") return pretendPng(width, height);
  const bytes = Buffer.from(await draw({ width: 64, height: 64, format }));
  const [short, long] = [Math.min(width, 65_535), Math.min(height, 65_535)];
  if (format === "jpeg") {
    const frame = bytes.findIndex((byte, at) => byte === 0xff && [0xc0, 0xc2].includes(bytes[at + 1] ?? 0));
    bytes.writeUInt16BE(long, frame + 5);
    bytes.writeUInt16BE(short, frame + 7);
  } else if (format === "gif") {
    const image = bytes.indexOf(Buffer.from("2c0000000040004000", "hex")); // the only frame
    for (const at of [6, image + 5]) {
      bytes.writeUInt16LE(short, at);
      bytes.writeUInt16LE(long, at + 2);
    }
  } else if (format === "webp") {
    const [frame, canvas] = [bytes.indexOf("VP8 ") + 14, bytes.indexOf("VP8X") + 12];
    const [across, down] = [Math.min(width, 16_383), Math.min(height, 16_383)]; // 14 bits
    bytes.writeUInt16LE(across, frame);
    bytes.writeUInt16LE(down, frame + 2);
    bytes.writeUIntLE(across - 1, canvas, 3);
    bytes.writeUIntLE(down - 1, canvas + 3, 3);
  } else if (format === "tiff") {
    for (const [tag, value] of [
      [0x100, width],
      [0x101, height],
    ] as const) {
      const at = bytes.indexOf(Buffer.from([tag & 255, tag >> 8, 3, 0, 1, 0, 0, 0])); // a short number
      bytes.writeUInt16LE(4, at + 2); // now a long one
      bytes.writeUInt32LE(value, at + 8);
    }
  } else sayPixels(bytes, width, height);
  return bytes;
}

function sayPixels(avif: Buffer, width: number, height: number): void {
  for (let at = avif.indexOf("ispe"); at >= 0; at = avif.indexOf("ispe", at + 1)) {
    avif.writeUInt32BE(width, at + 8);
    avif.writeUInt32BE(height, at + 12);
  }
}

/** One colour, in a few hundred bytes, and in as many pixels as are decoded: 16 million of AVIF, 50 of PNG. */
const flat = {
  avif: once(() =>
    sharp({ create: { width: 3_990, height: 3_990, channels: 3, background: "#888" } }).avif({ effort: 0 }),
  ),
  png: once(() =>
    sharp({ create: { width: 7_000, height: 7_000, channels: 3, background: "#888" } })
      .toColourspace("rgb16")
      .png({ progressive: true }),
  ),
};

/** An AVIF of 25 million pixels whose header says that it has a hundred by a hundred. */
const understated = once(() =>
  sharp({ create: { width: 5_000, height: 5_000, channels: 3, background: "#888" } }).avif({ effort: 0 }),
);

/** Makes it when first asked for: these take seconds. */
function once(make: () => Sharp): () => Promise<Buffer> {
  let made: Promise<Buffer> | undefined;
  return () => (made ??= make().toBuffer());
}

/** A picture of Apple's cameras, as far as anyone may look who has no licence for its codec. */
async function heic(): Promise<Uint8Array> {
  const bytes = Buffer.from(await pretend("avif", 4_032, 3_024)).toString("latin1");
  return Buffer.from(bytes.replaceAll("av01", "hvc1").replaceAll("avif", "heic").replaceAll("av1C", "hvcC"), "latin1");
}

const formats = ["jpeg", "png", "webp", "tiff", "gif", "avif"] as const;
type Format = (typeof formats)[number];
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
  pixels: (random) =>
    pretend(random.of(formats), random.of([8_000, 50_000, 2 ** 31 - 1]), random.of([7_000, 50_000, 2 ** 31 - 1])),
  "most pixels": (random) => random.of([flat.avif, flat.png])(),
  "understated pixels": async (random) => {
    const bytes = Buffer.from(await understated());
    sayPixels(bytes, random.of([100, 3_999]), random.of([100, 3_999]));
    return bytes;
  },
  HEIC: heic,
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

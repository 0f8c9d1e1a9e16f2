import { setPriority } from "node:os";
import type { Metadata, Sharp } from "sharp";
import { loadPackage } from "../../../db/lib/own-process";
import type { PictureFacts } from "../../../db/storage/pictures";
import { contrast } from "../../../views/brand";
import type { Size } from "./formats";
import { type Frame, frameOf, framesIn } from "./frames";

/*
 * The only place where pictures are decoded: a process of its own, because libraries for pictures have had holes, and
 * because a thread that encodes for minutes cannot be stopped, while a process can be killed (process.ts). It gets
 * bytes, and answers with facts and bytes; it opens no file and no connection.
 */

/** One picture. Without a size, it is only measured. `ground`: a colour from which it may stand out, #rrggbb. */
export type Job = { size: Size | null; ground?: string | undefined };
/** `standsOut`: the part of its pixels that stand out from the ground, 0 to 1. */
type Done = { is: "done"; facts: PictureFacts; standsOut?: number | undefined };
export type Answer = { is: "ready" } | { is: "missing"; why: string } | Done;

const maxJobBytes = 64 * 2 ** 20;
type Library = typeof import("sharp").default;
/** In pixels, of all frames together. */
const maxPixels = 50_000_000;
const maxAvifPixels = 16_000_000;

const unreadable: PictureFacts = { width: null, height: null, picture: "unreadable" };

/** In a process of its own: jobs come on stdin, and answers go to stdout, until stdin ends. */
export async function run(): Promise<void> {
  setPriority(10);
  const sharp = library();
  if (typeof sharp === "string") return send({ is: "missing", why: sharp });
  sharp.concurrency(1); // two were slower, and the service has the other processor
  sharp.cache(false);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}Buffer`) });
  await send({ is: "ready" });
  for await (const job of framesIn<Job>(Bun.stdin.stream(), maxJobBytes)) await answer(sharp, job);
}

/** Returns the library, or why there is none. */
function library(): Library | string {
  try {
    return loadPackage<Library>("sharp");
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 300) ?? "";
  }
}

/** SVG, PDF and what else the library can read stay closed. */
const loaders = ["Jpeg", "Png", "Webp", "Nsgif", "Heif", "Tiff"];

const send = async (head: Answer, bytes?: Uint8Array) => void (await Bun.write(Bun.stdout, frameOf(head, bytes)));

async function answer(sharp: Library, { head: { size, ground }, bytes }: Frame<Job>): Promise<void> {
  const open = () => sharp(bytes, { failOn: "error", limitInputPixels: maxPixels, sequentialRead: true });
  try {
    const facts = factsOf(await sharp(bytes, { limitInputPixels: false }).metadata(), bytes);
    const isReadable = facts.picture === "opaque" || facts.picture === "transparent";
    const standsOut = ground && isReadable ? await standingOut(open(), ground) : undefined;
    return await send({ is: "done", facts, standsOut }, size && isReadable ? await made(open(), size) : undefined);
  } catch {
    return send({ is: "done", facts: unreadable });
  }
}

const formats = new Set(["jpeg", "png", "webp", "gif", "heif", "tiff"]);

function factsOf(metadata: Metadata, bytes: Buffer): PictureFacts {
  const { format, width, height, pages = 1, compression, hasAlpha, autoOrient } = metadata;
  if (!formats.has(format) || (format === "heif" && compression !== "av1") || !width || !height) return unreadable;
  const pixels = width * height;
  const isTooLarge = pixels > maxPixels || (format === "heif" && pixels > maxAvifPixels);
  const isMoving = pages > 1 || isMovingPng(bytes);
  const picture = isMoving || isTooLarge ? "as-is" : hasAlpha ? "transparent" : "opaque";
  return { width: autoOrient.width, height: autoOrient.height, picture };
}

/** The library reads only the first picture of an animated PNG, which announces them before the pixels. */
function isMovingPng(bytes: Buffer): boolean {
  const at = bytes.subarray(0, 65_536).indexOf("acTL");
  const pixels = bytes.indexOf("IDAT");
  return bytes.subarray(1, 4).toString("latin1") === "PNG" && at > 0 && (pixels < 0 || at < pixels);
}

/** Upright, in sRGB with 8 bits, and without what the camera wrote: a place may be in it. */
function made(picture: Sharp, { width, format }: Size): Promise<Buffer> {
  const resized = picture.autoOrient().resize({ width, withoutEnlargement: true }).toColourspace("srgb");
  if (format === "webp") return resized.webp({ quality: 78, effort: 2 }).toBuffer();
  return format === "png"
    ? resized.png().toBuffer()
    : resized.flatten({ background: "#fff" }).jpeg({ quality: 80 }).toBuffer();
}

const minContrast = 3; // WCAG 2.2, 1.4.11
const looked = 240; // pixels in width and height, as large as a logo is shown

async function standingOut(picture: Sharp, ground: string): Promise<number> {
  const small = picture.autoOrient().resize({ width: looked, height: looked, fit: "inside", withoutEnlargement: true });
  const flat = small.flatten({ background: ground }).toColourspace("srgb").raw();
  const { data, info } = await flat.toBuffer({ resolveWithObject: true });
  const isGrey = info.channels < 3;
  let count = 0;
  for (let at = 0; at < data.length; at += info.channels) {
    const colour = isGrey ? Buffer.alloc(3, data[at]) : data.subarray(at, at + 3);
    if (contrast(`#${colour.toString("hex")}`, ground) >= minContrast) count++;
  }
  return count / (data.length / info.channels);
}

if (import.meta.main) void run();

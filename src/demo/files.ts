import { deflateSync } from "node:zlib";
import type { Db } from "../../db/engine/open";
import { find, mediaPath } from "../../db/storage/files";
import { describe } from "../../db/storage/pictures";
import type { Storage } from "../storage";
import { by } from "./sending";

/* What is in the sample site's Storage, by the names that posts and projects use. */

type Picture = { folder: string; name: string; alt: string; focus?: { x: number; y: number }; scene: Scene };

const evening = { sky: [38, 62, 84], glow: [244, 190, 132], near: [19, 47, 58] } as const;
const dawn = { sky: [120, 164, 186], glow: [250, 222, 190], near: [42, 92, 104] } as const;
const night = { sky: [14, 22, 40], glow: [70, 96, 128], near: [9, 17, 28] } as const;
const rain = { sky: [110, 122, 130], glow: [196, 204, 204], near: [52, 70, 76] } as const;
const autumn = { sky: [92, 84, 104], glow: [240, 168, 110], near: [74, 42, 40] } as const;
const spring = { sky: [150, 190, 206], glow: [238, 236, 200], near: [62, 110, 84] } as const;

const covers: Omit<Picture, "folder">[] = [
  { name: "ledger", alt: "Evening over the harbour where the tide was read", scene: scene(evening, 1, 0.68, 0.44, 5) },
  { name: "talk", alt: "", scene: scene(night, 2, 0.3, 0.3, 4) },
  { name: "aloud", alt: "Two hills that answer each other", scene: scene(spring, 3, 0.5, 0.34, 6) },
  { name: "disk", alt: "A quiet sea, layer below layer", scene: scene(dawn, 4, 0.24, 0.4, 7) },
  { name: "gloves", alt: "The road along the water on a winter morning", scene: scene(rain, 5, 0.76, 0.36, 5) },
  { name: "letters", alt: "Islands at dusk, as seen from the post office", scene: scene(autumn, 6, 0.4, 0.42, 5) },
  { name: "clock", alt: "The moon above the station", scene: scene(night, 7, 0.62, 0.26, 5) },
  { name: "keyboard", alt: "", scene: scene(autumn, 8, 0.2, 0.38, 6) },
  { name: "bakery", alt: "First light above the old boathouse", scene: scene(dawn, 9, 0.56, 0.46, 4) },
  { name: "station", alt: "Rain coming in from the west", scene: scene(rain, 10, 0.48, 0.3, 7) },
];

const projects = ["stillwater", "lending-desk", "balcony", "crumbs", "bicycle-counter"];
const palettes = [dawn, autumn, rain, spring, evening];

function scene(
  colours: Pick<Scene, "sky" | "glow" | "near">,
  seed: number,
  x: number,
  y: number,
  layers: number,
): Scene {
  return { ...colours, seed, layers, sun: { x, y, size: 0.07 + (seed % 4) / 60 } };
}

const pictures: Picture[] = [
  ...covers.map((cover) => ({ ...cover, folder: "covers" })),
  ...projects.map((name, place) => ({
    folder: "projects",
    name,
    alt: place === 4 ? "" : `The landscape in which ${name.replaceAll("-", " ")} is at home`,
    focus: { x: 40, y: 60 },
    scene: scene(palettes[place] ?? dawn, 20 + place, 0.3 + place / 10, 0.4, 4 + (place % 3)),
  })),
];

const texts = [
  {
    path: "",
    filename: "house-style.md",
    mimeType: "text/markdown",
    text: "# House style\n\nShort sentences. No countdowns.\n",
  },
  {
    path: "talks/small-software",
    filename: "outline.md",
    mimeType: "text/markdown",
    text: "# Small software\n\n1. The ledger on the table\n2. What fits in one room\n3. Coffee\n",
  },
  {
    path: "talks/small-software",
    filename: "questions-from-the-hall.txt",
    mimeType: "text/plain",
    text: "Who looks after it when you are on holiday?\nWhat if it grows?\nMay I touch the ledger?\n",
  },
  { path: "data/tides", filename: "bergen-1893.csv", mimeType: "text/csv", text: tideTable(1893) },
  { path: "data/tides", filename: "bergen-1894.csv", mimeType: "text/csv", text: tideTable(1894) },
];

/** Twice a day, in inches, with the moon's delay. */
function tideTable(year: number): string {
  const rows = Array.from({ length: 730 }, (_, half) => {
    const at = new Date(Date.UTC(year, 0, 1) + half * 44_714_000);
    const inches = 38 + 22 * Math.sin((half * Math.PI) / 29.5) + ((half * 13) % 7);
    return `${at.toISOString().slice(0, 16)},${inches.toFixed(0)}`;
  });
  return `taken_at,inches\n${rows.join("\n")}\n`;
}

/**
 * Uploads everything, or nothing if no storage node has space: in production there is none until one is set. Returns the
 * paths of the pictures, by their folder and name.
 */
export async function addFiles(db: Db, storage: Storage, now: Date): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const { folder, name, alt, focus = { x: 50, y: 50 }, scene } of pictures) {
    const file = { folderPath: folder, filename: `${name}.png`, mimeType: "image/png" };
    const id = await upload(storage, file, drawScene(scene));
    if (!id) return paths;
    await describe(db, id, { alt, focus }, by, now);
    const stored = await find(db, id);
    if (stored) paths.set(`${folder}/${name}`, mediaPath(stored));
  }
  for (const { path: folderPath, filename, mimeType, text } of texts)
    await upload(storage, { folderPath, filename, mimeType }, Buffer.from(text));
  await storage.readPictures();
  return paths;
}

type NewFile = { folderPath: string; filename: string; mimeType: string };

/** Returns undefined if no node has space. */
async function upload(storage: Storage, file: NewFile, bytes: Buffer<ArrayBuffer>): Promise<string | undefined> {
  const grant = await storage.reserve({ ...file, size: bytes.length });
  if (typeof grant === "string") return undefined;
  const { status } = await fetch(grant.uploadUrl, { method: grant.method, headers: grant.headers ?? {}, body: bytes });
  const id = grant._meta.reservationId;
  const { outcome } = (status < 300 && (await storage.complete(id))) || {};
  if (outcome !== "completed") throw new Error(`A sample file was not stored (${status}).`);
  return id;
}

/* The pictures, drawn by arithmetic: an evening over water, in layers. */

type Colour = readonly [red: number, green: number, blue: number];
type Scene = {
  /** Above, at the horizon, and of the nearest layer. */
  sky: Colour;
  glow: Colour;
  near: Colour;
  /** Where the sun or moon is, in shares of the picture. */
  sun: { x: number; y: number; size: number };
  /** How many layers of land and water there are. */
  layers: number;
  /** Another number is another picture. */
  seed: number;
};

const [width, height] = [1280, 800];

const between = (from: Colour, to: Colour, share: number): Colour => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** Returns a PNG. */
function drawScene(scene: Scene): Buffer<ArrayBuffer> {
  const tops = Array.from({ length: scene.layers }, (_, layer) => skyline(scene, layer));
  const colours = tops.map((_, layer) => between(scene.glow, scene.near, ((layer + 1) / scene.layers) ** 0.8));
  const rows = Buffer.alloc(height * (1 + width * 3)); // each row begins with its filter: none
  for (let y = 0; y < height; y++) {
    const above = between(scene.sky, scene.glow, Math.min(1, (y / height) * 1.7) ** 1.4);
    let at = y * (1 + width * 3) + 1;
    for (let x = 0; x < width; x++) {
      const layer = tops.findLastIndex((top) => y >= (top[x] ?? height));
      const [red, green, blue] = colours[layer] ?? lit(scene, above, x, y);
      rows[at++] = red;
      rows[at++] = green;
      rows[at++] = blue;
    }
  }
  return pngOf(rows);
}

/** Where a layer begins, for each column. */
function skyline({ layers, seed }: Scene, layer: number): Float64Array {
  const base = height * (0.52 + (0.42 * layer) / layers);
  const roughness = 46 / (1 + layer * 0.8);
  const waves = [1, 2.3, 5.1, 11.7].map((pitch, place) => ({
    pitch: pitch * (1 + ((seed * 7 + layer * 3) % 5) / 9),
    phase: seed * 1.7 + layer * 2.9 + place,
    size: roughness / (1 + place * 1.6),
  }));
  return Float64Array.from({ length: width }, (_, x) =>
    waves.reduce((y, { pitch, phase, size }) => y + size * Math.sin((x / width) * Math.PI * pitch + phase), base),
  );
}

/** The sky, with the sun or moon and its glow. */
function lit({ sun, glow }: Scene, sky: Colour, x: number, y: number): Colour {
  const [right, down] = [x - sun.x * width, y - sun.y * height];
  const distance = Math.sqrt(right * right + down * down) / (sun.size * height); // hypot is slow
  if (distance < 1) return between([255, 250, 235], glow, distance ** 6 * 0.35);
  return between(sky, [255, 246, 224], 0.5 * Math.exp(-(distance - 1) * 1.1));
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function pngOf(rows: Buffer): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits of red, green and blue
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([length, body, sum]);
}

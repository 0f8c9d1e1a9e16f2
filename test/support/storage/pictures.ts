import sharp from "sharp";

type Drawn = {
  width: number;
  height: number;
  /** Colours of its left and right half, so that its way up can be seen. */
  isTransparent?: boolean;
  format?: "jpeg" | "png" | "webp" | "avif" | "tiff" | "gif";
  /** As a camera writes it: 6 is to be turned by 90 degrees. */
  orientation?: number;
};

/** Makes a picture whose left half is red, with a place and a camera in it. */
export async function draw({ width, height, format = "jpeg", isTransparent, orientation = 1 }: Drawn) {
  const background = isTransparent ? { r: 0, g: 0, b: 255, alpha: 0.5 } : "#00f";
  const left = await sharp({ create: { width: Math.ceil(width / 2), height, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  const picture = sharp({ create: { width, height, channels: isTransparent ? 4 : 3, background } })
    .composite([{ input: left, left: 0, top: 0 }])
    .withExif({ IFD0: { Make: "Camera" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } })
    .withMetadata({ orientation });
  return new Uint8Array(await picture.toFormat(format, format === "avif" ? { effort: 0 } : {}).toBuffer());
}

/** A picture with several frames. */
export async function animate(format: "gif" | "webp"): Promise<Uint8Array<ArrayBuffer>> {
  const frames = Buffer.concat([0, 120, 240].map((shade) => Buffer.alloc(40 * 30 * 3, shade)));
  const moving = sharp(frames, { raw: { width: 40, height: 90, channels: 3, pageHeight: 30 } });
  return new Uint8Array(await moving.toFormat(format, { loop: 0, delay: [100, 100, 100] }).toBuffer());
}

/** A PNG that says it has so many pixels, in a few hundred bytes. */
export async function pretendPng(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(await draw({ width: 8, height: 8, format: "png" }));
  const header = bytes.subarray(12, 29);
  header.writeUInt32BE(width, 4);
  header.writeUInt32BE(height, 8);
  bytes.writeUInt32BE(Bun.hash.crc32(header), 29);
  return new Uint8Array(bytes);
}

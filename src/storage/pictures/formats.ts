import type { StoredFile } from "../../../db/storage/files";
import { isPictureType } from "../../../db/storage/pictures";
import { letterPictureWidth, logoWidths, pictureWidths } from "../../../db/storage/picture-widths";
import { keysOf } from "../../../db/storage/variants";

const allWidths: number[] = [...pictureWidths, letterPictureWidth].sort((a, b) => a - b);
const letterWidths: number[] = [...allWidths, ...logoWidths].sort((a, b) => a - b);
const largest = 2560;

/** Larger files and pictures are shown as they came. AVIF needs several times the memory of other formats. */
export const maxPictureBytes = 64 * 2 ** 20;

type Format = "webp" | "jpeg" | "png";
/** A size of a picture. */
export type Size = { width: number; format: Format };

/** What a request asks for. */
export type Wanted = {
  width: number;
  /** Whether the client shows WebP, as nearly all browsers say. */
  takesWebp: boolean;
};

/** Reads `?w=` and `?as=`. Undefined if the file is wanted as it came. */
export function wantedBy(request: Request): Wanted | undefined {
  const query = new URL(request.url).searchParams;
  const width = query.get("w") ?? "";
  if (!/^[1-9]\d{0,5}$/.test(width)) return undefined;
  const takesWebp =
    query.get("as") !== "jpeg" &&
    /(^|[,\s])image\/webp\s*(,|;(?!\s*q=0(\.0*)?\s*(,|$))|$)/i.test(request.headers.get("accept") ?? "");
  return { width: Number(width), takesWebp };
}

/** Whether sizes of the file can be made, as far as is known. */
export const mayHaveSizes = ({ mimeType, size, picture }: Pick<StoredFile, "mimeType" | "size" | "picture">) =>
  isPictureType(mimeType) && size > 0 && size <= maxPictureBytes && picture !== "as-is" && picture !== "unreadable";

/**
 * Returns the size that is made for a request: the next larger step, and never larger than the picture, so that all
 * requests above its width share one.
 */
export function sizeFor({ width, takesWebp }: Wanted, picture: Pick<StoredFile, "width" | "picture">): Size {
  const widths = takesWebp ? allWidths : letterWidths;
  const stepFrom = (least: number) => widths.find((step) => step >= least) ?? largest;
  const step = Math.min(stepFrom(width), stepFrom(picture.width ?? largest));
  return { width: step, format: takesWebp ? "webp" : picture.picture === "transparent" ? "png" : "jpeg" };
}

export const keyOf = ({ objectKey }: Pick<StoredFile, "objectKey">, { width, format }: Size) =>
  `${keysOf(objectKey)}${width}.${format}`;

/** The name under which browsers save it: that of the file, with the size and another ending. */
export const nameOf = ({ filename }: Pick<StoredFile, "filename">, { width, format }: Size) =>
  `${filename.replace(/\.[^.]{1,8}$/, "")}-${width}.${format === "jpeg" ? "jpg" : format}`;

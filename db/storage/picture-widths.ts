/** The widths of pictures that are made, in pixels. */
export const pictureWidths = [320, 640, 960, 1280, 1600, 1920, 2560] as const;
/** What emails ask for: twice the width of their text. */
export const letterPictureWidth = 1120;

/** What a logo is asked for in: from its narrowest to twice its widest. */
export const logoWidths = [64, 128, 192, 256, 320, 384, 480] as const;
const logoBox = { width: 240, height: 64 };

/** How large a logo is shown, never larger than it is, and the width in which it is loaded: at most twice as wide. */
export function logoSize({ width, height }: { width: number; height: number }) {
  const scale = Math.min(1, logoBox.width / width, logoBox.height / height);
  const scaled = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  const [narrowest] = logoWidths;
  return {
    width: scaled(width),
    height: scaled(height),
    loaded: logoWidths.findLast((step) => step <= 2 * scaled(width)) ?? narrowest,
  };
}

/** What a browser chooses from, for a picture of that width: the steps below it, and the picture in its full width. */
export function sourceSet(url: string, width: number): string {
  const below = pictureWidths.filter((step) => step < width);
  const last = pictureWidths.find((step) => step >= width);
  const widest = last ? [`${url}?w=${last} ${width}w`] : [];
  return [...below.map((step) => `${url}?w=${step} ${step}w`), ...widest].join(", ");
}

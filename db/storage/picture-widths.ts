/** The widths of pictures that are made, in pixels. */
export const pictureWidths = [320, 640, 960, 1280, 1600, 1920, 2560] as const;
/** What emails ask for: twice the width of their text. */
export const letterPictureWidth = 1120;

/** What a browser chooses from, for a picture of that width: the steps below it, and the picture in its full width. */
export function sourceSet(url: string, width: number): string {
  const below = pictureWidths.filter((step) => step < width);
  const last = pictureWidths.find((step) => step >= width);
  const widest = last ? [`${url}?w=${last} ${width}w`] : [];
  return [...below.map((step) => `${url}?w=${step} ${step}w`), ...widest].join(", ");
}

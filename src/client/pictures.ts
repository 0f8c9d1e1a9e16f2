/** What the service knows of a picture: an item of `files` of a post. */
export type Picture = { url: string; width: number | null; height: number | null };

/** Attributes of an `<img>`. */
export type PictureSource = { src: string; srcset?: string; sizes?: string; width?: number; height?: number };

/** The widths that the service makes. */
const widths = [320, 640, 960, 1280, 1600, 1920, 2560];

/**
 * The attributes of an `<img>` that loads no more pixels than it shows, and keeps its place while it loads.
 *
 * @param sizes how wide it is shown, as in HTML
 */
export function srcset({ url, width, height }: Picture, sizes = "100vw"): PictureSource {
  if (!width || !height) return { src: url }; // nothing is known of it yet, or it has no sizes
  const last = widths.find((step) => step >= width);
  const each = widths.filter((step) => step < width).map((step) => `${url}?w=${step} ${step}w`);
  if (last) each.push(`${url}?w=${last} ${width}w`);
  return { src: `${url}?w=1280`, srcset: each.join(", "), sizes, width, height };
}

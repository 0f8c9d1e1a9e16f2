/** The colours of a site, for emails and public pages. All are #rrggbb, computed or ours: never as someone typed them. */
export type Brand = {
  /** Of the rule above the sheet and of buttons, with the text on them. */
  fill: string;
  onFill: string;
  link: string;
  /** For screens in the dark. */
  night: { fill: string; onFill: string; link: string };
  /** Instead of the site's name above emails. */
  logo?: Logo | undefined;
};

/** A picture, in the size in which it is shown. */
export type Logo = { path: string; src: string; width: number; height: number };

/** Postroom's own. */
export const defaultBrand: Brand = {
  fill: "#095d6c",
  onFill: "#fbfeff",
  link: "#095d6c",
  night: { fill: "#74cbd4", onFill: "#02171c", link: "#74cbd4" },
};

/** Of the pages for visitors: follows public.css, whose tokens it sets. */
export const styleSheetOf = ({
  fill,
  onFill,
  link,
  night,
}: Brand) => `:root { --stamp: light-dark(${link}, ${night.link}); }
.letter { border-block-start-color: ${fill}; }
.main-act, .main-act:hover { border-color: ${fill}; background: ${fill}; color: ${onFill}; }
`;

/** What a logo stands on, in the dark too: it is drawn for paper, and may be transparent. */
export const plate = "#fbf9f5";
/** What links are read on, lightest and darkest: sheet and paper. */
const grounds = { day: ["#fffefd", plate], night: ["#1b1815", "#13110e"] };
const minContrast = 4.5; // WCAG 2.2, 1.4.3

/**
 * The colours that follow from an accent: as it is on rules and buttons, with black or white text; in links as light or
 * dark as it must be to be read (4.5 : 1), by day and by night.
 *
 * @param accent #rrggbb, in any case; anything else gives the default
 */
export function brandOf(accent: string | undefined): Brand {
  if (!accent || !/^#[0-9a-f]{6}$/i.test(accent)) return defaultBrand;
  const fill = accent.toLowerCase();
  const onFill = contrast(fill, "#ffffff") >= contrast(fill, "#000000") ? "#ffffff" : "#000000";
  const link = readable(fill, grounds.day, -1);
  return { fill, onFill, link, night: { fill, onFill, link: readable(fill, grounds.night, 1) } };
}

/** Moves the lightness until the colour can be read on all grounds. Hue stays, chroma shrinks where sRGB ends. */
function readable(color: string, on: string[], direction: 1 | -1): string {
  const [lightness, a, b] = oklabOf(color);
  for (let step = 0; step <= 100; step++) {
    const moved = hexOf(Math.min(1, Math.max(0, lightness + (direction * step) / 100)), a, b);
    if (on.every((ground) => contrast(moved, ground) >= minContrast)) return moved;
  }
  return direction > 0 ? "#ffffff" : "#000000";
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [r, g, b] = linearOf(color);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

type Triple = [number, number, number];

const linearOf = (color: string): Triple => {
  const channel = (at: number) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
};

/** Björn Ottosson's Oklab, as in CSS Color 4, section 9.2. */
function oklabOf(color: string): Triple {
  const [r, g, b] = linearOf(color);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Returns the colour as #rrggbb, with as much of its chroma as sRGB can show at this lightness. */
function hexOf(lightness: number, a: number, b: number): string {
  for (let chroma = 1; chroma > 0; chroma -= 0.05) {
    const channels = linearRgb(lightness, a * chroma, b * chroma);
    if (channels.every((value) => value >= -0.001 && value <= 1.001)) return hex(channels);
  }
  return hex(linearRgb(lightness, 0, 0));
}

function linearRgb(lightness: number, a: number, b: number): Triple {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const hex = (linear: Triple) => {
  const channel = (value: number) => {
    const bounded = Math.min(1, Math.max(0, value));
    const encoded = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${linear.map(channel).join("")}`;
};

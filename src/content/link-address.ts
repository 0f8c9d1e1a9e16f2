const schemes = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Returns the URL of a link; undefined if no reader should follow it. */
export function linkAddress(written: string, base: string): string | undefined {
  const url = URL.parse(written, base);
  return url && schemes.has(url.protocol) ? url.href : undefined;
}

/** A permanent URL of Storage. Not any URL of ours, because requesting some of them has effects. */
export const isOwnFile = (src: string) => /^\/media\/[\w-]+\/[\w.%~!'()*-]+$/.test(src) && !src.includes("..");

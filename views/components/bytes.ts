const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];

/** Formats a size as people write it, in powers of a thousand: "412 GB", "1.5 TB". */
export function bytes(size: number): string {
  if (size === 1) return "1 byte";
  const step = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  const scaled = size / 1000 ** step;
  return `${scaled.toLocaleString("en-GB", { maximumFractionDigits: scaled < 10 && step > 0 ? 1 : 0 })} ${units[step]}`;
}

/** Returns the value below which this share of the numbers is. */
export function percentile(numbers: number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (numbers: number[]) => percentile(numbers, 0.5);

/** Megabytes of memory that a process holds (Linux). */
export async function residentMegabytes(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text()) ?? [];
  return Number(kilobytes) / 1024;
}

/** At most two digits after the point, for tables. */
export const rounded = (n: number) => Math.round(n * 100) / 100;

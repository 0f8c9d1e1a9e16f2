/** Formats a percentage: "99.2%", "0.02%", "< 0.01%". */
export function shareOf(count: number, of: number): string {
  if (!of || !count) return "0%";
  const percent = (count / of) * 100;
  if (percent < 0.01) return "< 0.01%";
  if (percent > 99.9 && count < of) return "> 99.9%";
  const digits = percent < 0.1 ? 2 : percent < 10 || percent % 1 ? 1 : 0;
  return `${Number(percent.toFixed(digits))}%`;
}

/** Returns Retry-After (RFC 9110, 10.2.3), which is seconds or a date, in milliseconds; undefined if it is neither. */
export function retryAfterMs(value: string | null | undefined, now: Date): number | undefined {
  if (!value || value.length > 40) return; // before a stranger’s text is parsed
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

const before = 24;
const after = 90;

/** Returns the part of a text around the words, on one line; its beginning if they are elsewhere. */
export function excerptOf(text: string, q: string): string {
  const at = q ? Math.max(0, text.toLowerCase().indexOf(q.toLowerCase())) : 0;
  const from = Math.max(0, at - before);
  const part = text.slice(from, at + q.length + after).toWellFormed();
  return `${from > 0 ? "…" : ""}${part.replace(/\s+/g, " ").trim()}${at + q.length + after < text.length ? "…" : ""}`;
}

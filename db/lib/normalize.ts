const maxMarks = 32; // in a row; far more than any writing system uses

/** More marks than are kept. NFKC turns U+FF9E and U+FF9F into marks. */
const tooManyMarks = /([\p{M}\uff9e\uff9f]{32})[\p{M}\uff9e\uff9f]+/gu;
/** There are no marks below U+0300, so most texts need no further check. */
const mayHoldMarks = /[^\0-\u02ff]/;

/**
 * `text.normalize(form)` for untrusted text. Normalising sorts combining marks in quadratic time, seconds for 60 KB, so
 * only the first 32 of a run are kept.
 */
export const normalized = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  (text.length > maxMarks && mayHoldMarks.test(text) ? text.replace(tooManyMarks, "$1") : text).normalize(form);

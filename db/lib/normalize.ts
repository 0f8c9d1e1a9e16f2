const maxMarks = 32; // one after another; of what people write, nothing comes near

/** More marks than are kept. U+FF9E and U+FF9F become marks in NFKC. */
const tooManyMarks = /([\p{M}\uff9e\uff9f]{32})[\p{M}\uff9e\uff9f]+/gu;
/** Nothing below U+0300 is a mark: most texts need not be looked through. */
const mayHoldMarks = /[^\0-\u02ff]/;

/**
 * `text.normalize(form)` for text from outside: combining marks are put in order, which takes the square of how many
 * stand together, seconds for 60 KB. Of a run of them the first 32 are kept (P65).
 */
export const normalized = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  (text.length > maxMarks && mayHoldMarks.test(text) ? text.replace(tooManyMarks, "$1") : text).normalize(form);

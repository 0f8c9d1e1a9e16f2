/* Work on a long text is written as a generator that yields after each slice. */

export const sliceLength = 16_384; // UTF-16 units: a few milliseconds of folding and indexing

/** Runs the work without a pause, for short texts or when no one is waiting. */
export function runSync<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Runs the work slice by slice, so that requests run in between. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await new Promise((turn) => setImmediate(turn));
  }
}

/**
 * Splits the text into slices that can be normalised and folded separately: none begins with a character that combines
 * with the one before it.
 */
export function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const maxEnd = start + sliceLength;
    let end = Math.min(maxEnd, text.length);
    while (end > maxEnd - maxJoined && joinsBefore(text, end)) end--;
    yield text.slice(start, end);
    start = end;
  }
}

const maxJoined = 200; // units: a character with all the marks that are kept
const joining = /^[\p{M}\u1160-\u11ff\uff9e\uff9f]/u; // marks, and the later letters of Hangul

/** Whether the character at `at` combines with the one before it, or is half a surrogate pair. */
const joinsBefore = (text: string, at: number) =>
  at < text.length && (isLowSurrogate(text.charCodeAt(at)) || joining.test(text.slice(at, at + 2)));
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/* Work on a long text is a generator that yields after each slice of it. */

export const sliceLength = 16_384; // UTF-16 units: some milliseconds of folding and indexing

/** Does the work without a pause: where the text is short, or nobody waits. */
export function runSync<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does the work slice by slice. Requests get their turn in between. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await new Promise((turn) => setImmediate(turn));
  }
}

/** The text in pieces that can be normalised and folded on their own: none begins with what joins the character before. */
export function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const most = start + sliceLength;
    let end = Math.min(most, text.length);
    while (end > most - longestJoined && joinsBefore(text, end)) end--;
    yield text.slice(start, end);
    start = end;
  }
}

const longestJoined = 200; // units: a character with all the marks that are kept
const joining = /^[\p{M}\u1160-\u11ff\uff9e\uff9f]/u; // marks, and the later letters of Hangul

/** Whether what stands at `at` is one with what stands before it, or half a character. */
const joinsBefore = (text: string, at: number) =>
  at < text.length && (isLowSurrogate(text.charCodeAt(at)) || joining.test(text.slice(at, at + 2)));
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

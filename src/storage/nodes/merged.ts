type Pair<L, R> = { left: L; right: R } | { left: L; right?: undefined } | { left?: undefined; right: R };

/**
 * Walks through two sequences in byte order of their keys, side by side, and pairs entries with the same key. Neither
 * is held in memory.
 */
export async function* merged<L, R>(
  lefts: AsyncIterable<L>,
  rights: AsyncIterable<R>,
  leftKey: (left: L) => string,
  rightKey: (right: R) => string,
): AsyncGenerator<Pair<L, R>> {
  const left = lefts[Symbol.asyncIterator]();
  const right = rights[Symbol.asyncIterator]();
  let [l, r] = [await left.next(), await right.next()];
  while (!l.done || !r.done) {
    const order = l.done ? 1 : r.done ? -1 : compare(leftKey(l.value), rightKey(r.value));
    if (!l.done && !r.done && order === 0) {
      yield { left: l.value, right: r.value };
      [l, r] = [await left.next(), await right.next()];
    } else if (!l.done && order < 0) {
      yield { left: l.value };
      l = await left.next();
    } else if (!r.done) {
      yield { right: r.value };
      r = await right.next();
    }
  }
}

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Returns the same result to everyone who asks within `milliseconds`. */
export function atMostEvery<T>(milliseconds: number, now: () => Date, work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  let since = 0;
  return () => {
    const at = now().getTime();
    if (!result || Math.abs(at - since) >= milliseconds) [result, since] = [work(), at];
    return result;
  };
}

/** Holds the deadlines of this process (`AbortSignal.timeout`) until they are passed: then all later ones pass too. */
export function holdDeadlines() {
  const original = AbortSignal.timeout;
  const waiting: (() => void)[] = [];
  const asked: number[] = [];
  let arePassed = false;
  AbortSignal.timeout = (milliseconds) => {
    asked.push(milliseconds);
    const controller = new AbortController();
    const end = () => controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
    if (arePassed) setTimeout(end);
    else waiting.push(end);
    return controller.signal;
  };
  return {
    /** Milliseconds of each. */
    asked,
    pass() {
      arePassed = true;
      for (const end of waiting.splice(0)) end();
    },
    /** Passes the first one only. */
    passFirst: () => waiting.shift()?.(),
    [Symbol.dispose]: () => void (AbortSignal.timeout = original),
  };
}

import type { Verdict } from "../security/rate-limit";
import type { Turnstile } from "../security/turnstile";
import type { Asked, Decided } from "./messages";

/**
 * The turnstile of a worker: the office turns it, so that a key has its 600 requests a minute with all workers together
 * (D29). What comes up in one turn of the event loop is one message.
 */
export function askingTurnstile(send: (asked: Asked) => void) {
  const asked = new Map<number, ((verdict: Verdict) => void)[]>();
  let keys: Asked["keys"] = [];
  let waiting: ((verdict: Verdict) => void)[] = [];
  let turn = 0;

  function ask() {
    asked.set(++turn, waiting);
    send({ turn, keys });
    [keys, waiting] = [[], []];
  }

  const turnstile: Turnstile = ({ id }, isPassive) =>
    new Promise((resolve) => {
      if (!waiting.length) setImmediate(ask);
      keys.push({ id, isPassive });
      waiting.push(resolve);
    });

  return {
    turnstile,
    /** Takes the office's answer. */
    hear({ turn: of, verdicts }: Decided) {
      for (const [index, resolve] of (asked.get(of) ?? []).entries()) {
        const verdict = verdicts[index];
        if (verdict) resolve(verdict);
      }
      asked.delete(of);
    },
  };
}

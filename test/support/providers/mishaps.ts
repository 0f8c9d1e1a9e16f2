import { refusal } from "./resend";

/** What may go wrong between a sender and a provider: how often of one. */
export type Mishaps = {
  seed: number;
  tooFast: number; // 429
  serverError: number; // 500
  lost: number; // processed, then reset
  reset: number; // reset before it is processed
  hang: number; // no answer
  unreadable: number; // processed, and a 200 that says nothing
};
export type Trouble = Response | "hang" | "reset" | undefined;

/** Draws mishaps, the same with each run. @param process takes the request, whatever becomes of the answer */
export function drawMishaps({ seed, ...odds }: Partial<Mishaps>): (process: () => void) => Trouble {
  const dice = lehmer(seed ?? 1);
  const { tooFast = 0, serverError = 0, lost = 0, reset = 0, hang = 0, unreadable = 0 } = odds;
  return (process) => {
    let roll = dice();
    const falls = (chance: number) => (roll -= chance) < 0;
    if (falls(tooFast)) return refusal(429, "rate_limit_exceeded", { "retry-after": "1" });
    if (falls(serverError)) return refusal(500, "internal_server_error");
    if (falls(reset)) return "reset";
    if (falls(hang)) return "hang";
    if (falls(lost)) return (process(), "reset");
    if (falls(unreadable)) return (process(), new Response("{"));
    return undefined;
  };
}

/** The same numbers from 0 to 1 each time. */
export function lehmer(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

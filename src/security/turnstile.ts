import type { Bearer } from "../../db/api-keys";
import type { Deps } from "../deps";
import { limits as limitOf, type Verdict } from "./rate-limit";

/** Counts one request of a key, and says whether it is let in. A promise where somebody else has to be asked. */
export type Turnstile = (bearer: Bearer, isPassive: boolean) => Verdict | Promise<Verdict>;

/** Lets a key in 600 times a minute (D29) and notes its last use (D28), of which HEAD leaves no trace (D9). */
export const turnstileOf =
  ({ counters, limits, now }: Pick<Deps, "counters" | "limits" | "now">) =>
  (bearer: Bearer, isPassive: boolean): Verdict => {
    const at = now().getTime();
    if (!isPassive) counters.keyUsed(bearer, at);
    return limits.take(limitOf.key, bearer.id, at);
  };

import type { ActorWithDetails } from "../../../db/audit";
import type { Repeatable } from "../../../db/storage/repeated";
import type { NewUpload } from "../../../db/storage/reservations";
import type { Grant, NoRoom } from "./grant";
import type { Reserver } from "./reserve";
import type { Resumption } from "./resume";

type Options = { reserver: Reserver; grantAgain: Resumption["grantAgain"] };

/**
 * "conflict": the key was used for a different request. `complete`: all bytes of the upload with this ID have arrived.
 */
export type Repeated = Grant | NoRoom | "conflict" | { complete: string };

/**
 * A reservation whose request may be repeated for a day: the same key gets the same reservation with a fresh URL,
 * unless it was aborted. Requests that arrive at this process while the first one is running share its result, so that
 * an unresponsive node is waited for once.
 */
export function repeatableReserve({ reserver, grantAgain }: Options) {
  const underWay = new Map<string, { fingerprint: string; answer: Promise<Repeated> }>(); // by key

  async function answer(input: NewUpload, repeatable: Repeatable, by?: ActorWithDetails): Promise<Repeated> {
    const granted = await reserver.reserve(input, { by, repeatable });
    if (typeof granted === "string" || !("before" in granted)) return granted;
    const { id } = granted.before;
    const again = await grantAgain(id);
    if (again?.outcome === "signed") return again.grant;
    const state = again?.outcome === "closed" ? again.state : undefined;
    if (state === "completing" || state === "completed") return { complete: id };
    if (state === "aborting" || state === "aborted") return answer(input, repeatable, by);
    throw new Error("The upload cannot be gone on with now"); // its node's keys cannot be used, or it is being converted to multipart
  }

  /** @throws if the storage fails */
  return async (input: NewUpload, repeatable: Repeatable, by?: ActorWithDetails): Promise<Repeated> => {
    const { key, fingerprint } = repeatable;
    const other = underWay.get(key);
    if (other) return other.fingerprint === fingerprint ? other.answer : "conflict";
    const mine = { fingerprint, answer: answer(input, repeatable, by) };
    underWay.set(key, mine);
    try {
      return await mine.answer;
    } finally {
      underWay.delete(key);
    }
  };
}

import type { Db } from "../../../db/engine/open";
import * as reservations from "../../../db/storage/reservations";
import type { UploadContext, Repeatable } from "../../../db/storage/uploads";
import type { Grant, NoRoom } from "./reserve";
import type { Resumption } from "./resume";

type Options = {
  db: Db;
  now: () => Date;
  reserve: (input: reservations.NewUpload, asked: UploadContext) => Promise<Grant | NoRoom>;
  grantAgain: Resumption["grantAgain"];
};

/**
 * "conflict": the key was used for a different request. `complete`: all bytes of the upload with this ID have arrived.
 */
export type Repeated = Grant | NoRoom | "conflict" | { complete: string };

/**
 * A reservation whose request may be repeated for a day: the same key gets the same reservation with a fresh URL,
 * unless it was aborted (P88). Requests that arrive while the first one is running share its result, so that an
 * unresponsive node is waited for once.
 */
export function repeatableReserve({ db, now, reserve, grantAgain }: Options) {
  const underWay = new Map<string, { fingerprint: string; answer: Promise<Repeated> }>(); // by key

  async function answer(input: reservations.NewUpload, repeatable: Repeatable): Promise<Repeated> {
    const before = await reservations.findRepeated(db, repeatable, now());
    if (before === "conflict") return before;
    if (!before) return reserve(input, { repeatable });
    const again = await grantAgain(before.id);
    if (again?.outcome === "signed") return again.grant;
    const state = again?.outcome === "closed" ? again.state : undefined;
    if (state === "completing" || state === "completed") return { complete: before.id };
    if (state === "aborting" || state === "aborted") return reserve(input, { repeatable });
    throw new Error("The upload cannot be gone on with now"); // its node's keys cannot be used, or it is being converted to multipart
  }

  /** @throws if the storage fails */
  return async (input: reservations.NewUpload, repeatable: Repeatable): Promise<Repeated> => {
    const { key, fingerprint } = repeatable;
    const other = underWay.get(key);
    if (other) return other.fingerprint === fingerprint ? other.answer : "conflict";
    const mine = { fingerprint, answer: answer(input, repeatable) };
    underWay.set(key, mine);
    try {
      return await mine.answer;
    } finally {
      underWay.delete(key);
    }
  };
}

import type { Db } from "../../../db/engine/open";
import * as reservations from "../../../db/storage/reservations";
import type { Asked, Repeatable } from "../../../db/storage/uploads";
import { inTurn } from "../in-turn";
import type { Grant, NoRoom } from "./reserve";
import type { Resumption } from "./resume";

type Options = {
  db: Db;
  now: () => Date;
  reserve: (input: reservations.NewUpload, asked: Asked) => Promise<Grant | NoRoom>;
  grantAgain: Resumption["grantAgain"];
};

/** "conflict": the key was used to ask for something else. `complete`: all bytes of the upload with this id arrived. */
export type Repeated = Grant | NoRoom | "conflict" | { complete: string };

/**
 * A reservation whose request may be repeated for a day: the same key gets the same reservation, with a fresh URL, as
 * long as it was not given up (P88).
 */
export function repeatableReserve({ db, now, reserve, grantAgain }: Options) {
  const alone = inTurn();

  /** @throws when the storage is in trouble */
  return (input: reservations.NewUpload, repeatable: Repeatable): Promise<Repeated> =>
    alone(repeatable.key, async () => {
      const before = await reservations.askedBefore(db, repeatable, now());
      if (before === "conflict") return before;
      if (!before) return reserve(input, { repeatable });
      const again = await grantAgain(before.id);
      if (again?.outcome === "signed") return again.grant;
      const state = again?.outcome === "closed" ? again.state : undefined;
      if (state === "completing" || state === "completed") return { complete: before.id };
      if (state === "aborting" || state === "aborted") return reserve(input, { repeatable });
      throw new Error("The upload cannot be gone on with now"); // its node's keys, or it is just becoming one in parts
    });
}

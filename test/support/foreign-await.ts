/** Preloaded by every test: a work that awaits something other than its statements holds up everyone else's writes. */
import { WriteQueue } from "../../db/engine/sqlite/write-queue";

WriteQueue.onForeignAwait = () => {
  throw new Error("A db.write awaited something other than the database");
};

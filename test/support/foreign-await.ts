/**
 * Preloaded by every test: fails if work in a transaction awaits anything but its own statements, which would hold up
 * everyone else.
 */
import { WriteQueue } from "../../db/engine/sqlite/write-queue";

WriteQueue.onForeignAwait = () => {
  throw new Error("A db.write awaited something other than the database");
};

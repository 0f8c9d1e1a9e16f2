import type { Orm } from "../open";
import type { Connections, Send } from "./connections";
import { ormOver } from "./dialect";
import { type Attempt, isAway, isRefused, mayRunAgain } from "./errors";

const retryMs = 3_000; // how long a transaction is retried if others interfere

/** An orm for one transaction at a time. It is reused, because it caches compiled statements. */
type Slot = { orm: Orm; send: Send | undefined; underWay: Promise<unknown>[] };

type Transaction<T> = {
  /** the statement that begins the transaction */
  begin: string;
  work: (orm: Orm) => T;
  /** sent after the commit, without waiting for it */
  after?: (send: Send) => Promise<void>;
  /** when the work was requested: while the database is away, those in a queue do not each wait in turn */
  since?: number;
};

export type Run = ReturnType<typeof transactionsOn>;

/**
 * Runs work in transactions, each on a connection of its own.
 *
 * @param retried is called with the code of each failure after which a transaction is retried
 */
export function transactionsOn({ reserve }: Connections, retried: (error: unknown) => void) {
  const idle: Slot[] = [];

  return async function run<T>(transaction: Transaction<T>): Promise<Awaited<T>> {
    const began = performance.now();
    for (let tries = 1; ; tries++) {
      const state = { tries, isCommitting: false };
      try {
        return await reserve((send) => attempt(send, transaction, state));
      } catch (error) {
        const waits = performance.now() - (isAway(error) ? (transaction.since ?? began) : began);
        if (!mayRunAgain(error, state) || waits > retryMs) throw error;
        retried(error);
        await Bun.sleep(Math.random() * 4 * 2 ** Math.min(tries, 7));
      }
    }
  };

  async function attempt<T>(send: Send, { begin, work, after }: Transaction<T>, state: Attempt) {
    const slot = idle.pop() ?? newSlot();
    slot.send = send;
    try {
      slot.underWay.push(settling(send(begin))); // sent together with the first statement
      const result = await work(slot.orm);
      state.isCommitting = true;
      const commit = settling(send("commit"));
      const afterwards = after?.(send);
      await Promise.all(slot.underWay); // an error of these is the cause of the commit's error
      if ((await commit).command !== "COMMIT") throw new Error("A work went on after one of its statements had failed");
      await afterwards;
      slot.underWay.length = 0;
      idle.push(slot); // not after a failure: another branch of the work may still send statements
      return result;
    } catch (error) {
      const failure = (await Promise.allSettled(slot.underWay)).find(({ status }) => status === "rejected");
      void settling(send("rollback"));
      if (failure?.status !== "rejected") throw error;
      if (isRefused(failure.reason)) state.isCommitting = false;
      throw failure.reason; // the other errors only say that the transaction was aborted
    } finally {
      slot.send = undefined;
    }
  }
}

function newSlot(): Slot {
  const slot: Slot = {
    send: undefined,
    underWay: [],
    orm: ormOver(async (text, params, wantsRows) => {
      if (!slot.send) throw new Error("A statement came after its transaction had ended");
      const rows = settling(slot.send(text, params));
      slot.underWay.push(rows); // in the order they were sent: the first one that fails is the cause
      return wantsRows ? rows : [];
    }),
  };
  return slot;
}

/** Leaves a failure to be handled elsewhere. */
export function settling<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

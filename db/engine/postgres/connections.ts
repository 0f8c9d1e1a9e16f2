import { inTime, unlessSilent } from "../../async/in-time";
import { atMost } from "../../async/turns";
import { againIfCut, type Attempt, isAway, isOurDelay, isRefused, mayRunAgain, noAnswer } from "../errors";
import type { Orm } from "../open";
import { ormOver } from "./dialect";

/**
 * All our statements are short, and our transactions await only the database: one that is idle belongs to a process
 * that has stopped, so it ends before others give up waiting for its locks.
 */
const timeouts = { statement_timeout: 5_000, lock_timeout: 3_000, idle_in_transaction_session_timeout: 2_000 };
const maxSilenceMs = 6_000; // longer than the server lets a statement run: after that, the server or the connection to it is gone
const drainSeconds = 3; // for statements on connections that are about to be replaced

/** Runs one statement and returns its rows. */
export type Send = (text: string, params?: unknown[]) => Promise<unknown[][] & { command?: string }>;
export type Connections = ReturnType<typeof connectTo>;

/** The connections of this process to a database, up to `max`. */
export function connectTo(url: string, max: number, silenceMs = maxSilenceMs) {
  const connection = { application_name: "postroom", ...timeouts };
  const open = () => new Bun.SQL(url, { max, bigint: true, idleTimeout: 60, connectionTimeout: 3, connection });
  const inTransaction = atMost(Math.max(max - 3, Math.ceil(max / 2)), silenceMs, noAnswer); // the rest is for reads, which every request begins with
  let pool = open();
  let shared = sendOn(pool);
  let inUse = 0;

  /** If a machine vanishes, its connections stay open for minutes: after a silence, all are replaced. */
  function sendOn(connection: Bun.SQL): Send {
    const origin = pool;
    const answered = unlessSilent(silenceMs, () => {
      if (pool === origin) {
        pool = open();
        shared = sendOn(pool);
        void origin.close({ timeout: drainSeconds });
      }
      return noAnswer();
    });
    return (text, params) => answered(connection.unsafe(text, params).values());
  }

  async function reserved<T>(work: (send: Send) => Promise<T>): Promise<T> {
    const connection = await pool.reserve();
    return work(sendOn(connection)).finally(() => connection.release());
  }

  function counted<T>(use: () => Promise<T>): Promise<T> {
    inUse++;
    return use().finally(() => inUse--);
  }

  return {
    /** Runs a statement on any connection. A read is repeated once if its connection is cut. */
    send: ((text, params) => {
      const query = () => inTime(shared(text, params), silenceMs, noAnswer); // it may be queued
      return counted(/^\s*select /i.test(text) ? () => againIfCut(query) : query);
    }) satisfies Send,
    /** Reserves a connection for the statements of `work`. */
    reserve: <T>(work: (send: Send) => Promise<T>) => counted(() => inTransaction(() => reserved(work))),
    /** How many statements and transactions have a connection or wait for one. */
    inUse: () => inUse,
    pool: () => pool,
    close: (seconds: number) => pool.close({ timeout: seconds }),
  };
}

const retryMs = 3_000; // how long a transaction is retried if others interfere
const leastTries = 3; // however long they take: on a slow machine, one try may take longer than that

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
        const hasWaited = performance.now() - (isAway(error) ? (transaction.since ?? began) : began) > retryMs;
        const isSpent = isOurDelay(error) ? tries >= leastTries : hasWaited && (isAway(error) || tries >= leastTries);
        if (!mayRunAgain(error, state) || isSpent) throw error;
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

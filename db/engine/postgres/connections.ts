import { atMost } from "../../async/turns";
import { inTime, unlessSilent } from "../../async/in-time";
import { againIfCut, noAnswer } from "./errors";

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

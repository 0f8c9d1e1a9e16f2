import { inTime } from "../../lib/async/in-time";
import { againIfCut, noAnswer } from "./errors";

const timeouts = { statement_timeout: 5_000, lock_timeout: 3_000, idle_in_transaction_session_timeout: 10_000 };
const maxSilenceMs = 6_000; // longer than the server lets a statement run: after that, the server or the connection to it is gone
const drainSeconds = 3; // for statements on connections that are about to be replaced

/** Runs one statement and returns its rows. */
export type Send = (text: string, params?: unknown[]) => Promise<unknown[][] & { command?: string }>;
export type Connections = ReturnType<typeof connectTo>;

/** The connections of this process to a database, up to `max`. */
export function connectTo(url: string, max: number, silenceMs = maxSilenceMs) {
  const connection = { application_name: "postroom", ...timeouts };
  const open = () => new Bun.SQL(url, { max, bigint: true, idleTimeout: 60, connectionTimeout: 3, connection });
  let pool = open();
  let inUse = 0;

  /** If a machine vanishes, its connections stay open for minutes: after a silence, all are replaced (P236). */
  function sendOn(connection: Bun.SQL): Send {
    const origin = pool;
    const giveUp = () => {
      if (pool === origin) {
        pool = open();
        void origin.close({ timeout: drainSeconds });
      }
      return noAnswer();
    };
    return (text, params) => inTime(connection.unsafe(text, params).values(), silenceMs, giveUp);
  }

  function counted<T>(use: () => Promise<T>): Promise<T> {
    inUse++;
    return use().finally(() => inUse--);
  }

  return {
    /** Runs a statement on any connection. A read is repeated once if its connection is cut. */
    send: ((text, params) => {
      const ask = () => sendOn(pool)(text, params);
      return counted(/^\s*select /i.test(text) ? () => againIfCut(ask) : ask);
    }) satisfies Send,
    /** Reserves a connection for the statements of `work`. */
    reserve: <T>(work: (send: Send) => Promise<T>): Promise<T> =>
      counted(async () => {
        const connection = await pool.reserve();
        return work(sendOn(connection)).finally(() => connection.release());
      }),
    /** How many statements and transactions have a connection or wait for one. */
    inUse: () => inUse,
    pool: () => pool,
    close: (seconds: number) => pool.close({ timeout: seconds }),
  };
}

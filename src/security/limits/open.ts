import { isReadOnly } from "../../../db/engine/errors";
import type { Db } from "../../../db/engine/open";
import * as windows from "../../../db/limits/rate-limits.postgres";
import { clientNetwork } from "../../platform/client-address";
import { limitsInMemory, SlidingWindows } from "./in-memory";
import { all, describe, hashWith, hourBefore, type Limits, type Needs, tooMany } from "./limits";
import type { Limit, Verdict } from "./ring";

/**
 * Sliding windows (D30): at most `max` admissions in any `seconds`. A rejection uses up nothing and prolongs nothing.
 * On SQLite, the decision is made in memory, and admissions are written to the database before the response is sent, so
 * that a restart forgets none. On PostgreSQL, which several processes may share, one statement decides and writes.
 */
export const openLimits = async (needs: Needs): Promise<Limits> =>
  needs.db.isShared ? sharedLimits(needs) : limitsInMemory(needs);

const blockSize = 25; // requests of a key per database query
const blockMs = 5_000;
const maxBlocks = 10_000;

type Block = { granted: number; left: number; remaining: number; resetSeconds: number; until: number };

type Question = { now: number; at: number; count: number; unused?: number };

/** The sliding windows of a database that several processes share. */
export class SharedWindows {
  private readonly blocks = new Map<string, Block>();
  private readonly asked = new Map<string, Promise<Block>>();

  constructor(private readonly db: Db) {}

  /** Counts one request, unless the window is full. */
  async take(limit: Limit, client: string, at: number): Promise<Verdict> {
    const { granted, remaining, resetSeconds } = await this.ask(limit, client, { now: at, at, count: 1 });
    return { admitted: granted === 1, remaining, resetSeconds };
  }

  giveBack(limit: Limit, client: string): Promise<void> {
    return windows.giveBack(this.db, { limit: limit.name, client });
  }

  /**
   * Counts one request out of a block taken in advance. Together, the processes never admit more than `max`, and up to
   * one block fewer for each additional process. A block is valid for five seconds, and its requests count as made at
   * the end of them. What is left of it then is given back with the next query; otherwise a slow client of several
   * processes would use up its quota with blocks that expired. After half a window nothing is, because the hits of the
   * block may be gone.
   */
  takeFromBlock(limit: Limit, client: string, at: number): Verdict | Promise<Verdict> {
    const block = this.blocks.get(`${limit.name} ${client}`);
    return block && block.left > 0 && at <= block.until ? fromBlock(block) : this.fromNextBlock(limit, client, at);
  }

  /** Simultaneous requests share one query, and thus one block: more blocks would be withheld from other processes. */
  private async fromNextBlock(limit: Limit, client: string, at: number): Promise<Verdict> {
    const name = `${limit.name} ${client}`;
    let asked = this.asked.get(name);
    if (!asked) {
      asked = this.nextBlock(limit, client, at).finally(() => this.asked.delete(name));
      this.asked.set(name, asked);
    }
    const { granted, resetSeconds } = await asked;
    if (granted === 0) return { admitted: false, remaining: 0, resetSeconds };
    return this.takeFromBlock(limit, client, at);
  }

  private async nextBlock(limit: Limit, client: string, at: number): Promise<Block> {
    const name = `${limit.name} ${client}`;
    const last = this.blocks.get(name);
    this.blocks.delete(name); // its rest must not be given back twice
    const isStillCounted = last && last.until > at - (limit.seconds * 1_000) / 2;
    const unused = isStillCounted ? last.left : 0;
    const until = at + blockMs;
    const { granted, remaining, resetSeconds } = await this.ask(limit, client, {
      now: at,
      at: until,
      count: blockSize,
      unused,
    });
    const block = { granted, left: granted, remaining, resetSeconds, until };
    if (this.blocks.size >= maxBlocks) this.blocks.clear();
    if (granted > 0) this.blocks.set(name, block);
    return block;
  }

  private async ask(limit: Limit, client: string, { now, ...wanted }: Question) {
    const since = now - limit.seconds * 1_000;
    const { max, name } = limit;
    const { granted, remaining, oldest } = await windows.take(this.db, { limit: name, client, since, max, ...wanted });
    const resetSeconds = Math.min(limit.seconds, Math.max(1, Math.ceil((oldest - since) / 1000)));
    return { granted, remaining, resetSeconds };
  }

  prune(since: Date): Promise<void> {
    return windows.prune(this.db, since);
  }
}

function fromBlock(block: Block): Verdict {
  block.left--;
  return { admitted: true, remaining: block.remaining + block.left, resetSeconds: block.resetSeconds };
}

/**
 * Every decision is one statement in the database, so that other processes know it as soon as it is made. While the
 * database is read-only, keyed reads are counted in memory, by each process for itself: they need nothing else written.
 */
function sharedLimits({ db, config, now }: Needs): Limits {
  const windows = new SharedWindows(db);
  const own = new SlidingWindows(all, now);
  const hash = hashWith(config);
  return {
    take: (limit, client, at = now().getTime()) => windows.take(limit, client, at),
    takeFromBlock(limit, client, at) {
      const verdict = windows.takeFromBlock(limit, client, at);
      if (!(verdict instanceof Promise)) return verdict;
      return verdict.catch((error) => (isReadOnly(error) ? own.take(limit, client, at) : Promise.reject(error)));
    },
    async admit(limit, context) {
      const verdict = await windows.take(limit, hash(clientNetwork(context.visitorAddress)), now().getTime());
      describe(limit, verdict, context);
      return verdict.admitted ? undefined : tooMany(verdict);
    },
    async attempt(limit, client) {
      const hashed = hash(client);
      const verdict = await windows.take(limit, hashed, now().getTime());
      return { verdict, forgive: () => windows.giveBack(limit, hashed), keep: async () => {} };
    },
    sweep: () => windows.prune(hourBefore(now())),
  };
}

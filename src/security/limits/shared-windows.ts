import type { Db } from "../../../db/engine/open";
import * as windows from "../../../db/access/rate-limits.postgres";
import type { Limit, Verdict } from "./sliding-windows";

const blockSize = 25; // a database is asked once for so many requests of a key
const blockMs = 5_000;
const maxBlocks = 10_000;

type Block = { left: number; remaining: number; resetSeconds: number; until: number };

/** The sliding windows of a database that several processes share. */
export class SharedWindows {
  private readonly blocks = new Map<string, Block>();

  constructor(private readonly db: Db) {}

  /** Counts one request, unless the window is full. */
  async take(limit: Limit, client: string, at: number): Promise<Verdict> {
    const { granted, remaining, resetSeconds } = await this.ask(limit, client, at, at, 1);
    return { admitted: granted === 1, remaining, resetSeconds };
  }

  giveBack(limit: Limit, client: string): Promise<void> {
    return windows.giveBack(this.db, { limit: limit.name, client });
  }

  /**
   * Counts one request out of a block taken in advance. Together the processes never admit more than `max`, and up to a
   * block fewer for each of the others. A block is given out for five seconds, and counts from the end of these.
   */
  takeFromBlock(limit: Limit, client: string, at: number): Verdict | Promise<Verdict> {
    const block = this.blocks.get(client);
    return block && block.left > 0 && at <= block.until ? fromBlock(block) : this.takeBlock(limit, client, at);
  }

  private async takeBlock(limit: Limit, client: string, at: number): Promise<Verdict> {
    const until = at + blockMs;
    const { granted, remaining, resetSeconds } = await this.ask(limit, client, at, until, blockSize);
    const other = this.blocks.get(client); // several requests may have asked at once: what was granted adds up
    const left = granted + (other && at <= other.until ? other.left : 0);
    if (left === 0) return { admitted: false, remaining: 0, resetSeconds };
    const block = {
      left,
      remaining,
      resetSeconds,
      until: Math.min(until, other && other.left > 0 ? other.until : until),
    };
    if (this.blocks.size >= maxBlocks) this.blocks.clear();
    this.blocks.set(client, block);
    return fromBlock(block);
  }

  private async ask(limit: Limit, client: string, now: number, at: number, count: number) {
    const since = now - limit.seconds * 1_000;
    const { max, name } = limit;
    const { granted, remaining, oldest } = await windows.take(this.db, { limit: name, client, since, at, max, count });
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

import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "../../db/engine/open";
import * as apiKeys from "../../db/access/api-keys";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { described, type Log } from "./log";
import { clientNetwork } from "../security/client";
import type { RequestContext } from "../http/request-context";

type Needs = { db: Db; log: Log; now: () => Date };

const flushIntervalMs = 5_000; // D26 allows ten seconds
const maxVisitors = 200_000; // remembered at once, about 20 MB; then the oldest are forgotten
const dayMs = 86_400_000;
const bot = /bot\b|crawl|spider|slurp|preview|facebookexternalhit|lighthouse|headless|monitor/i;

/**
 * Counts views, clicks and the use of keys in memory and writes them down every few seconds, so that reading never
 * waits for a write (D26, D28).
 */
export const createCounters = (needs: Needs) => new Counters(needs);

export class Counters {
  private readonly isFirstVisit: ReturnType<typeof visitorsOfTheDay>;
  private views = new Map<string, number>();
  private clicks = new Map<string, number>();
  private usedKeys: apiKeys.AuthenticatedKey[] = [];
  private timer: Timer | undefined;

  constructor(private readonly needs: Needs) {
    this.isFirstVisit = visitorsOfTheDay(needs.now);
  }

  /** Somebody read a post. */
  viewed(postId: string, context: RequestContext) {
    if (this.isFirstVisit(postId, context)) add(this.views, postId, 1);
  }

  /** Somebody followed the link of a project. */
  clicked(projectId: string, context: RequestContext) {
    if (this.isFirstVisit(projectId, context)) add(this.clicks, projectId, 1);
  }

  /** The time stays with the key until it is written down: keeping a list of them would cost more than all else. */
  keyUsed(apiKey: apiKeys.AuthenticatedKey, at: number) {
    if (apiKey.usedAt === undefined) this.usedKeys.push(apiKey);
    apiKey.usedAt = at;
  }

  /** Writes down what was counted. What could not be written is kept for the next time. */
  async flush() {
    const { views, clicks, usedKeys } = this;
    if (!views.size && !clicks.size && !usedKeys.length) return;
    const uses = new Map(usedKeys.map(({ id, usedAt = 0 }) => [id, new Date(usedAt)]));
    [this.views, this.clicks, this.usedKeys] = [new Map(), new Map(), []];
    for (const apiKey of usedKeys) apiKey.usedAt = undefined;
    try {
      await this.needs.db.write(async (orm) => {
        await posts.addViews(orm, views);
        await projects.addClicks(orm, clicks);
        await apiKeys.recordUses(orm, uses);
      });
    } catch (error) {
      for (const [id, n] of views) add(this.views, id, n);
      for (const [id, n] of clicks) add(this.clicks, id, n);
      for (const apiKey of usedKeys) this.keyUsed(apiKey, apiKey.usedAt ?? uses.get(apiKey.id)?.getTime() ?? 0);
      this.needs.log.warn("counters not written", described(error));
    }
  }

  start() {
    this.timer ??= setInterval(() => void this.flush(), flushIntervalMs);
  }

  async close() {
    clearInterval(this.timer);
    await this.flush();
  }
}

const add = (counts: Map<string, number>, id: string, n: number) => counts.set(id, (counts.get(id) ?? 0) + n);

/**
 * Whether this is a person's first visit to something today (D26). Who came is kept as a hash under a salt that exists
 * in memory only and changes every day: nobody can be recognised tomorrow.
 */
function visitorsOfTheDay(now: () => Date) {
  const seen = new Set<string>();
  let today = -1;
  let salt = "";

  return (subject: string, context: RequestContext): boolean => {
    const agent = context.request.headers.get("user-agent") ?? "";
    if (context.isPassive || bot.test(agent)) return false;
    const date = Math.floor(now().getTime() / dayMs);
    if (date !== today) {
      [today, salt] = [date, randomBytes(32).toString("hex")];
      seen.clear();
    }
    const person = `${subject} ${clientNetwork(context.address)} ${agent}`;
    const visitor = createHmac("sha256", salt).update(person).digest("base64url");
    if (seen.has(visitor)) return false;
    const [oldest] = seen;
    if (seen.size >= maxVisitors && oldest) seen.delete(oldest);
    seen.add(visitor);
    return true;
  };
}

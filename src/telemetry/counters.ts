import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "../../db/engine/open";
import * as apiKeys from "../../db/access/api-keys";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { described, type Log } from "./log";
import { clientNetwork } from "../security/client";
import type { RequestContext } from "../http/request-context";

export type Counters = ReturnType<typeof createCounters>;

const flushEvery = 5_000; // milliseconds; D26 allows ten seconds
const mostVisits = 200_000; // remembered at once, about 20 MB; then the oldest are forgotten
const day = 86_400_000;
const bot = /bot\b|crawl|spider|slurp|preview|facebookexternalhit|lighthouse|headless|monitor/i;

/**
 * Counts views, clicks and the use of keys in memory and writes them down every few seconds, so that reading never
 * waits for a write (D26, D28).
 */
export function createCounters({ db, log, now }: { db: Db; log: Log; now: () => Date }) {
  const isFirstVisit = visitorsOfTheDay(now);
  let views = new Map<string, number>();
  let clicks = new Map<string, number>();
  let used: apiKeys.AuthenticatedKey[] = [];
  let timer: Timer | undefined;

  const count = (counts: Map<string, number>, id: string, context: RequestContext) => {
    if (isFirstVisit(id, context)) counts.set(id, (counts.get(id) ?? 0) + 1);
  };

  /** The time stays with the key until it is written down: keeping a list of them would cost more than all else. */
  function keyUsed(apiKey: apiKeys.AuthenticatedKey, at: number) {
    if (apiKey.usedAt === undefined) used.push(apiKey);
    apiKey.usedAt = at;
  }

  async function flush() {
    if (!views.size && !clicks.size && !used.length) return;
    const taken = { views, clicks, used, uses: new Map(used.map(({ id, usedAt = 0 }) => [id, new Date(usedAt)])) };
    [views, clicks, used] = [new Map(), new Map(), []];
    for (const apiKey of taken.used) apiKey.usedAt = undefined;
    try {
      await db.write((orm) => {
        posts.addViews(orm, taken.views);
        projects.addClicks(orm, taken.clicks);
        apiKeys.recordUses(orm, taken.uses);
      });
    } catch (error) {
      for (const [id, n] of taken.views) views.set(id, (views.get(id) ?? 0) + n);
      for (const [id, n] of taken.clicks) clicks.set(id, (clicks.get(id) ?? 0) + n);
      for (const apiKey of taken.used) keyUsed(apiKey, apiKey.usedAt ?? taken.uses.get(apiKey.id)?.getTime() ?? 0);
      log.warn("counters not written", described(error));
    }
  }

  return {
    /** Somebody read a post. */
    viewed: (postId: string, context: RequestContext) => count(views, postId, context),
    /** Somebody followed the link of a project. */
    clicked: (projectId: string, context: RequestContext) => count(clicks, projectId, context),
    keyUsed,
    /** Writes down what was counted. What could not be written is kept for the next time. */
    flush,
    start() {
      timer ??= setInterval(() => void flush(), flushEvery);
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

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
    const date = Math.floor(now().getTime() / day);
    if (date !== today) {
      [today, salt] = [date, randomBytes(32).toString("hex")];
      seen.clear();
    }
    const person = `${subject} ${clientNetwork(context.address)} ${agent}`;
    const visitor = createHmac("sha256", salt).update(person).digest("base64url");
    if (seen.has(visitor)) return false;
    const [oldest] = seen;
    if (seen.size >= mostVisits && oldest) seen.delete(oldest);
    seen.add(visitor);
    return true;
  };
}

import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "../../db/engine/open";
import * as apiKeys from "../../db/access/api-keys";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import * as visits from "../../db/visits";
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
  /** Where other processes count too, only the database knows who was here before. */
  private unsettled: visits.Visit[] = [];
  private timer: Timer | undefined;

  constructor(private readonly needs: Needs) {
    this.isFirstVisit = visitorsOfTheDay(needs.now);
  }

  /** Somebody read a post. */
  viewed(postId: string, context: RequestContext) {
    if (this.isFirstVisit(postId, context)) this.count({ kind: "view", id: postId, visitor: visitorOf(context) });
  }

  /** Somebody followed the link of a project. */
  clicked(projectId: string, context: RequestContext) {
    if (this.isFirstVisit(projectId, context))
      this.count({ kind: "click", id: projectId, visitor: visitorOf(context) });
  }

  private count(visit: visits.Visit) {
    if (this.needs.db.isShared) this.unsettled.push(visit);
    else add(visit.kind === "view" ? this.views : this.clicks, visit.id, 1);
  }

  /** The time stays with the key until it is written down: keeping a list of them would cost more than all else. */
  keyUsed(apiKey: apiKeys.AuthenticatedKey, at: number) {
    if (apiKey.usedAt === undefined) this.usedKeys.push(apiKey);
    apiKey.usedAt = at;
  }

  /** Writes down what was counted. What could not be written is kept for the next time. */
  async flush() {
    const { views, clicks, usedKeys, unsettled } = this;
    if (!views.size && !clicks.size && !usedKeys.length && !unsettled.length) return;
    const uses = new Map(usedKeys.map(({ id, usedAt = 0 }) => [id, new Date(usedAt)]));
    [this.views, this.clicks, this.usedKeys, this.unsettled] = [new Map(), new Map(), [], []];
    for (const apiKey of usedKeys) apiKey.usedAt = undefined;
    try {
      await this.needs.db.write(
        async (orm) => {
          const first = unsettled.length ? await visits.record(orm, dayOf(this.needs.now()), unsettled) : [];
          await posts.addViews(orm, withVisits(views, first, "view"));
          await projects.addClicks(orm, withVisits(clicks, first, "click"));
          await apiKeys.recordUses(orm, uses);
        },
        { guarded: true },
      );
    } catch (error) {
      for (const [id, n] of views) add(this.views, id, n);
      for (const [id, n] of clicks) add(this.clicks, id, n);
      this.unsettled.push(...unsettled);
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

const dayOf = (now: Date) => Math.floor(now.getTime() / dayMs);
const visitorOf = ({ address, request }: RequestContext) =>
  `${clientNetwork(address)} ${(request.headers.get("user-agent") ?? "").slice(0, 512)}`;

function withVisits(counts: Map<string, number>, first: visits.Visit[], kind: visits.Visit["kind"]) {
  const all = new Map(counts);
  for (const visit of first) if (visit.kind === kind) add(all, visit.id, 1);
  return all;
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
    const date = dayOf(now());
    if (date !== today) {
      [today, salt] = [date, randomBytes(32).toString("hex")];
      seen.clear();
    }
    const person = `${subject} ${visitorOf(context)}`;
    const visitor = createHmac("sha256", salt).update(person).digest("base64url");
    if (seen.has(visitor)) return false;
    const [oldest] = seen;
    if (seen.size >= maxVisitors && oldest) seen.delete(oldest);
    seen.add(visitor);
    return true;
  };
}

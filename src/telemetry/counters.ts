import type { Db, Orm } from "../../db/engine/open";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import { dayOf } from "../../db/lib/time";
import { addToDay } from "../../db/daily-counts";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import * as visits from "../../db/visits";
import { described, type Log } from "../platform/log";
import type { RequestContext } from "../platform/request-context";
import { visitorOf, visitorsOfTheDay } from "./visitors";

type Needs = { db: Db; log: Log; now: () => Date };

const flushIntervalMs = 5_000; // D26 allows ten seconds

/**
 * Counts views, clicks and uses of keys in memory, and writes them to the database every few seconds, so that reading
 * never waits for a write (D26, D28).
 */
export const createCounters = (needs: Needs) => new Counters(needs);

export class Counters {
  private readonly isFirstVisit: ReturnType<typeof visitorsOfTheDay>;
  private counted = noneYet();
  private usedKeys: keyAuthentication.AuthenticatedKey[] = [];
  /** If other processes count too, only the database knows who has been here before. */
  private unsettled: visits.Visit[] = [];
  private timer: Timer | undefined;
  private flushing = Promise.resolve();

  constructor(private readonly needs: Needs) {
    this.isFirstVisit = visitorsOfTheDay(needs.now);
  }

  /** Someone read a post. */
  viewed(postId: string, context: RequestContext) {
    this.visited("view", postId, context);
  }

  /** Someone followed a project's link. */
  clicked(projectId: string, context: RequestContext) {
    this.visited("click", projectId, context);
  }

  /** Someone read a broadcast on the web. */
  readOnTheWeb(broadcastId: string, context: RequestContext) {
    this.visited("page", broadcastId, context);
  }

  private visited(kind: visits.Visit["kind"], id: string, context: RequestContext) {
    if (!this.isFirstVisit(id, context)) return;
    if (this.needs.db.isShared) this.unsettled.push({ kind, id, visitor: visitorOf(context) });
    else add(this.counted[kind], id, 1);
  }

  /** The time stays with the key until it is written: a separate list would cost more than everything else. */
  keyUsed(apiKey: keyAuthentication.AuthenticatedKey, at: number) {
    if (apiKey.usedAt === undefined) this.usedKeys.push(apiKey);
    apiKey.usedAt = at;
  }

  /** Writes the counts, after those that are being written. What could not be written is kept for the next time. */
  flush(): Promise<void> {
    return (this.flushing = this.flushing.then(() => this.flushNow()));
  }

  private async flushNow(): Promise<void> {
    const { counted, usedKeys, unsettled } = this;
    if (!isAny(counted) && !usedKeys.length && !unsettled.length) return;
    const uses = new Map(usedKeys.map(({ id, usedAt = 0 }) => [id, new Date(usedAt)]));
    [this.counted, this.usedKeys, this.unsettled] = [noneYet(), [], []];
    for (const apiKey of usedKeys) apiKey.usedAt = undefined;
    try {
      await this.needs.db.write((orm) => this.write(orm, counted, unsettled, uses), { guarded: true });
    } catch (error) {
      for (const kind of kinds) for (const [id, n] of counted[kind]) add(this.counted[kind], id, n);
      this.unsettled.push(...unsettled);
      for (const apiKey of usedKeys) this.keyUsed(apiKey, apiKey.usedAt ?? uses.get(apiKey.id)?.getTime() ?? 0);
      this.needs.log.warn("counters not written", described(error));
    }
  }

  /** Writes totals and days in one commit, so that they agree. */
  private async write(orm: Orm, counted: CountedVisits, unsettled: visits.Visit[], uses: Map<string, Date>) {
    const day = dayOf(this.needs.now());
    const first = unsettled.length ? await visits.record(orm, day, unsettled) : [];
    const all = withVisits(counted, first);
    await posts.addViews(orm, all.view);
    await projects.addClicks(orm, all.click);
    await addToDay(orm, day, all);
    await keyAuthentication.recordUses(orm, uses);
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

type CountedVisits = Record<visits.Visit["kind"], Map<string, number>>;
const kinds = ["view", "click", "page"] as const;
const noneYet = (): CountedVisits => ({ view: new Map(), click: new Map(), page: new Map() });
const isAny = (counted: CountedVisits) => kinds.some((kind) => counted[kind].size > 0);

function withVisits(counted: CountedVisits, first: visits.Visit[]): CountedVisits {
  const all = { view: new Map(counted.view), click: new Map(counted.click), page: new Map(counted.page) };
  for (const { kind, id } of first) add(all[kind], id, 1);
  return all;
}

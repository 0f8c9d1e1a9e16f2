import { createHmac, randomBytes } from "node:crypto";
import * as keyAuthentication from "../../db/access/keys/api-keys";
import {
  callerId,
  type Calls,
  manyNetworks,
  recordCalls,
  warnOfInventedVisitors,
  warnOfNewNetworks,
} from "../../db/access/keys/callers";
import { ownerAddress } from "../../db/contact/owner";
import type { Db, Orm } from "../../db/engine/open";
import { dayOf, hourMs } from "../../db/lib/time";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import * as visits from "../../db/visits";
import { clientNetwork, wideNetwork } from "../platform/client-address";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { ipVersion } from "../platform/networks";
import type { RecordedCall, RequestContext, Visitor } from "../platform/request-context";

type Needs = {
  config: Pick<Config, "OWNER_EMAIL" | "BASE_URL" | "BLOG_URL" | "CORS_ORIGINS">;
  db: Db;
  log: Log;
  now: () => Date;
};

const flushIntervalMs = 5_000; // D26 allows ten seconds
/** Callers of keys that are noted until they are written; the second, of keys that were not replaced. */
const maxCallers = { all: 1_000, sampled: 20 };
const maxAgentLength = 200;

/**
 * Counts views, clicks and uses of keys in memory, and writes them to the database every few seconds, so that reading
 * never waits for a write (D26, D28).
 */
export const createCounters = (needs: Needs) => new Counters(needs);

export class Counters {
  private readonly isFirstVisit: ReturnType<typeof visitorsOfTheDay>;
  private counted = noneYet();
  /** Views by post, then by the host that readers came from. */
  private referred: Referred = new Map();
  private usedKeys: keyAuthentication.AuthenticatedKey[] = [];
  private callers = new Map<string, Calls>();
  /** If other processes count too, only the database knows who has been here before. */
  private unsettled: visits.Visit[] = [];
  /** Networks of the visitors that each key named within this hour, as hashes. */
  private named = new Map<string, { hour: number; networks: Set<string> }>();
  private timer: Timer | undefined;
  private flushing = Promise.resolve();

  constructor(private readonly needs: Needs) {
    this.isFirstVisit = visitorsOfTheDay(needs.now);
  }

  /* A visitor counts once a day for each of these, and only a reader: no bot, HEAD or prefetch (`isPassive`). */

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
    const host = kind === "view" ? referrerHost(context.visitorReferrer, this.needs.config) : undefined;
    if (this.needs.db.isShared) this.unsettled.push({ kind, id, visitor: visitorOf(context), host });
    else this.count({ kind, id, host });
  }

  private count({ kind, id, host }: Counted): void {
    add(this.counted[kind], id, 1);
    if (host) addView(this.referred, id, host, 1);
  }

  /**
   * The time stays with the key until it is written: a separate list would cost more than everything else. So would
   * noting each caller: of a key that was replaced every one is noted, of some others the first in each flush.
   */
  keyUsed(apiKey: keyAuthentication.AuthenticatedKey, at: number, call: RecordedCall) {
    const isSample = apiKey.usedAt === undefined && this.callers.size < maxCallers.sampled;
    if (isSample || apiKey.isReplaced) this.addCaller(apiKey.id, at, call, "accepted");
    this.markUsed(apiKey, at);
  }

  /** The same for a call on behalf of a visitor: every caller is noted, because whoever has such a key can invent visitors. */
  keyNamedVisitor(apiKey: keyAuthentication.AuthenticatedKey, at: number, call: RecordedCall) {
    this.addCaller(apiKey.id, at, call, "accepted");
    this.markUsed(apiKey, at);
  }

  /** Which visitor it was. Above what is suspicious, no more are remembered. */
  visitorNamed({ apiKeyId, hash }: Pick<Visitor, "apiKeyId" | "hash">, at: number) {
    const hour = Math.floor(at / hourMs);
    const before = this.named.get(apiKeyId);
    const { networks } = before?.hour === hour ? before : { networks: new Set<string>() };
    if (networks.size <= manyNetworks) networks.add(hash);
    this.named.set(apiKeyId, { hour, networks });
  }

  /** The keys that named visitors from suspiciously many networks within this hour. */
  private crowdedKeys(): string[] {
    const hour = Math.floor(this.needs.now().getTime() / hourMs);
    const isCrowded = (key: { hour: number; networks: Set<string> }) =>
      key.hour === hour && key.networks.size > manyNetworks;
    return [...this.named].filter(([, key]) => isCrowded(key)).map(([id]) => id);
  }

  /** A key was refused, for where it was used or what for. */
  keyRefused({ id }: { id: string }, at: number, call: RecordedCall, by: "network" | "scope") {
    this.addCaller(id, at, call, by);
  }

  private markUsed(apiKey: keyAuthentication.AuthenticatedKey, at: number) {
    if (apiKey.usedAt === undefined) this.usedKeys.push(apiKey);
    apiKey.usedAt = at;
  }

  private addCaller(keyId: string, at: number, { address, request, route }: RecordedCall, outcome: Calls["outcome"]) {
    const agent = (request.headers.get("user-agent") ?? "").slice(0, maxAgentLength);
    const caller = { keyId, network: wideNetwork(address), agent, route, outcome };
    const id = callerId(caller);
    const calls = (this.callers.get(id)?.calls ?? 0) + 1;
    if (calls > 1 || this.callers.size < maxCallers.all)
      this.callers.set(id, { ...caller, calls, lastAt: new Date(at) });
  }

  /** Writes the counts, after those that are being written. What could not be written is kept for the next time. */
  flush(): Promise<void> {
    return (this.flushing = this.flushing.then(() => this.flushNow()));
  }

  private async flushNow(): Promise<void> {
    const { counted, referred, usedKeys, callers, unsettled } = this;
    if (!isAny(counted) && !usedKeys.length && !callers.size && !unsettled.length) return;
    const uses = new Map(usedKeys.map(({ id, usedAt = 0 }) => [id, new Date(usedAt)]));
    [this.counted, this.usedKeys, this.callers, this.unsettled] = [noneYet(), [], new Map(), []];
    this.referred = new Map();
    for (const apiKey of usedKeys) apiKey.usedAt = undefined;
    try {
      await this.needs.db.write((orm) => this.write(orm, { counted, referred, unsettled }, { uses, callers }), {
        guarded: true,
      });
    } catch (error) {
      for (const kind of kinds) for (const [id, n] of counted[kind]) add(this.counted[kind], id, n);
      for (const [id, hosts] of referred) for (const [host, n] of hosts) addView(this.referred, id, host, n);
      this.unsettled.push(...unsettled);
      for (const apiKey of usedKeys) this.markUsed(apiKey, apiKey.usedAt ?? uses.get(apiKey.id)?.getTime() ?? 0);
      this.callers = together(callers, this.callers);
      this.needs.log.warn("counters not written", described(error));
    }
  }

  /** Writes totals and days in one commit, so that they agree. */
  private async write(orm: Orm, { counted, referred, unsettled }: Unwritten, keys: KeyUses) {
    const day = dayOf(this.needs.now());
    const first = unsettled.length ? await visits.record(orm, day, unsettled) : [];
    const all = withVisits(counted, first);
    await posts.addViews(orm, all.view);
    await projects.addClicks(orm, all.click);
    await visits.addToDay(orm, day, all);
    await visits.addReferrers(orm, day, withHosts(referred, first));
    await keyAuthentication.recordUses(orm, keys.uses);
    const { config, now } = this.needs;
    const owner = async () => config.OWNER_EMAIL ?? (await ownerAddress(orm));
    await warnOfNewNetworks(orm, keys.callers, owner, now());
    await warnOfInventedVisitors(orm, this.crowdedKeys(), owner, now());
    await recordCalls(orm, keys.callers);
  }

  start() {
    this.timer ??= setInterval(() => void this.flush(), flushIntervalMs);
  }

  async close() {
    clearInterval(this.timer);
    await this.flush();
  }
}

/** Adds what was noted meanwhile to the calls that could not be written. Above the limit, new callers are left out. */
function together(calls: Map<string, Calls>, meanwhile: Map<string, Calls>): Map<string, Calls> {
  const all = new Map(calls);
  for (const [id, call] of meanwhile) {
    const before = all.get(id);
    if (before || all.size < maxCallers.all) all.set(id, { ...call, calls: call.calls + (before?.calls ?? 0) });
  }
  return all;
}

const add = (counts: Map<string, number>, id: string, n: number) => counts.set(id, (counts.get(id) ?? 0) + n);

type Counted = Pick<visits.Visit, "kind" | "id" | "host">;
type Referred = Map<string, Map<string, number>>;
type Unwritten = { counted: CountedVisits; referred: Referred; unsettled: visits.Visit[] };

function addView(views: Referred, postId: string, host: string, n: number): void {
  const hosts = views.get(postId) ?? new Map<string, number>();
  views.set(postId, hosts);
  add(hosts, host, n);
}

function withHosts(referred: Referred, first: Counted[]): Referred {
  const all: Referred = new Map([...referred].map(([id, hosts]) => [id, new Map(hosts)]));
  for (const { id, host } of first) if (host) addView(all, id, host, 1);
  return all;
}

type KeyUses = { uses: Map<string, Date>; callers: Map<string, Calls> };
type CountedVisits = Record<visits.Visit["kind"], Map<string, number>>;
const kinds = ["view", "click", "page"] as const;
const noneYet = (): CountedVisits => ({ view: new Map(), click: new Map(), page: new Map() });
const isAny = (counted: CountedVisits) => kinds.some((kind) => counted[kind].size > 0);

function withVisits(counted: CountedVisits, first: visits.Visit[]): CountedVisits {
  const all = { view: new Map(counted.view), click: new Map(counted.click), page: new Map(counted.page) };
  for (const { kind, id } of first) add(all[kind], id, 1);
  return all;
}

const maxVisitors = 200_000; // remembered at the same time, about 20 MB; then the oldest are forgotten
/** User agents of programs. CUBOT is a brand of phones. */
const bot = /(?<!\bcu)bot\b|crawl|spider|slurp|preview|facebookexternalhit|lighthouse|headless|monitor/i;

/** What distinguishes visitors within a day. */
const visitorOf = ({ visitorAddress, visitorAgent }: RequestContext) =>
  `${clientNetwork(visitorAddress)} ${visitorAgent.slice(0, 512)}`;

/**
 * Whether this is a person's first visit to something today (D26). Visitors are kept as hashes under a salt that is
 * only in memory and changes every day, so that no one can be recognised tomorrow.
 */
function visitorsOfTheDay(now: () => Date) {
  const seen = new Set<string>();
  let today = -1;
  let salt = "";

  return (subject: string, context: RequestContext): boolean => {
    if (context.isPassive || bot.test(context.visitorAgent)) return false;
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

const maxRead = 2_048;
const maxHost = 100;

/**
 * Returns the host of the site that a reader came from, and nothing else of the address. Undefined if it is our own, is
 * not the name of a site, or was not given.
 */
function referrerHost(
  referrer: string | null | undefined,
  { BASE_URL, BLOG_URL, CORS_ORIGINS }: Pick<Config, "BASE_URL" | "BLOG_URL" | "CORS_ORIGINS">,
): string | undefined {
  if (!referrer || referrer.length > maxRead) return undefined;
  const host = hostOf(referrer);
  if (!host || host.length > maxHost || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) || ipVersion(host)) return undefined;
  return [BASE_URL, BLOG_URL, ...CORS_ORIGINS].some((own) => hostOf(own) === host) ? undefined : host;
}

/** Without the "www." that many sites have two of. */
function hostOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.hostname.replace(/^www\./, "").replace(/\.$/, "") : undefined;
}

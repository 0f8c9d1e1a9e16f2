import { aliveAmong } from "../../db/access/sessions";
import type { Db } from "../../db/engine/open";
import { type LiveTopic, liveTopics, type Signatures, signatures } from "../../db/live";
import { described, type Log } from "../platform/log";

/*
 * One look at the database a second for all open pages of a process, and none while there are no pages. On SQLite, as
 * long as no process has committed anything, a look costs a comparison.
 */

const lookMs = 1_000;
/** Looks between two signs of life, without which proxies and our own server close a connection. */
const looksPerBeat = 4;
/** Looks between two questions whether sessions have ended by themselves. */
const looksPerSessionCheck = 5;

const maxStreams = 256;
const maxStreamsPerSession = 60;

type Needs = { db: Db; log: Log; now: () => Date };
type Stream = {
  sessionHash: string;
  /** What it is told about. */
  topics: ReadonlySet<LiveTopic>;
  write: (text: string) => void;
  end: () => void;
};

const all: ReadonlySet<LiveTopic> = new Set(liveTopics);

const encode = (current: Signatures, topics: ReadonlySet<LiveTopic> = all) =>
  liveTopics.map((topic) => (topics.has(topic) ? current.get(topic) : "")).join(".");

/** Which topics have changed since a page knew this; all of them if it is not known what it knew. */
function changedSince(before: string | undefined, current: Signatures) {
  const parts = before?.split(".") ?? [];
  return liveTopics.filter((topic, at) => parts[at] !== current.get(topic));
}

/** What a stream is told of these topics. */
function changeFor({ topics }: Stream, current: Signatures, changed: readonly LiveTopic[]): string {
  const own = changed.filter((topic) => topics.has(topic));
  const id = `id: ${encode(current, topics)}\n`;
  return own.length ? `${id}event: changed\ndata: ${own.join(" ")}\n\n` : `${id}: nothing new\n\n`;
}

class Hub {
  private readonly streams = new Set<Stream>();
  private timer: Timer | undefined;
  private latest: { signatures: Signatures; counter: number | undefined } | undefined;
  /** What all pages were told, or knew when they were added. */
  private told: string | undefined;
  /** When sessions were last looked at, as a number of the change counter. */
  private checked: number | undefined;
  private looks = 0;
  private isLooking = false;

  constructor(private readonly db: Db) {}

  /** Adds a page; undefined if there are too many. @param before what it knew when it was rendered, or last told */
  async add(needs: Needs, stream: Stream, before: string | undefined): Promise<(() => void) | undefined> {
    const own = [...this.streams].filter(({ sessionHash }) => sessionHash === stream.sessionHash).length;
    if (this.streams.size >= maxStreams || own >= maxStreamsPerSession) return;
    this.streams.add(stream);
    this.timer ??= setInterval(() => void this.tick(needs), lookMs);
    const current = await this.look();
    this.told ??= encode(current);
    const topics = changedSince(before, current);
    stream.write(changeFor(stream, current, topics));
    return () => this.remove(stream);
  }

  endAll(): void {
    for (const stream of this.streams) stream.end();
    this.streams.clear();
    this.stop();
  }

  private remove(stream: Stream): void {
    this.streams.delete(stream);
    if (this.streams.size === 0) this.stop();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.told = undefined;
  }

  /** What is so now. */
  async look(): Promise<Signatures> {
    const counter = this.db.isShared ? undefined : this.db.changeCounter();
    if (this.latest && counter !== undefined && this.latest.counter === counter) return this.latest.signatures;
    const fresh = { signatures: await signatures(this.db), counter };
    this.latest = fresh;
    return fresh.signatures;
  }

  private async tick({ log, now }: Needs): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      this.looks++;
      const current = await this.look();
      const topics = changedSince(this.told, current);
      this.told = encode(current);
      if (topics.length) this.tell((stream) => changeFor(stream, current, topics));
      else if (this.looks % looksPerBeat === 0) this.tell(() => ":\n\n");
      const hasCommits = this.checked === undefined || this.checked !== this.latest?.counter;
      if ((hasCommits && !this.db.isShared) || this.looks % looksPerSessionCheck === 0) await this.endOver(now());
      this.checked = this.latest?.counter;
    } catch (error) {
      log.error("live", described(error));
    } finally {
      this.isLooking = false;
    }
  }

  private tell(textFor: (stream: Stream) => string): void {
    for (const stream of this.streams) stream.write(textFor(stream));
  }

  /** Ends the streams whose sessions have ended. */
  private async endOver(now: Date): Promise<void> {
    const hashes = [...new Set([...this.streams].map(({ sessionHash }) => sessionHash))];
    const alive = await aliveAmong(this.db, hashes, now);
    for (const stream of this.streams) {
      if (alive.has(stream.sessionHash)) continue;
      stream.write("event: ended\ndata:\n\n");
      stream.end();
      this.remove(stream);
    }
  }
}

const hubs = new WeakMap<Db, Hub>();

export function hubOf(db: Db): Hub {
  const hub = hubs.get(db) ?? new Hub(db);
  hubs.set(db, hub);
  return hub;
}

/**
 * What a page that is rendered now knows of these topics. On a shared database this is a query; without it, each page
 * would ask for its list again as soon as it is open.
 */
export const knownNow = async (db: Db, topics: ReadonlySet<LiveTopic>): Promise<string> =>
  encode(await hubOf(db).look(), topics);

/** Ends all streams, so that the service can stop. */
export const endStreams = (db: Db): void => hubOf(db).endAll();

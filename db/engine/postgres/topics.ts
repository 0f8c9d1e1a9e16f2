import type { TopicVersion } from "../open";
import { inTime } from "../../async/in-time";
import type { Send } from "./connections";
import { noAnswer } from "./errors";

const question = "select topic, version, changed_at from versions";

const maxQuestions = 3; // in flight
const answerMs = 3_000; // a server that has vanished would otherwise keep every request waiting

export type Topics = ReturnType<typeof watchTopics>;

/** Knows the versions of all topics at some moment, and queries the current ones (docs/decisions/postgres.md). */
export function watchTopics(send: Send) {
  let [changes, asked, overtaken, forgotten, failures, milliseconds] = [0, 0, 0, 0, 0, 0];
  let topics = new Map<string, TopicVersion>();
  let next: Promise<void> | undefined; // not sent yet
  const underWay = Array.from({ length: maxQuestions }, () => Promise.resolve());

  /** Responses may overtake each other: one to an earlier query may be older or newer than the latest. */
  async function query(send: Send): Promise<void> {
    const turn = ++asked;
    const startedAt = performance.now();
    const rows = (await send(question, [])) as [string, bigint, bigint][];
    milliseconds += performance.now() - startedAt;
    if (turn <= forgotten) return;
    const answer = new Map(rows.map(([topic, version, at]) => [topic, toVersion(version, at)]));
    const merged = turn <= overtaken ? higherOf(answer, topics) : answer;
    overtaken = asked;
    if ([...merged].some(([topic, { version }]) => topics.get(topic)?.version !== version)) changes++;
    topics = merged;
  }

  /** Without a response, anything may have changed, even a key's status: then every version changes. */
  async function queryOrForget(): Promise<void> {
    try {
      await inTime(queryInTurn(), answerMs, noAnswer);
    } catch (error) {
      next = undefined;
      changes++;
      failures++;
      forgotten = asked; // responses to earlier queries say nothing about now
      topics = new Map();
      throw error;
    }
  }

  /** Queries when this turn of the event loop ends, and one of the queries in flight has been answered. */
  async function queryInTurn(): Promise<void> {
    await Promise.all([new Promise<unknown>(setImmediate), underWay.shift()]);
    next = undefined;
    const answered = query(send);
    underWay.push(answered.catch(() => undefined));
    return answered;
  }

  /** Resolves once everything committed before this call is known. All callers in one turn share a query. */
  const fresh = (): Promise<void> => (next ??= queryOrForget());

  const topic = (name: string) => topics.get(name) ?? { version: -failures, changedAt: new Date(0) };
  return { query, fresh, topic, changeCounter: () => changes, questions: () => ({ count: asked, milliseconds }) };
}

/** Takes the higher version of each topic, so that no commit, ours or another's, is lost again. */
const higherOf = (one: Map<string, TopicVersion>, other: Map<string, TopicVersion>) =>
  new Map([...one].map(([topic, version]) => [topic, later(version, other.get(topic))]));
const later = (one: TopicVersion, other = one) => (other.version > one.version ? other : one);

const toVersion = (version: bigint, at: bigint) => ({ version: Number(version), changedAt: new Date(Number(at)) });

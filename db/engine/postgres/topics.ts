import type { SQL } from "bun";
import type { TopicVersion } from "../open";

const question = "select topic, version, changed_at from versions";

const answerMs = 3_000;

export type Topics = ReturnType<typeof watchTopics>;

/** Knows the versions of all topics as they were at some moment, and asks for those of this moment. */
export function watchTopics(pool: SQL) {
  let [changes, asked, overtaken, forgotten, failures] = [0, 0, 0, 0, 0];
  let milliseconds = 0;
  let topics = new Map<string, TopicVersion>();
  let [current, next]: (Promise<void> | undefined)[] = [];

  /** Answers may overtake each other: one to a question from before the latest answer may be older or newer than that. */
  async function ask(connection: SQL): Promise<void> {
    const turn = ++asked;
    const [rows, took] = await versionsIn(connection);
    milliseconds += took;
    if (turn <= forgotten) return;
    const answer = new Map(rows.map(([topic, version, at]) => [topic, toVersion(version, at)]));
    const found = turn <= overtaken ? higherOf(answer, topics) : answer;
    overtaken = asked;
    if ([...found].some(([topic, { version }]) => topics.get(topic)?.version !== version)) changes++;
    topics = found;
  }

  /** Without an answer anything may have changed, a key may be gone: no version is that of before. */
  async function askOrForget(): Promise<void> {
    try {
      await inTime(ask(pool));
    } catch (error) {
      changes++;
      failures++;
      forgotten = asked; // answers to earlier questions tell nothing of now
      topics = new Map();
      throw error;
    }
  }

  /**
   * Resolves when everything that was committed before this call is known. All who call while a question is under way
   * share the next one, because that one may have been answered before their call.
   */
  function fresh(): Promise<void> {
    if (!current) return (current = askOrForget().finally(() => (current = undefined)));
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return fresh();
      });
    return next;
  }

  const topic = (name: string) => topics.get(name) ?? { version: -failures, changedAt: new Date(0) };
  return { ask, fresh, topic, changeCounter: () => changes, questions: () => ({ count: asked, milliseconds }) };
}

async function versionsIn(connection: SQL): Promise<[rows: [string, bigint, bigint][], milliseconds: number]> {
  const startedAt = performance.now();
  return [await connection.unsafe(question, []).values(), performance.now() - startedAt];
}

/** A server that has gone without a word would keep every request, uncounted. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("The database did not answer in time.")), answerMs);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** Of each topic the higher version, so that neither a commit of ours nor one of others is lost again. */
const higherOf = (one: Map<string, TopicVersion>, other: Map<string, TopicVersion>) =>
  new Map([...one].map(([topic, version]) => [topic, later(version, other.get(topic))]));
const later = (one: TopicVersion, other = one) => (other.version > one.version ? other : one);

const toVersion = (version: bigint, at: bigint): TopicVersion => ({
  version: Number(version),
  changedAt: new Date(Number(at)),
});

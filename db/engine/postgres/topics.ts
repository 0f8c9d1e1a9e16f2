import type { TopicVersion } from "../open";
import { inTime } from "../../lib/async/in-time";
import type { Send } from "./connections";
import { noAnswer } from "./errors";

const question = "select topic, version, changed_at from versions";

const maxQuestions = 3; // at the same time
const answerMs = 3_000; // a server that has gone without a word would keep every request, uncounted

export type Topics = ReturnType<typeof watchTopics>;

/** Knows the versions of all topics as they were at some moment, and asks for those of this moment. */
export function watchTopics(send: Send) {
  let [changes, asked, overtaken, forgotten, failures, milliseconds] = [0, 0, 0, 0, 0, 0];
  let topics = new Map<string, TopicVersion>();
  let next: Promise<void> | undefined; // not asked yet
  const underWay = Array.from({ length: maxQuestions }, () => Promise.resolve());

  /** Answers may overtake each other: one to a question from before the latest answer may be older or newer than that. */
  async function ask(send: Send): Promise<void> {
    const turn = ++asked;
    const startedAt = performance.now();
    const rows = (await send(question, [])) as [string, bigint, bigint][];
    milliseconds += performance.now() - startedAt;
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
      await inTime(askForTurn(), answerMs, noAnswer);
    } catch (error) {
      next = undefined;
      changes++;
      failures++;
      forgotten = asked; // answers to earlier questions tell nothing of now
      topics = new Map();
      throw error;
    }
  }

  /** Asks when this turn of the event loop ends, and one of the questions under way has been answered. */
  async function askForTurn(): Promise<void> {
    await Promise.all([new Promise<unknown>(setImmediate), underWay.shift()]);
    next = undefined;
    const answered = ask(send);
    underWay.push(answered.catch(() => undefined));
    return answered;
  }

  /** Resolves when everything that was committed before this call is known. All who call in one turn share a question. */
  const fresh = (): Promise<void> => (next ??= askOrForget());

  const topic = (name: string) => topics.get(name) ?? { version: -failures, changedAt: new Date(0) };
  return { ask, fresh, topic, changeCounter: () => changes, questions: () => ({ count: asked, milliseconds }) };
}

/** Of each topic the higher version, so that neither a commit of ours nor one of others is lost again. */
const higherOf = (one: Map<string, TopicVersion>, other: Map<string, TopicVersion>) =>
  new Map([...one].map(([topic, version]) => [topic, later(version, other.get(topic))]));
const later = (one: TopicVersion, other = one) => (other.version > one.version ? other : one);

const toVersion = (version: bigint, at: bigint) => ({ version: Number(version), changedAt: new Date(Number(at)) });

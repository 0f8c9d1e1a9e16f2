import type { SQL } from "bun";
import type { TopicVersion } from "../open";

const question = "select topic, version, changed_at from versions";

/** Knows the versions of all topics as they were at some moment, and asks for those of this moment. */
export function watchTopics(pool: SQL) {
  let [changes, asked, answered] = [0, 0, 0];
  let topics = new Map<string, TopicVersion>();
  let [current, next]: (Promise<void> | undefined)[] = [];

  /** Answers may overtake each other: one to an earlier question tells nothing new. */
  async function ask(connection: SQL): Promise<void> {
    const turn = ++asked;
    const rows: [string, bigint, bigint][] = await connection.unsafe(question, []).values();
    if (turn < answered) return;
    answered = turn;
    const found = new Map(rows.map(([topic, version, at]) => [topic, toVersion(version, at)]));
    if ([...found].some(([topic, { version }]) => topics.get(topic)?.version !== version)) changes++;
    topics = found;
  }

  /**
   * Resolves when everything that was committed before this call is known. All who call while a question is under way
   * share the next one, because that one may have been answered before their call.
   */
  function fresh(): Promise<void> {
    if (!current) return (current = ask(pool).finally(() => (current = undefined)));
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return fresh();
      });
    return next;
  }

  return { ask, fresh, topic: (name: string) => topics.get(name), changeCounter: () => changes };
}

const toVersion = (version: bigint, at: bigint): TopicVersion => ({
  version: Number(version),
  changedAt: new Date(Number(at)),
});

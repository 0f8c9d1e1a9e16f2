import { expect, test } from "bun:test";
import { watchTopics } from "./open";

const turn = () => new Promise<unknown>(setImmediate);

/** A server that responds when, and in the order, the test says. */
function server() {
  const questions: PromiseWithResolvers<[string, bigint, bigint][]>[] = [];
  const send = () => {
    const question = Promise.withResolvers<[string, bigint, bigint][]>();
    questions.push(question);
    return question.promise;
  };
  const answer = (n: number, version: bigint) => questions[n]?.resolve([["keys", version, 1n]]);
  const fail = (n: number) => questions[n]?.reject(new Error("away"));
  /** Waits until that many queries were sent. */
  const sent = async (count: number) => {
    while (questions.length < count) await turn();
  };
  return { send, answer, fail, sent, count: () => questions.length };
}

test("a process knows its own commit even if an earlier query was answered before it", async () => {
  const { send, answer, sent } = server();
  const topics = watchTopics(send);
  const own = topics.query(send); // sent with a commit
  const fresh = topics.fresh(); // sent later, on another connection, and answered before the commit
  await sent(2);
  answer(1, 1n);
  await fresh;
  answer(0, 2n);
  await own;
  expect(topics.topic("keys").version).toBe(2);
});

test("a response from before a commit does not hide it again", async () => {
  const { send, answer, sent } = server();
  const topics = watchTopics(send);
  const own = topics.query(send);
  const fresh = topics.fresh();
  await sent(2);
  answer(0, 2n);
  await own;
  answer(1, 1n);
  await fresh;
  expect(topics.topic("keys").version).toBe(2);
});

test("after a failed query, a response to an earlier one is not trusted", async () => {
  const { send, answer, fail, sent } = server();
  const topics = watchTopics(send);
  const own = topics.query(send);
  const fresh = topics.fresh();
  await sent(2);
  fail(1);
  expect(await fresh.catch(() => "failed")).toBe("failed");
  answer(0, 1n);
  await own;
  expect(topics.topic("keys").version).toBeLessThan(0);
  const again = topics.fresh();
  await sent(3);
  answer(2, 1n);
  await again;
  expect(topics.topic("keys").version).toBe(1);
});

test("versions that went back, as after a restore, are accepted", async () => {
  const { send, answer, sent } = server();
  const topics = watchTopics(send);
  for (const [n, version] of [5n, 3n].entries()) {
    const fresh = topics.fresh();
    await sent(n + 1);
    answer(n, version);
    await fresh;
    expect(topics.topic("keys").version).toBe(Number(version));
  }
});

test("callers in one turn share a query, later ones get their own, and at most three are in flight", async () => {
  const { send, answer, sent, count } = server();
  const topics = watchTopics(send);
  const all: Promise<void>[] = [];
  for (const expected of [1, 2, 3, 3, 3]) {
    all.push(topics.fresh(), topics.fresh());
    await turn();
    await turn();
    expect(count()).toBe(expected);
  }
  answer(1, 1n);
  await all[2];
  expect(count()).toBe(3); // in turn: the first is still under way
  answer(0, 1n);
  await sent(4);
  answer(2, 1n);
  answer(3, 2n);
  await Promise.all(all);
  expect(topics.topic("keys").version).toBe(2);
});

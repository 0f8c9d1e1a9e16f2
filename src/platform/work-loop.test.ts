import { expect, test } from "bun:test";
import { createLog } from "./log";
import { WorkLoop } from "./work-loop";

const log = createLog("silent");
const mayTake = () => Promise.resolve(true);

test("what has to be done first is tried again if it failed, and then not repeated", async () => {
  const done: string[] = [];
  const loop = new WorkLoop(log, {
    name: "test",
    mayTake,
    begin: async () => {
      if (done.push("begin") === 1) throw new Error("The database is away");
    },
    prepare: async () => done.push("prepare"),
    take: () => Promise.resolve(),
  });
  for (let i = 0; i < 3; i++) await loop.drain();
  expect(done).toEqual(["begin", "begin", "prepare", "prepare"]);
});

test("it looks again when a task ends, and a look that fails does not end it", async () => {
  const tasks = [1, 2, 3];
  const [begun, ended]: number[][] = [[], []];
  const loop = new WorkLoop(log, {
    name: "test",
    mayTake,
    take: async () => {
      const task = tasks.shift();
      if (task === undefined) return;
      begun?.push(task);
      loop.add(Promise.resolve().then(() => ended?.push(task)));
      throw new Error("The database is away");
    },
  });
  await loop.drain();
  expect([begun, ended]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test("closing waits for running tasks within the grace period, and starts no new ones", async () => {
  const task = Promise.withResolvers<void>();
  let looks = 0;
  const loop = new WorkLoop(log, {
    name: "test",
    mayTake,
    take: async () => {
      if (!looks++) loop.add(task.promise);
    },
  });
  loop.start(1);
  while (!looks) await new Promise((turn) => setImmediate(turn));
  await loop.close(1);
  expect(loop.size).toBe(1);
  task.resolve();
  const atClosing = looks;
  await loop.ended();
  expect([loop.size, looks]).toEqual([0, atClosing]);
});

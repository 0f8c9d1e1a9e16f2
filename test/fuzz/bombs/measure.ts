import type { target } from "./service";
import type { Bomb, Sent } from "./requests";

type Target = Awaited<ReturnType<typeof target>>;
/** Of one request: the process's own time, in milliseconds, and the megabytes that its peak grew by. */
export type Cost = { status: number; cpu: number; stall: number; memory: number };

const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const peak = () => process.resourceUsage().maxRSS / 1_024; // what the process held at its most, ever

/** Sends one request. Returns its cost, and how much of that was without a break in which other requests could run. */
export async function costOf({ send }: Target, bomb: Bomb, sent: Sent): Promise<Cost> {
  let isDone = false;
  let stall = 0;
  const watched = (async () => {
    for (let last = used(); !isDone;) {
      await new Promise((turn) => setImmediate(turn));
      const now = used();
      stall = Math.max(stall, now - last);
      last = now;
    }
  })();
  const [before, memory] = [used(), peak()];
  const status = await send(bomb, sent);
  const cpu = used() - before;
  isDone = true;
  await watched;
  return { status, cpu, stall, memory: peak() - memory };
}

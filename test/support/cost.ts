/** Seconds of this process that a piece of work takes: others on the machine do not count. */
function secondsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const shortest = 0.001; // seconds; below that a clock's own steps are measured
const enough = 20; // figure R14

/**
 * How many times the processor time of an ordinary piece of work an odd one of the same size takes; at best of three,
 * when it is more than 20. Both slow down together on a slow or busy machine, so this is no measure of the machine.
 */
export function costBeside(ordinary: () => unknown, odd: () => unknown): number {
  let [usual, found, cost] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 3 && cost >= enough; round++) {
    usual = Math.min(usual, secondsOf(ordinary));
    found = Math.min(found, secondsOf(odd));
    cost = found / Math.max(usual, shortest);
  }
  return cost;
}

/** Seconds of processor time of this process for a piece of work: other programs do not count. */
function secondsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const shortest = 0.001; // seconds; below that a clock's own steps are measured
const enough = 20; // figure R14

/**
 * The processor time of a piece of work compared with an ordinary one of the same size: the best of three, if it is
 * more than 20 times as much. Both slow down together on a slow or busy machine, so this does not measure the machine.
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

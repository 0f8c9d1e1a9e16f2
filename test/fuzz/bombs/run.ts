import { costOf, type Cost } from "./measure";
import { randomFrom } from "./random";
import type { Bomb } from "./requests";
import { target } from "./service";

/** R14: the cost compared with an ordinary request of the same length, the longest time without a break, and memory. */
export const rules = { ratio: 20, stallMs: 100, megabytes: 128 };
const leastMs = 0.5; // what costs less is taken for this: a garbage collection may fall on it
const again = 4; // times that a suspicion is measured, the least of which counts: so do collections

export type Finding = { seed: number; seen: string };
/** What was sent, and the most that one request cost. */
export type Report = {
  sent: number;
  statuses: Record<number, number>;
  ratio: number;
  stall: number;
  memory: number;
  findings: Finding[];
  /** The one that cost the most beside its ordinary one. */
  worst: string;
};

/** Sends hostile requests one after the other, each with an ordinary one of the same length. */
export async function run(count: number, seed: number, { isTimed = true } = {}): Promise<Report> {
  let service = await target();
  const report: Report = { sent: 0, statuses: {}, ratio: 0, stall: 0, memory: 0, findings: [], worst: "" };
  for (let nth = 0; nth < count; nth++) {
    if (nth % 100 === 0) {
      await service.close();
      service = await target();
      await warmUp(service);
    }
    const bomb = await service.bomb(randomFrom(seed + nth));
    const { hostile, ordinary } = await compared(service, bomb, isTimed);
    const ratio = hostile.cpu / Math.max(leastMs, ordinary.cpu);
    report.sent++;
    report.statuses[hostile.status] = (report.statuses[hostile.status] ?? 0) + 1;
    if (ratio > report.ratio) Object.assign(report, { ratio, worst: told(bomb, hostile, ordinary) });
    report.stall = Math.max(report.stall, hostile.stall);
    report.memory = Math.max(report.memory, hostile.memory);
    if (hostile.status === 599 || (isTimed && isTooMuch(hostile, ordinary)))
      report.findings.push({ seed: seed + nth, seen: told(bomb, hostile, ordinary) });
  }
  await service.close();
  return report;
}

const isTooMuch = (hostile: Cost, ordinary: Cost) =>
  hostile.cpu > rules.ratio * Math.max(leastMs, ordinary.cpu) ||
  hostile.stall > rules.stallMs ||
  hostile.memory > rules.megabytes;

type Service = Awaited<ReturnType<typeof target>>;

async function compared(service: Service, bomb: Bomb, isTimed: boolean) {
  const ask = async (which: "hostile" | "ordinary") => {
    await service.mend();
    return costOf(service, bomb, bomb[which]);
  };
  let [ordinary, hostile] = [await ask("ordinary"), await ask("hostile")];
  const { memory } = hostile;
  for (let time = 0; isTimed && time < again && isTooMuch(hostile, ordinary); time++) {
    ordinary = larger(ordinary, await ask("ordinary"));
    hostile = { ...smaller(hostile, await ask("hostile")), memory };
  }
  return { hostile, ordinary };
}

const smaller = (a: Cost, b: Cost): Cost => ({ ...a, cpu: Math.min(a.cpu, b.cpu), stall: Math.min(a.stall, b.stall) });
const larger = (a: Cost, b: Cost): Cost => ({ ...a, cpu: Math.max(a.cpu, b.cpu) });

/** What is compiled and loaded when first used is not the cost of a request. */
async function warmUp(service: Service): Promise<void> {
  for (let nth = 0; nth < 30; nth++) {
    const bomb = await service.bomb(randomFrom(nth));
    await service.mend();
    await service.send(bomb, bomb.ordinary);
  }
}

function told({ role, what, hostile: { method, url, body } }: Bomb, hostile: Cost, ordinary: Cost): string {
  const size = typeof body === "string" ? body.length : 0;
  const costs = `${hostile.cpu.toFixed(1)} ms, ordinary ${ordinary.cpu.toFixed(1)} ms, in one go ${hostile.stall.toFixed(0)} ms, +${hostile.memory.toFixed(0)} MB`;
  return `${role}, ${what}${size ? ` of ${size}` : ""}: ${method} ${url.slice(0, 60)} ${hostile.status}: ${costs}`;
}

if (import.meta.main) {
  const [count = "2000", seed = "1"] = Bun.argv.slice(2);
  process.stdout.write(`${JSON.stringify(await run(Number(count), Number(seed)))}\n`);
  process.exit(); // the service has a storage node, which listens on
}

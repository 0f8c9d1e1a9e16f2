/**
 * `npm run torture provider-down [requests]` (figure R4): visitors subscribe and write while the email provider is
 * down, and while it works. Prints how many responses were 5xx, and how long the slowest hundredth took.
 */
import { stats as mailStats } from "../../db/mail/stats";
import * as settings from "../support/settings";
import { createLog } from "../../src/platform/log";
import { fakeProvider } from "../support/mail";
import { startWorker } from "../support/outbox";
import { testService } from "../support/service";
import { atMost, conclude, exactly } from "../support/figures";

type State = "well" | "hangs" | "resets";

/** Ten visitors at a time, each from an address of their own. */
async function visitors(state: State, requests: number) {
  const provider = await fakeProvider();
  if (state !== "well") provider.behave = () => (state === "hangs" ? "hang" : "reset");
  const { config, db, clock, post } = await testService(provider.env);
  const now = () => new Date(clock.time);
  const worker = startWorker({ config, db, log: createLog("silent"), now }, { everyMs: 20, graceMs: 0 });

  for (const limit of ["emailsToStrangersPerHour", "messagesPerHourBeforeQuarantine"])
    await settings.set(db, limit, "0", { by: "torture" }, now());
  const times: number[] = [];
  let faults = 0;
  for (let i = 0; i < requests; i += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const email = `v${i + n}@example.com`;
        const startedAt = performance.now();
        const { status } = await (n % 2
          ? post("/api/newsletter/subscribe", { email })
          : post("/api/contact", { email, name: "A Visitor", message: "Hello, may I ask something?" }));
        times.push(performance.now() - startedAt);
        if (status !== 201) faults++;
      }),
    );
  await worker.close();
  const { queued } = await mailStats(db, now());
  provider.stop();
  await db.close();
  return { faults, queued, p99: percentile(times, 0.99) };
}

const percentile = (times: number[], share: number) =>
  times.sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;

/** The best of five rounds each, in turns: the machine has other work, too. */
export async function tortureProviderDown(requests: number) {
  const rounds: Record<State, Awaited<ReturnType<typeof visitors>>[]> = { well: [], hangs: [], resets: [] };
  for (let round = 0; round < 5; round++)
    for (const state of ["well", "hangs", "resets"] as const) rounds[state].push(await visitors(state, requests));
  return Object.entries(rounds).map(([provider, results]) => ({
    provider,
    faults: results.reduce((sum, { faults }) => sum + faults, 0),
    queued: results.at(-1)?.queued ?? 0,
    p99: Math.min(...results.map(({ p99 }) => p99)),
  }));
}

if (import.meta.main) {
  const figures = await tortureProviderDown(Number(Bun.argv[2] ?? 2_000));
  const [well, ...ill] = figures;
  console.table(figures);
  const slowest = Math.max(...ill.map(({ p99 }) => p99)) / (well?.p99 ?? 1);
  const faults = figures.reduce((sum, each) => sum + each.faults, 0);
  conclude([
    exactly("R4", "5xx while the provider is down", 0, faults),
    atMost("R4", "p99 with the provider down, to what it is otherwise", 1.1, slowest),
  ]);
}

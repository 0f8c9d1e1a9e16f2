import * as rateLimitHits from "../../../db/limits/rate-limits";
import { clientNetwork } from "../../platform/client-address";
import type { Limit, Verdict } from "./ring";
import { SlidingWindows } from "./sliding-windows";
import { all, hashWith, hourBefore, type Limits, type Needs } from "./limits";
import { describe, tooMany } from "./refusal";

export async function limitsInMemory({ db, config, now }: Needs): Promise<Limits> {
  const windows = new SlidingWindows(all, now);
  const take = (limit: Limit, client: string, at = now().getTime()): Verdict => windows.take(limit, client, at);
  const hash = hashWith(config);
  const sweep = () => rateLimitHits.prune(db, hourBefore(now()), now());
  await sweep();
  for (const hit of await rateLimitHits.recent(db, hourBefore(now()), now())) {
    const limit = all.find(({ name }) => name === hit.limit);
    if (limit) take(limit, hit.client, hit.at.getTime());
  }

  return {
    take,
    takeFromBlock: take,
    async admit(limit, context) {
      const client = hash(clientNetwork(context.address));
      const verdict = take(limit, client);
      describe(limit, verdict, context);
      if (!verdict.admitted) return tooMany(verdict);
      context.awaitBeforeResponse(rateLimitHits.record(db, { limit: limit.name, client, at: now() }));
      return undefined;
    },
    async attempt(limit, client) {
      const hashed = hash(client);
      return {
        verdict: take(limit, hashed),
        forgive: async () => windows.giveBack(limit, hashed),
        keep: () => rateLimitHits.record(db, { limit: limit.name, client: hashed, at: now() }),
      };
    },
    sweep,
  };
}

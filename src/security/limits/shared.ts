import { clientNetwork } from "../../platform/client-address";
import { SharedWindows } from "./shared-windows";
import { hashWith, hourBefore, type Limits, type Needs } from "./limits";
import { describe, tooMany } from "./refusal";

/** Every decision is one statement in the database, so that other processes know it as soon as it is made. */
export function sharedLimits({ db, config, now }: Needs): Limits {
  const windows = new SharedWindows(db);
  const hash = hashWith(config);
  return {
    take: (limit, client, at = now().getTime()) => windows.take(limit, client, at),
    takeFromBlock: (limit, client, at) => windows.takeFromBlock(limit, client, at),
    async admit(limit, context) {
      const verdict = await windows.take(limit, hash(clientNetwork(context.address)), now().getTime());
      describe(limit, verdict, context);
      return verdict.admitted ? undefined : tooMany(verdict);
    },
    async attempt(limit, client) {
      const hashed = hash(client);
      const verdict = await windows.take(limit, hashed, now().getTime());
      return { verdict, forgive: () => windows.giveBack(limit, hashed), keep: async () => {} };
    },
    sweep: () => windows.prune(hourBefore(now())),
  };
}

/**
 * `npm run bench subscribes [rounds]` (benchmark B2): subscribes that are on disk before the response, beside a server
 * that commits each request separately, and a bare Bun.serve that stores nothing, in turns on one machine. Every
 * visitor has a different address, so that the limiter works but admits everyone. PocketBase: `npm run bench -- --peer
 * pocketbase`.
 */
import { join } from "node:path";
import { atLeast, conclude } from "../support/figures";
import { inTurns, startBare, startBeside } from "../load/beside";
import { load, type Target } from "../load/generator";
import { subscribe, subscription } from "../load/visitors";
import { rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const rounds = Number(Bun.argv[2] ?? 5);

using folder = temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: "warn" });
const bare = await startBare(folder.path, await subscribe(service.url));
const each = await startBeside("commit-each.ts", join(folder.path, "each.sqlite"));

/** A second of subscribes by new people, over 32 connections. */
const perSecond = async (target: Target) =>
  (await load(target, Array.from({ length: 30_000 }, subscription), 32, 1)).perSecond;

try {
  await perSecond(service); // warms up
  const seen = await inTurns(rounds, {
    ours: () => perSecond(service),
    "a commit each": () => perSecond(each),
    bare: () => perSecond(bare),
  });
  console.log(`${rounded(seen.ours / seen.bare)} of a bare server that stores nothing`);
  conclude([
    atLeast(
      "B2",
      "subscribes to a server that commits each to three bare tables",
      1,
      seen.ours / seen["a commit each"],
    ),
  ]);
} finally {
  await bare.end();
  await each.end();
  await service.end();
}

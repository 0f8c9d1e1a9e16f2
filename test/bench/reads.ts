/**
 * `npm run bench reads [rounds]` (benchmark B1): the keyed list of 20 posts out of 500, beside a bare Bun.serve that
 * sends the same bytes, in turns on one machine. There are so many keys that none reaches its limit. A third server
 * shows which part of the difference is Bun's: it also sends the same bytes, after reading the URL and the key and
 * writing two headers.
 */
import { atLeast, conclude } from "../support/figures";
import { inTurns, startBare } from "../load/beside";
import { fillWithPosts } from "../load/content";
import { generator, load } from "../load/generator";
import { median, rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const rounds = Number(Bun.argv[2] ?? 5);
const path = "/api/v1/posts";

using folder = temporaryFolder();
const keys = await fillWithPosts(folder.path, 500, 4_000);
const service = await startService(folder.path, { LOG_LEVEL: "warn" });
const headers = { "x-api-key": keys[0] ?? "" };
const bare = await startBare(folder.path, await fetch(`${service.url}${path}`, { headers }));
const requests = keys.map((key) => ({ method: "GET", path, headers: { "x-api-key": key } }));
const cost = { ours: [] as number[], bare: [] as number[], keyed: [] as number[] }; // microseconds of processor time

try {
  await load(service, requests, 32, 2); // warms up
  await load(bare, requests, 32, 1);
  await load(bare.keyed, requests, 32, 1);
  const seen = await inTurns(rounds, {
    ours: () => load(service, requests, 32, 1).then(note("ours")),
    bare: () => load(bare, requests, 32, 1).then(note("bare")),
    keyed: () => load(bare.keyed, requests, 32, 1).then(note("keyed")),
    "ours, 1 connection": () => load(service, requests, 1, 1).then(({ perSecond }) => perSecond),
    "bare, 1 connection": () => load(bare, requests, 1, 1).then(({ perSecond }) => perSecond),
  });
  console.log(
    `by ${generator}; microseconds of the processor that an answer takes, and its part of a bare server's speed:`,
  );
  for (const of of ["ours", "keyed", "bare"] as const)
    console.log(`${of.padEnd(6)} ${rounded(median(cost[of]))} µs, × ${rounded(seen[of] / seen.bare)}`);
  conclude([
    atLeast("B1", "keyed list to a bare server, 32 connections", 0.8, seen.ours / seen.bare),
    atLeast("B1", "the same with one connection", 0.8, seen["ours, 1 connection"] / seen["bare, 1 connection"]),
  ]);
} finally {
  await bare.end();
  await service.end();
}

/** Records the cost of a response. */
function note(of: keyof typeof cost) {
  return ({ perSecond, microseconds }: { perSecond: number; microseconds: number }) => {
    cost[of].push(microseconds);
    return perSecond;
  };
}

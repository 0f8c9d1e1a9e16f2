/**
 * `npm run bench -- --peer pocketbase` (benchmark B2): the same list and the same writes with PocketBase, whose program
 * POCKETBASE_BINARY names (`go install github.com/pocketbase/pocketbase/examples/base@latest`), in turns on one
 * machine. PocketBase checks no key, keeps one small table and does not sync each commit; we store everything that
 * subscribing entails.
 */
import { atLeast, conclude } from "../support/figures";
import { inTurns } from "../load/beside";
import { fillWithPosts, samplePost } from "../load/content";
import { load } from "../load/generator";
import { startPocketbase } from "../load/pocketbase";
import { subscription } from "../load/visitors";
import { startService, temporaryFolder } from "../support/processes";

const binary = Bun.env.POCKETBASE_BINARY;
const rounds = 5;

if (!binary) {
  console.log("POCKETBASE_BINARY names no program: not compared.");
  process.exit(0);
}
using folder = temporaryFolder();
const keys = await fillWithPosts(folder.path, 500, 4_000);
const posts = Array.from({ length: 500 }, (_, i) => ({
  ...samplePost(i),
  publishedAt: new Date(Date.now() - i * 60_000).toISOString(),
  readingTime: 3,
}));
const service = await startService(folder.path, { LOG_LEVEL: "warn" });
const peer = await startPocketbase(binary, folder.path, posts);
const lists = keys.map((key) => ({ method: "GET", path: "/api/v1/posts", headers: { "x-api-key": key } }));
const many = <T>(make: () => T) => Array.from({ length: 30_000 }, make);

try {
  await load(service, lists, 32, 1); // warms up
  const seen = await inTurns(rounds, {
    lists: () => load(service, lists, 32, 1).then(({ perSecond }) => perSecond),
    "their lists": () => load(peer, [peer.list], 32, 1).then(({ perSecond }) => perSecond),
    subscribes: () => load(service, many(subscription), 32, 1).then(({ perSecond }) => perSecond),
    "their records": () => load(peer, many(peer.subscription), 32, 1).then(({ perSecond }) => perSecond),
  });
  conclude([
    atLeast("B2", "durable subscribes to PocketBase's records", 6, seen.subscribes / seen["their records"]),
    atLeast("–", "keyed lists to PocketBase's lists", 1, seen.lists / seen["their lists"]),
  ]);
} finally {
  await peer.end();
  await service.end();
}

/**
 * `bun test/load/cost.ts <tree> reads|subscribes`: microseconds of processor time per response of the service in
 * another checkout of Postroom, such as `git worktree add ../before <commit>` with its packages installed. It compares
 * past versions under the same load.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { median, rounded } from "../support/measures";
import { load } from "./generator";
import { subscription } from "./visitors";

const [tree = ".", kind = "reads"] = Bun.argv.slice(2);
const root = resolve(tree);
process.chdir(root);
const layouts = ["test/support/processes.ts", "test/processes.ts"]; // the second is that of versions before 2026-11-22
const processes = `${root}/${layouts.find((file) => existsSync(`${root}/${file}`))}`;
const { startService, temporaryFolder } = (await import(processes)) as typeof import("../support/processes");
const { fillWithPosts } = (await import(`${root}/test/load/content.ts`)) as typeof import("./content");

using folder = temporaryFolder();
const keys = await fillWithPosts(folder.path, 500, 4_000);
const service = await startService(folder.path, { LOG_LEVEL: "warn" });
const lists = keys.map((key) => ({ method: "GET", path: "/api/v1/posts", headers: { "x-api-key": key } }));
const requests = () => (kind === "reads" ? lists : Array.from({ length: 16_000 }, subscription));

try {
  await load(service, requests(), 32, 1); // warms up
  const seconds = [];
  for (let n = 0; n < 4; n++) seconds.push((await load(service, requests(), 32, 1)).microseconds);
  console.log(`${kind} of ${root}: ${rounded(median(seconds))} µs an answer (median of 4 seconds)`);
} finally {
  await service.end();
}

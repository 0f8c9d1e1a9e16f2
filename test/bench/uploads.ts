/**
 * `npm run bench uploads [times]` (benchmark B5): what a reservation of an upload costs beyond the storage node's own
 * response, one after the other. Multipart, because a single PUT needs no call to the node.
 */
import { atMost, conclude } from "../support/figures";
import { fillWithPosts } from "../load/content";
import { median, rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const times = Number(Bun.argv[2] ?? 200);
const path = "/api/v1/storage/upload";

using folder = temporaryFolder();
const [key = ""] = await fillWithPosts(folder.path, 1, 1);
const service = await startService(folder.path, { LOG_LEVEL: "error" });
const headers = { "x-api-key": key, "content-type": "application/json" };

/** Milliseconds that the node has taken to open uploads, excluding the polling of waiting ones. */
const opening = async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const sums = text.matchAll(/^postroom_storage_call_seconds_sum\{.*"CreateMultipartUpload"\} ([\d.]+)$/gm);
  return [...sums].reduce((total, [, value]) => total + Number(value) * 1_000, 0);
};
const reserve = async (n: number) => {
  const body = JSON.stringify({ filename: `film-${n}.mp4`, mimeType: "video/mp4", size: 2 ** 20, multipart: true });
  const startedAt = performance.now();
  const answer = await fetch(`${service.url}${path}`, { method: "POST", headers, body });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
  return performance.now() - startedAt;
};

try {
  for (let n = 0; n < 20; n++) await reserve(n); // warms up
  const before = await opening();
  const whole: number[] = [];
  for (let n = 0; n < times; n++) whole.push(await reserve(n));
  const node = ((await opening()) - before) / times;
  const each = whole.reduce((sum, one) => sum + one, 0) / times;
  console.log(`${rounded(each)} ms (median ${rounded(median(whole))}), of which the node ${rounded(node)} ms`);
  conclude([atMost("B5", "a reservation beyond the node's own answer, mean ms", 1, each - node)]);
} finally {
  await service.end();
}

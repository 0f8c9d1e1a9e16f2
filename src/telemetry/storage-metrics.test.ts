import { expect, test } from "bun:test";
import { callMetrics } from "./storage-metrics";
import { start } from "../../test/support/storage/storage-pages";

test("a histogram counts what is below each bound, for each node and operation", () => {
  const calls = callMetrics();
  for (const milliseconds of [3, 5, 6, 20_000]) calls.took('a "b"', "ListParts", milliseconds);
  const lines = calls.text().split("\n");
  const series = (le: string) =>
    `postroom_storage_call_seconds_bucket{node="a \\"b\\"",operation="ListParts",le="${le}"}`;
  for (const [le, n] of [
    ["0.005", 2],
    ["0.01", 3],
    ["10", 3],
    ["+Inf", 4],
  ] as const)
    expect(lines).toContain(`${series(le)} ${n}`);
  expect(lines).toContain('postroom_storage_call_seconds_count{node="a \\"b\\"",operation="ListParts"} 4');
  expect(lines).toContain('postroom_storage_call_seconds_sum{node="a \\"b\\"",operation="ListParts"} 20.0140');
});

test("/metrics reports reservations, the bytes of each node, calls and failures", async () => {
  const { addNode, embedded, get, grant, put, storage } = await start();
  const { uploadUrl, _meta } = await grant();
  await put(uploadUrl);
  await storage.complete(_meta.reservationId);
  await storage.abort((await grant({ size: 30 }))._meta.reservationId);
  await addNode("dead", "http://127.0.0.1:1");
  await grant({ size: 700 });
  const text = await (await get("/metrics", {}, "127.0.0.1")).text();
  for (const line of [
    'postroom_storage_reservations{state="open"} 1',
    'postroom_storage_reservations{state="pending"} 0',
    'postroom_storage_bytes{node="embedded",kind="reserved"} 700',
    'postroom_storage_bytes{node="embedded",kind="used"} 5',
    `postroom_storage_bytes{node="embedded",kind="capacity"} ${embedded.capacityBytes}`,
    'postroom_storage_node_up{node="embedded"} 1',
    'postroom_storage_call_seconds_count{node="embedded",operation="CreateMultipartUpload"} 3',
    'postroom_storage_uploads_total{outcome="completed"} 1',
    'postroom_storage_uploads_total{outcome="aborted"} 2', // one of them rolled back
    'postroom_storage_upload_bytes_total{outcome="completed"} 5',
    'postroom_storage_upload_bytes_total{outcome="aborted"} 730',
    'postroom_storage_failures_total{node="dead",code="ECONNREFUSED"} 1',
  ])
    expect(text.split("\n")).toContain(line);
  expect(text.match(/^# TYPE (\S+)/gm)?.length).toBe(new Set(text.match(/^# TYPE (\S+)/gm)).size);
});

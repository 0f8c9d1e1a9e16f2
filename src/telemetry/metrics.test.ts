import { expect, test } from "bun:test";
import { testService } from "../../test/support/service";
import { createMetrics, databaseGauges, dataGauges } from "./metrics";

test("a node's name is a label, whatever it is made of", () => {
  const gauges = dataGauges({
    ...{
      subscribers: [],
      mailsQueued: 0,
      mailsUncertain: 0,
      webhooksQueued: 0,
      mailsAwaitingTurn: 0,
      messagesQuarantined: 0,
      messagesUnread: 0,
    },
    endpoints: [{ state: "failing", count: 1 }],
    reservations: [{ state: "open", count: 2 }],
    broadcasts: { recipients: [["accepted", 5]], states: [{ state: "sent", count: 1 }], paused: 0 },
    nodes: [{ name: 'a"b\\c\nd', usedBytes: 1, reservedBytes: 2, capacityBytes: 3, isUp: false }],
  });
  const node = String.raw`node="a\"b\\c\nd"`;
  expect(gauges).toMatchObject({
    'storage_reservations{state="open"}': 2,
    'broadcast_recipients{outcome="accepted"}': 5,
    'broadcasts{state="sent"}': 1,
    'webhook_endpoints{state="failing"}': 1,
    [`storage_bytes{${node},kind="reserved"}`]: 2,
    [`storage_node_up{${node}}`]: 0,
  });
});

test("the board for Grafana asks only for metrics that there are", async () => {
  const { get, storage } = await testService({ MAILER_API_KEY: "any", RESEND_BASE_URL: "http://127.0.0.1:1" });
  await storage.nodes.open();
  const there = await (await get("/metrics", {}, "127.0.0.1")).text();
  const board = await Bun.file(`${import.meta.dir}/../../docs/deploy/grafana.json`).text();
  const asked = new Set(board.match(/postroom_[a-z_]+/g)?.map((name) => name.replace(/_(bucket|sum|count)$/, "")));
  expect(asked.size).toBeGreaterThan(15);
  expect([...asked].filter((name) => !there.includes(`# HELP ${name} `))).toEqual([]);
});

test("every metric says what it is, once, in base units", async () => {
  const { get, storage } = await testService({ MAILER_API_KEY: "any", RESEND_BASE_URL: "http://127.0.0.1:1" });
  await storage.nodes.open();
  const statistics = {
    ...{ retries: new Map([["40001", 2]]), inUse: () => 1 },
    questions: () => ({ count: 1, milliseconds: 1_500 }),
  };
  const text =
    (await (await get("/metrics", {}, "127.0.0.1")).text()) + createMetrics().text(databaseGauges(statistics));
  expect(text).toContain("postroom_database_version_question_seconds 1.5\n");
  const families = new Set(
    text.match(/^postroom_[a-z_]+(?=[ {])/gm)?.map((name) => name.replace(/_(bucket|sum|count)$/, "")),
  );
  const helped = new Set(text.match(/(?<=^# HELP )postroom_\S+(?= [A-Z]\w+)/gm));
  expect(families.size).toBeGreaterThan(18);
  expect([...families].filter((family) => !helped.has(family))).toEqual([]);
  expect(text).not.toMatch(/milliseconds|undefined/);
});

test("requests are counted by method, area and status", async () => {
  const { get, post } = await testService();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  for (const path of ["/api/v1/posts", "/dashboard", "/nowhere"]) await get(path);
  const text = await (await get("/metrics", {}, "127.0.0.1")).text();
  const kinds = [...text.matchAll(/^postroom_requests_total\{(.*)\} 1$/gm)].map(([, labels]) => labels);
  expect(kinds.sort()).toEqual([
    'method="GET",area="/api/v1",status="401"',
    'method="GET",area="/dashboard",status="303"',
    'method="GET",area="other",status="404"',
    'method="POST",area="/api/newsletter",status="201"',
  ]);
});

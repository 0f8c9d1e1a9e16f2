import { expect, test } from "bun:test";
import * as endpoints from "../../../db/webhooks/endpoints";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { heightsOf } from "../../../views/dashboard/webhooks/week";

const day = 86_400_000;

async function service() {
  const own = await testService();
  const manager = await own.signIn();
  const fields = { name: "Sales <sheet>", url: "https://sheet.example/in", events: [], withPeople: false };
  const added = await endpoints.add(
    own.db,
    { fields, secret: "sealed" },
    { actor: "ada@example.com", address: null },
    own.now(),
  );
  const id = added?.id ?? "";
  let n = 0;
  const call = (state: string, daysAgo: number, attempts = 1) =>
    look(
      own.db,
      `insert into webhook_deliveries (id, endpoint_id, type, body, state, attempts, next_attempt_at, created_at) values (?, ?, 'ping', '{}', ?, ?, 0, ?)`,
      [`d${++n}`, id, state, attempts, own.clock.time - daysAgo * day],
    );
  const text = async (path: string) => (await manager.get(path)).text();
  return { ...own, id, call, text };
}

test("seven days of calls are drawn for each endpoint: delivered, and what failed, now or permanently", async () => {
  const { id, call, text } = await service();
  for (const daysAgo of [0, 0, 6]) await call("delivered", daysAgo);
  await call("dead", 1, 10);
  await call("queued", 0, 3); // its last attempt failed
  await call("queued", 0, 0); // is waiting
  await call("delivered", 7); // too long ago
  for (const path of ["/dashboard/webhooks", `/dashboard/webhooks/${id}`]) {
    const page = await text(path);
    expect(page).toContain('role="img" aria-label="3 delivered, 1 retrying, 1 failed in 7 days"');
    expect(page).toContain("<title>21 Nov 2026: 2 delivered, 1 retrying, 0 failed</title>");
    expect(page).toContain("<title>16 Nov 2026: 0 delivered, 0 failed</title>");
    expect(page.match(/class="ok"/g)).toHaveLength(7);
    expect(page).toContain("Sales &lt;sheet&gt;");
  }
});

test("the page counts what waits, what is retried and what has failed, as the week does", async () => {
  const { id, call, text } = await service();
  for (const [state, attempts] of [
    ["delivered", 1],
    ["queued", 0],
    ["queued", 3],
    ["queued", 3],
    ["dead", 10],
  ] as const)
    await call(state, 0, attempts);
  const page = await text(`/dashboard/webhooks/${id}`);
  const segments = [...page.matchAll(/id="segment-[^"]*"[^>]*>([^<]+)<span class="count">(\d+)</g)];
  expect(segments.map(([, label, count]) => `${label} ${count}`)).toEqual([
    "All 5",
    "Delivered 1",
    "Waiting 1",
    "Retrying 2",
    "Failed 1",
  ]);
  const rows = async (state: string) =>
    [...(await text(`/dashboard/webhooks/${id}?state=${state}`)).matchAll(/<tr id="delivery-[^]*?<\/tr>/g)].map(
      ([row]) => /Delivered|Waiting|Retrying|Failed/.exec(row)?.[0],
    );
  expect(await rows("queued")).toEqual(["Waiting"]);
  expect(await rows("retrying")).toEqual(["Retrying", "Retrying"]);
  expect(page).toContain("1 delivered, 2 retrying, 1 failed in 7 days");
  expect([...page.matchAll(/(\d+) attempts</g)].map(([, count]) => count).sort()).toEqual(["10", "3", "3"]); // one is not told
});

test("bars share a scale, and what there is can be seen", () => {
  expect(heightsOf({ delivered: 50, failed: 25 }, 100)).toEqual({ delivered: 10, failed: 5 });
  expect(heightsOf({ delivered: 1, failed: 0 }, 100_000)).toEqual({ delivered: 1.5, failed: 0 });
  expect(heightsOf({ delivered: 0, failed: 0 }, 0)).toEqual({ delivered: 0, failed: 0 });
});

test("the overview names an endpoint that has failed for a day, or was turned off for it", async () => {
  const { db, clock, text } = await service();
  await look(
    db,
    "insert into subscribers (id, email, email_key, folded, created_at, updated_at) values ('s', 's', 's', 's', 1, 1)",
  );
  const state = (state: string, hours: number) =>
    look(db, "update webhook_endpoints set state = ?, failing_since = ?", [state, clock.time - hours * 3_600_000]);
  await state("on", 23);
  expect(await text("/dashboard")).not.toContain("The webhook");
  await state("on", 75);
  expect(await text("/dashboard")).toContain("The webhook “Sales &lt;sheet&gt;” has failed for 3 days.");
  await state("broken", 121);
  expect(await text("/dashboard")).toContain("was turned off, because no call succeeded for 5 days.");
  await state("off", 121);
  expect(await text("/dashboard")).not.toContain("The webhook");
});

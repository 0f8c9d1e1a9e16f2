import { expect, test } from "bun:test";
import { recordReport } from "../../db/provider-reports";
import { look } from "../../test/support/look";
import { fakeProvider, refusal } from "../../test/support/mail";
import { testService } from "../../test/support/service";
import { startWorker } from "../../test/support/outbox";

const hour = 3_600_000;

/* The provider took an email, its answer was lost, and then it was too fast for a day. */

async function lostAndThenTooFast() {
  const clock = { time: 0 };
  const provider = await fakeProvider({ now: () => new Date(clock.time) });
  const service = await testService(provider.env);
  const manager = await service.signIn();
  clock.time = service.clock.time;
  const worker = startWorker(service, { everyMs: 1e9 });
  provider.behave = (email) => (provider.deliver(email), "reset");
  await service.post("/api/newsletter/subscribe", { email: "ada@example.com" });
  await worker.drain();
  provider.behave = () => refusal(429, "rate_limit_exceeded", { "retry-after": "28800" });
  const later = async (ms: number) => {
    clock.time = service.clock.time += ms;
    await worker.drain();
  };
  const stop = async () => {
    await worker.close();
    provider.stop();
  };
  const page = async (path: string) => {
    await look(service.db, "update sessions set created_at = ?1, seen_at = ?1", [service.clock.time]);
    return (await manager.get(path)).text();
  };
  return { ...service, provider, later, page, stop };
}

test("an email that may have arrived is not tried after its key is forgotten, and is shown as uncertain", async () => {
  const { get, provider, later, page, stop } = await lostAndThenTooFast();
  for (let n = 0; n < 4; n++) await later(8 * hour + 1_000);
  provider.behave = () => undefined;
  for (let n = 0; n < 6; n++) await later(8 * hour);
  expect(provider.delivered()).toHaveLength(1);
  const list = await page("/dashboard/outbox?state=uncertain");
  expect(list).toContain("1 email may have arrived");
  expect(list).toMatch(/ada@example\.com/);
  expect(await page("/dashboard/outbox?state=dead")).not.toContain("ada@example.com");
  expect(await page("/dashboard")).toContain("1 email of the last 7 days may not have arrived.");
  const metrics = (await (await get("/metrics", {}, "127.0.0.1")).text()).split("\n");
  expect(metrics).toContain("postroom_mails_uncertain 1");
  await stop();
});

test("a report proves that it arrived", async () => {
  const { db, now, provider, later, page, stop } = await lostAndThenTooFast();
  for (let n = 0; n < 4; n++) await later(8 * hour + 1_000);
  const outboxId = provider.delivered()[0]?.key;
  const report = {
    id: "msg_1",
    type: "email.delivered",
    kind: "delivered" as const,
    email: "ada@example.com",
    outboxId,
    at: now(),
  };
  await recordReport(db, report, now());
  expect(await page("/dashboard/outbox?state=sent")).toContain("ada@example.com");
  await stop();
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { damage, fill } from "../../test/support/damage";
import { unplug } from "../../test/support/look";
import { createLog } from "../platform/log";
import { createIntegrity } from "./integrity";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";

test("damage that occurs while the service runs is noticed within the hour: /readyz says so", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "postroom.sqlite");
  const { clock, db, get, integrity, logged } = await testService({}, file);
  fill(file, 50);
  await integrity.look();
  expect((await get("/readyz")).status).toBe(200);

  damage(file);
  clock.time += 3_599_000;
  expect((await get("/readyz")).status).toBe(200);
  clock.time += 1_000;
  let answer = await get("/readyz"); // starts another check without waiting for it
  for (; answer.status === 200; answer = await get("/readyz")) await new Promise((turn) => setImmediate(turn));
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { checks: { database: { ok: false, detail: "damaged" } } },
  ]);
  expect(logged).toContainEqual(expect.objectContaining({ level: "error", event: "database damaged" }));
  await unplug(db);
});

test("the first look, for which the service is not ready, has its priority; the hourly ones have the lowest", async () => {
  const hurries: boolean[] = [];
  const find = async (_: string, isInNoHurry = false) => void hurries.push(isInNoHurry);
  const needs = { db: { file: "postroom.sqlite" }, log: createLog("silent"), now: () => new Date() };
  const { look } = createIntegrity(needs, find);
  for (let n = 0; n < 3; n++) await look();
  expect(hurries).toEqual([false, true, true]);
});

test("until the first look is over, the service is not ready; at once after it, it is", async () => {
  using folder = temporaryFolder();
  const { db, get, integrity } = await testService({}, join(folder.path, "postroom.sqlite"));
  expect(await (await get("/readyz")).json()).toMatchObject({
    checks: { database: { ok: false, detail: "is being checked" } },
  });
  await integrity.look();
  expect((await get("/readyz")).status).toBe(200);
  await unplug(db);
});

import { expect, test } from "bun:test";
import { testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";
import * as apiKeys from "./api-keys";
import { endQuiet, extend, replaceKey } from "./expiry";

const hour = 3_600_000;
const day = 24 * hour;
const by = { actor: "cli" };

/** An old key and the one that replaces it. */
async function service(endsWhenQuiet = true) {
  const own = await testService();
  const { clock, counters, db, get, now } = own;
  const old = await apiKeys.generate(db, { prefix: "site", name: "Blog" }, now());
  const stopsAt = new Date(clock.time + 30 * day);
  const made = await replaceKey(db, { id: old.row.id, prefix: "site", stopsAt, endsWhenQuiet }, by, now());
  const status = async (key = "") => (await get("/api/v1/settings", { "x-api-key": key })).status;
  const use = async (key = "") => {
    expect(await status(key)).toBe(200);
    await counters.flush();
  };
  /** Time passes, and housekeeping looks. Returns whether the old key still works, without using it. */
  const later = async (ms: number) => {
    clock.time += ms;
    await endQuiet(db, now());
    const row = await apiKeys.byId(db, old.row.id);
    return row !== undefined && apiKeys.isAccepted(row, now());
  };
  return { ...own, later, old, fresh: made?.key, status, use };
}

test("a replaced key stops after a day without a call, counted from the first call with the new one", async () => {
  const { db, fresh, later, old, status, use } = await service();
  expect(await later(5 * day)).toBe(true); // the new one is not used
  await use(fresh);
  expect(await later(23 * hour)).toBe(true);
  await use(old.key);
  await use(fresh);
  expect(await later(23 * hour)).toBe(true);
  expect(await later(hour)).toBe(false);
  expect([await status(old.key), await status(fresh)]).toEqual([401, 200]);
  await later(day);
  expect(await look(db, "select actor, action, target from audit_events where action = 'api-key.quiet'")).toEqual([
    { actor: "system", action: "api-key.quiet", target: "Blog" },
  ]);
});

test("one that should work until its time does, also after it was extended", async () => {
  const kept = await service(false);
  await kept.use(kept.fresh);
  expect(await kept.later(29 * day)).toBe(true);
  const extended = await service();
  await extended.use(extended.fresh);
  await extend(extended.db, extended.old.row.id, new Date(extended.clock.time + 7 * day), by, extended.now());
  expect(await extended.later(6 * day)).toBe(true);
});

test("a key that was not replaced never stops by itself", async () => {
  const { db, fresh, later, status, use } = await service();
  await use(fresh);
  await db.write((orm) => orm.run("update api_keys set ends_when_quiet = 1"));
  await later(90 * day);
  expect(await status(fresh)).toBe(200);
});

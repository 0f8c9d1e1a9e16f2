import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../open";
import * as apiKeys from "../../access/keys/api-keys";
import * as settings from "../../../test/support/settings";
import * as versions from "../versions";

const now = new Date("2026-11-21T12:00:00Z");
const nextTurn = () => new Promise((turn) => setImmediate(turn));

test("a key deactivated by another process is refused from the next request on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postroom-"));
  const [ours, theirs] = [await openDb(join(folder, "db")), await openDb(join(folder, "db"))];
  const { key, row } = await apiKeys.generate(ours, { prefix: "site", name: "Blog" }, now);
  for (let i = 0; i < 3; i++) expect((await apiKeys.authenticate(ours, key, Date.now()))?.id).toBe(row.id);
  await apiKeys.deactivate(theirs, row.id, { actor: "cli" }, now);
  await nextTurn();
  expect(await apiKeys.authenticate(ours, key, Date.now())).toBeUndefined();

  const before = await versions.current(ours, "settings");
  await settings.set(theirs, "siteTitle", "New", { by: "cli" }, now);
  await nextTurn();
  expect((await versions.current(ours, "settings")).version).toBe(before.version + 1);
  await Promise.all([ours.close(), theirs.close()]);
  rmSync(folder, { recursive: true });
});

test("a process sees its own writes immediately; a key created after a failed lookup is found", async () => {
  const db = await openDb(":memory:");
  const still = db.changeCounter();
  expect(db.changeCounter()).toBe(still);
  const { key, row } = await apiKeys.generate(db, { prefix: "site", name: "Blog" }, now);
  expect(db.changeCounter()).not.toBe(still);
  expect(await apiKeys.authenticate(db, `${key}x`, Date.now())).toBeUndefined();
  expect((await apiKeys.authenticate(db, key, Date.now()))?.id).toBe(row.id);
  await apiKeys.deactivate(db, row.id, { actor: "cli" }, now);
  expect(await apiKeys.authenticate(db, key, Date.now())).toBeUndefined();
});

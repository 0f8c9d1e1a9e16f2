import { expect, test } from "bun:test";
import { testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";
import { compose } from "../../../src/emails/compose";
import { startWork } from "../../../src/boot/work";
import * as managers from "../managers";
import * as apiKeys from "./api-keys";
import { replaceKey, warnOfExpiry } from "./expiry";

const day = 86_400_000;
const to = "owner@example.com";
const by = { actor: "cli" };

async function service() {
  const own = await testService();
  const { clock, db, now } = own;
  const generate = async (name: string, days: number) =>
    (await apiKeys.generate(db, { prefix: "site", name, expiresAt: new Date(clock.time + days * day) }, now())).row;
  /** Days pass, and the owner is warned. Returns the names of the keys in all emails so far. */
  const warned = async (days = 0) => {
    clock.time += days * day;
    await warnOfExpiry(db, to, now());
    const rows = await look<{ name: string }>(
      db,
      "select k.name from outbox o join api_keys k on k.id = o.subject_id order by o.id",
    );
    return rows.map(({ name }) => name);
  };
  return { ...own, generate, warned };
}

test("the owner is warned 14 and 3 days before a key expires, once each", async () => {
  const { generate, warned } = await service();
  await generate("Blog", 30);
  expect(await warned(15.9)).toEqual([]);
  expect([await warned(0.1), await warned(), await warned(10.9)]).toEqual([["Blog"], ["Blog"], ["Blog"]]);
  expect([await warned(0.1), await warned(), await warned(4)]).toEqual(Array(3).fill(["Blog", "Blog"]));
});

test("whoever made the key is warned too, unless their role no longer includes keys", async () => {
  const { clock, db, now, signIn, warned } = await service();
  const { manager } = await signIn({ email: "maker@example.com", role: "manager" });
  const expiresAt = new Date(clock.time + 30 * day);
  await apiKeys.generate(db, { prefix: "site", name: "Blog", expiresAt, createdBy: manager.email }, now());
  expect(await warned(16)).toEqual(["Blog", "Blog"]);
  await look(db, "update managers set role = 'editor'");
  expect(await warned(11)).toEqual(["Blog", "Blog", "Blog"]);
});

test("a service that was off sends the last warning only", async () => {
  const { generate, warned } = await service();
  await generate("Blog", 30);
  expect([await warned(28), await warned(1)]).toEqual([["Blog"], ["Blog"]]);
});

test("a key that was made for a week is warned of in its last days, and one for a day never", async () => {
  const { generate, warned } = await service();
  await generate("Week", 7);
  await generate("Day", 1);
  expect([await warned(), await warned(3.9), await warned(0.2)]).toEqual([[], [], ["Week"]]);
});

test("of a key that never expires, is inactive or was replaced, no one is warned", async () => {
  const { clock, db, generate, now, warned } = await service();
  await apiKeys.generate(db, { prefix: "site", name: "Forever" }, now());
  await apiKeys.deactivate(db, (await generate("Inactive", 30)).id, by, now());
  const { id } = await generate("Replaced", 30);
  await replaceKey(db, { id, prefix: "site", stopsAt: new Date(clock.time + 60 * day) }, by, now());
  await db.write((orm) => orm.run("update api_keys set expires_at = null where replaced_by is null and active = 1"));
  expect(await warned(29)).toEqual([]);
});

test("a warning that cannot be queued is not marked as sent", async () => {
  const { db, generate, warned } = await service();
  await generate("Blog", 30);
  await look(db, "alter table outbox rename to elsewhere");
  await expect(warned(20)).rejects.toThrow();
  expect(await look(db, "select warned_days from api_keys")).toEqual([{ warned_days: null }]);
  await look(db, "alter table elsewhere rename to outbox");
  expect(await warned()).toEqual(["Blog"]);
});

test("the running service warns; the email names the key and the time, unless it was replaced meanwhile", async () => {
  const { clock, config, db, deps, generate, now } = await service();
  const { id } = await generate("Blog <b>", 30);
  clock.time += 20 * day;
  const end = startWork(deps);
  const rows = () => look<{ recipient: string }>(db, "select * from outbox where kind = 'notice'");
  while (!(await rows()).length) await new Promise((turn) => setImmediate(turn));
  await end();
  const [mail] = await rows();
  expect(mail?.recipient).toBe(to);
  const notice = { ...mail, subjectId: id, payload: { about: "api-key" }, createdAt: now() };
  const letter = await compose({ config, db }, notice as never);
  expect(letter?.subject).toBe("API key “Blog <b>” expires on 21 December 2026");
  expect(letter?.text).toContain("works until 21 December 2026 at 12:00 UTC");
  expect(letter?.text).toContain(`http://localhost:3000/dashboard/api-keys/${id}`);
  expect(letter?.html).not.toContain("<b>”");
  await replaceKey(db, { id, prefix: "site", stopsAt: new Date(clock.time + day) }, by, now());
  expect(await compose({ config, db }, notice as never)).toBeUndefined();
});

test("the manager who made a key is warned, too, unless that is the owner or someone who is gone", async () => {
  const { clock, db, now, warned } = await service();
  const person = { name: "Ada", role: "manager" as const, passwordHash: "-" };
  for (const email of ["ada@example.com", to])
    await db.write((orm) => managers.create(orm, { ...person, email }, now()));
  const expiresAt = new Date(clock.time + 14 * day);
  const createdAt = new Date(clock.time - 30 * day);
  for (const createdBy of ["ada@example.com", to, "gone@example.com", "cli"])
    await apiKeys.generate(db, { prefix: "site", name: createdBy, expiresAt, createdBy }, createdAt);
  await warned();
  await warned();
  const emails = await look<{ name: string; recipient: string }>(
    db,
    "select k.name, o.recipient from outbox o join api_keys k on k.id = o.subject_id order by o.recipient, k.name",
  );
  expect(emails.map(({ name, recipient }) => [name, recipient])).toEqual([
    ["ada@example.com", "ada@example.com"],
    ["ada@example.com", to],
    ["cli", to],
    ["gone@example.com", to],
    [to, to],
  ]);
});

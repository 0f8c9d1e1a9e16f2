import { afterEach, expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { serviceWithPerson, traces, zebulon } from "../../test/support/broadcasts/people";
import { everything, look } from "../../test/support/look";
import { isForgotten } from "../suppressions/suppressions";
import { erase } from "./erase";
import { eraseAgain, erasePerson, readErasures } from "./erasures";

const by = { actor: "cli", via: "cli" } as const;
const what = { email: zebulon.email, scope: ["subscription" as const, "messages" as const, "suppression" as const] };
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function stage() {
  const service = await serviceWithPerson();
  afterwards.push(
    () => service.folder[Symbol.dispose](),
    () => service.db.close(),
  );
  const found = async () => {
    const text = (await everything(service.db)).toLowerCase();
    return traces.filter((trace) => text.includes(trace));
  };
  return { ...service, found };
}

test("a database from before an erasure is erased again, under the key of the log, and once", async () => {
  const now = await stage();
  const erasure = await erasePerson(now.db, now.logFile, what, by, now.now());
  const before = await stage();
  await look(before.db, "delete from installation"); // older than the first suppression, so it has no key
  await look(before.db, "delete from suppressions");
  expect(await before.found()).toEqual(traces);

  expect(await eraseAgain(before.db, now.logFile, before.now())).toBe(1);
  expect(await before.found()).toEqual([]);
  expect(await look(before.db, "select id, hash from erasures")).toEqual([{ id: erasure.id, hash: erasure.hash }]);
  expect(await before.db.read((orm) => isForgotten(orm, zebulon.email))).toBe(true);
  await before.post("/api/newsletter/subscribe", { email: zebulon.email });
  expect(await eraseAgain(before.db, now.logFile, before.now())).toBe(0); // a person who comes back stays
  expect(await look(before.db, "select count(*) n from subscribers where email = ?", [zebulon.email])).toEqual([
    { n: 1 },
  ]);
});

test("a database that never knew the person keeps the address suppressed", async () => {
  const now = await stage();
  await erasePerson(now.db, now.logFile, what, by, now.now());
  await look(now.db, "delete from erasures");
  await look(now.db, "delete from suppressions");
  expect(await eraseAgain(now.db, now.logFile, now.now())).toBe(1);
  expect(await now.db.read((orm) => isForgotten(orm, zebulon.email))).toBe(true);
});

test("who had come back after an earlier erasure when the backup was made is suppressed again", async () => {
  const now = await stage();
  await erasePerson(now.db, now.logFile, what, by, now.now());
  await look(now.db, "delete from erasures");
  await look(now.db, "update suppressions set lifted_at = 1");
  expect(await now.db.read((orm) => isForgotten(orm, zebulon.email))).toBe(false);
  expect(await eraseAgain(now.db, now.logFile, now.now())).toBe(1);
  expect(await now.db.read((orm) => isForgotten(orm, zebulon.email))).toBe(true);
});

test("who is only named in what others wrote and chose is erased again too", async () => {
  const [lone, sought] = ["lone@answers.example", "sought@segments.example"];
  const now = await stage();
  for (const email of [lone, sought]) await erasePerson(now.db, now.logFile, { ...what, email }, by, now.now());
  const before = await stage();
  await look(before.db, "delete from installation"); // the key of the log is as good
  await look(
    before.db,
    `insert into message_entries (id, message_id, kind, name, email, email_key, text, created_at)
     select 'e', id, 'answer', 'Lone', ?, ?, 'Me too', 0 from messages limit 1`,
    [lone, lone],
  );
  const definition = { v: 2, all: [{ field: "email", is: "contains", of: [sought] }] };
  await look(
    before.db,
    `insert into segments (id, name, folded, definition, created_by, created_at, updated_at)
     values ('s', 'One', 'one', ?, 'ada@example.com', 0, 0)`,
    [JSON.stringify(definition)],
  );
  expect(await eraseAgain(before.db, now.logFile, before.now())).toBe(2);
  const text = await everything(before.db);
  expect([text.includes(lone), text.includes(sought)]).toEqual([false, false]);
});

test("the next start finishes what a crash interrupted; an incomplete line is skipped", async () => {
  const { db, found, logFile, now } = await stage();
  const erasure = await erasePerson(db, logFile, { ...what, email: "nobody@example.com" }, by, now());
  const key = readErasures(logFile)[0]?.key;
  expect(key).toHaveLength(43);
  await look(db, "update erasures set finished_at = null");
  appendFileSync(logFile, "2026-11-21T12:00:00.000Z\t0199");
  await erasePerson(db, logFile, what, by, now());
  await look(db, "update erasures set finished_at = null");
  expect(await eraseAgain(db, logFile, now())).toBe(2);
  expect(await found()).toEqual([]);
  expect(readFileSync(logFile, "utf8").split("key\t")).toHaveLength(2);
  expect(readErasures(logFile)[0]?.erasures[0]).toMatchObject({ id: erasure.id, scope: what.scope });
  await erase(db, { ...what, id: erasure.id }, by, now()); // repeating it does no harm
});

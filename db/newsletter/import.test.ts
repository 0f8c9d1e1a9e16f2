import { expect, test } from "bun:test";
import { lookAt } from "../../test/support/look";
import { openDb } from "../open";
import { addAll } from "../suppressions/list";
import { importAll } from "./import";
import { unsubscribe } from "./subscribers";

const now = new Date("2026-11-22T12:00:00Z");
const person = (email: string) => ({ email, name: null, source: null, state: "active" as const, createdAt: now });
const terms = { revive: true, origin: { via: "import" as const } };

test("who is in a file several times is added, revived and suppressed once", async () => {
  const db = await openDb(":memory:");
  await importAll(db, [person("left@example.com")], terms, now);
  await unsubscribe(db, "left@example.com", { via: "link" }, now);
  const file = ["ada@example.com", "left@example.com", "Ada@Example.com", "bob@example.com", "LEFT@example.com"];
  const outcomes = await importAll(db, file.map(person), terms, now);
  expect(outcomes).toEqual(["new", "revived", "already", "new", "already"]);
  expect(await lookAt(db, 'select email from subscribers order by "row"')).toEqual(
    ["left", "ada", "bob"].map((name) => [`${name}@example.com`]),
  );
  const suppressed = file.map((email) => ({ email, reason: "manual" as const }));
  expect(await addAll(db, suppressed, { via: "cli" }, now)).toBe(3);
});

import { expect, test } from "bun:test";
import { openDb } from "./open";
import * as visits from "./visits";
import { look } from "../test/support/look";

const seen = (id: string, visitor: string): visits.Visit => ({ kind: "view", id, visitor });

test("a visitor is counted once a day for each post, whichever process saw them", async () => {
  const db = await openDb(":memory:");
  const record = (day: number, ...list: visits.Visit[]) => db.write((orm) => visits.record(orm, day, list));
  const both = [seen("a", "192.0.2.1 Firefox"), seen("b", "192.0.2.1 Firefox")];
  expect(await record(1, ...both)).toEqual(both);
  expect(await record(1, seen("a", "192.0.2.1 Firefox"), seen("a", "192.0.2.2 Firefox"))).toEqual([
    seen("a", "192.0.2.2 Firefox"),
  ]);
  expect(await record(2, seen("a", "192.0.2.1 Firefox"))).toHaveLength(1);
  expect(await visits.deleteBefore(db, 2)).toBe(3);
  const kept = "select (select count(*) from visits) as visits, (select count(*) from visit_salts) as salts";
  expect(await look(db, kept)).toEqual([{ visits: 1, salts: 1 }]); // nothing can be linked to the day before
});

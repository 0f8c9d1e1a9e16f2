import { expect, test } from "bun:test";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { allTables } from "../migrations/postgres/tables";
import { copiedTables } from "./copy/copy";
import { fates, fileColumns, lineOf, portableTables, rowIn } from "./portable";

test("every table is exported, or it is said why not", async () => {
  const names = (await allTables()).map((table) => getTableConfig(table).name);
  expect(Object.keys(fates).sort()).toEqual(names.sort());
});

test("what an export leaves out of a table are columns of it", async () => {
  const tables = new Map((await copiedTables()).map(({ name, columns }) => [name, columns.map((each) => each.name)]));
  const left = Object.entries(fates).flatMap(([table, fate]) =>
    typeof fate === "object" && "without" in fate ? (fate.without ?? []).map((column) => ({ table, column })) : [],
  );
  expect(left.length).toBeGreaterThan(3);
  expect(left.filter(({ table, column }) => !tables.get(table)?.includes(column))).toEqual([]);
  expect(Object.entries(fileColumns).filter(([table, column]) => !tables.get(table)?.includes(column))).toEqual([]);
});

test("no column that an export has can be a secret", async () => {
  const secret = /secret|token|password|hash|session/;
  const columns = (await portableTables()).flatMap(({ name, exported }) =>
    exported.columns.map((column) => `${name}.${column.name}`),
  );
  expect(columns.filter((name) => secret.test(name))).toEqual([
    ...["provider_events.hash", "erasures.hash", "suppressions.hash"].sort(), // of addresses, under the installation's key
  ]);
});

test("a row is the same after it was a line, and a line of an earlier version gets what is new", () => {
  const kinds = ["time", "flag", "json", "bytes", "plain"] as const;
  const columns = kinds.map((kind) => ({ name: kind, kind, initial: undefined }));
  const row = {
    time: 1_700_000_000_001,
    flag: 1,
    json: '{"a":[1,"ü"]}',
    bytes: new Uint8Array([0, 255]),
    plain: "a\nb",
  };
  const line = lineOf({ columns }, row);
  expect(line).toBe(
    '{"time":"2023-11-14T22:13:20.001Z","flag":true,"json":{"a":[1,"ü"]},"bytes":"AP8=","plain":"a\\nb"}\n',
  );
  expect(rowIn({ columns }, line)).toEqual(row);
  const empty = Object.fromEntries(kinds.map((kind) => [kind, null]));
  expect(rowIn({ columns }, lineOf({ columns }, empty))).toEqual(empty);
  const later = [...columns, { name: "later", kind: "plain" as const, initial: 3 }];
  expect(rowIn({ columns: later }, line)).toEqual({ ...row, later: 3 });
  const needed = [...columns, { name: "needed", kind: "plain" as const, initial: undefined }];
  expect(() => rowIn({ columns: needed }, line)).toThrow("has no needed");
  expect(() => rowIn({ columns: columns.slice(1) }, line)).toThrow("has the unknown column time");
  expect(() => rowIn({ columns }, '{"time":"soon"}')).toThrow("has an invalid time");
});

test("what had begun to be sent is paused in an export, and needs a review, also if it was paused already", async () => {
  const tables = await portableTables();
  const adapted = (name: string, row: Record<string, string | null>) =>
    tables.find((table) => table.name === name)?.adapt(row);
  for (const state of ["scheduled", "sending", "paused"])
    expect(adapted("broadcasts", { kind: "own", state, state_reason: null })).toMatchObject({
      state: "paused",
      state_reason: "restored",
    });
  for (const state of ["on", "paused"])
    expect(adapted("sequences", { state, reason: "manager" })).toEqual({ state: "paused", reason: "restored" });
  const untouched = { kind: "step", state: "paused", state_reason: "sequence" }; // it goes on with its sequence
  expect(adapted("broadcasts", untouched)).toEqual(untouched);
  expect(adapted("broadcasts", { kind: "own", state: "sent", state_reason: null })).toMatchObject({ state: "sent" });
});

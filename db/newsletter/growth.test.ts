import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { cleanUp } from "../ops/cleanup";
import { growthSince } from "./counts";
import { importAll } from "./import";
import * as list from "./list";
import * as subscribers from "./subscribers";
import { add as suppress } from "../suppressions/suppressions";

const dayMs = 86_400_000;
const at = (day: number) => new Date(day * dayMs + 3_600_000);
const [today, none] = [
  20_778,
  { joined: 0, imported: 0, unsubscribed: 0, suppressed: 0, deleted: 0, paused: 0, added: 0 },
];
const by = { actor: "ada@example.com", address: null };

async function service() {
  const { db } = await testService();
  const join = (email: string, day: number, source?: string) =>
    subscribers.subscribe(db, { email, source }, { via: "form" }, at(day));
  const leave = (email: string, day: number) => subscribers.unsubscribe(db, email, { via: "link" }, at(day));
  const remove = async (email: string, day: number) => {
    const person = await subscribers.byEmail(db, email);
    await list.remove(db, { ids: [person?.id ?? ""] }, by, at(day));
  };
  return { db, join, leave, remove };
}

test("those who joined, left and were deleted on each day add up to the active subscribers", async () => {
  const { db, join, leave, remove } = await service();
  for (const [i, email] of ["a@x.example", "b@x.example", "c@x.example", "d@x.example"].entries())
    await join(email, today - 9 + i);
  await leave("a@x.example", today - 3);
  await join("a@x.example", today - 1); // comes back
  await leave("b@x.example", today - 3);
  await leave("b@x.example", today - 2); // had already left
  await remove("b@x.example", today - 1); // was no longer active
  await remove("c@x.example", today);
  const { active, firstDay, countedFrom, days } = await growthSince(db, today - 4);
  expect({ active, firstDay, countedFrom }).toEqual({ active: 2, firstDay: today - 9, countedFrom: today - 9 });
  expect(days).toEqual([
    { ...none, day: today - 3, unsubscribed: 2 },
    { ...none, day: today - 1, joined: 1 },
    { ...none, day: today, deleted: 1 },
  ]);
  const all = (await growthSince(db, 0)).days;
  expect(all.reduce((sum, day) => sum + day.joined - day.unsubscribed - day.deleted, 0)).toBe(active);
});

test("imported people count on the day they had joined, and the import on the day it ran", async () => {
  const { db, leave } = await service();
  const people = ["a", "b", "c"].map((name, i) => ({
    ...{ email: `${name}@x.example`, name, source: "csv", createdAt: at(today - 30 + 10 * i) },
    state: i < 2 ? ("active" as const) : ("unsubscribed" as const),
  }));
  const terms = { revive: false, origin: { via: "import" as const } };
  await importAll(db, people, terms, at(today));
  await importAll(db, people, { ...terms, dryRun: true }, at(today));
  await importAll(db, people, terms, at(today)); // all of them known already
  await leave("a@x.example", today);
  expect((await growthSince(db, 0)).days).toEqual([
    { ...none, day: today - 30, joined: 1, imported: 1 },
    { ...none, day: today - 20, joined: 1, imported: 1 },
    { ...none, day: today, unsubscribed: 1, added: 2 },
  ]);
  expect(await growthSince(db, 0)).toMatchObject({ firstDay: today - 30, countedFrom: today });
});

test("the sources are those of the people who joined in the period, largest first", async () => {
  const { db, join } = await service();
  for (const [i, source] of ["old", "blog", "blog", undefined, "x1", "x2", "x3", "x4"].entries())
    await join(`reader${i}@x.example`, i ? today : today - 8, source);
  const { sources } = await growthSince(db, today - 6);
  expect(sources).toEqual([
    { source: "blog", joined: 2 },
    { source: "", joined: 1 },
    { source: "x1", joined: 1 },
    { source: "x2", joined: 1 },
    { source: "x3", joined: 1 },
  ]);
});

test("cleaning up changes no figure, and leaves a row for each day and source", async () => {
  const { db, join, leave } = await service();
  for (let i = 0; i < 4; i++) await join(`reader${i}@x.example`, today - (i % 2), "blog");
  await leave("reader0@x.example", today);
  const before = await growthSince(db, 0);
  await cleanUp(db, at(today));
  expect(await growthSince(db, 0)).toEqual(before);
  expect(await look(db, "select day, joined from subscriber_days order by day")).toEqual([
    { day: today - 1, joined: 2 },
    { day: today, joined: 2 },
  ]);
});

test("suppressing an address that no subscriber has counts no one", async () => {
  const { db } = await service();
  await suppress(db, { email: "stranger@x.example", detail: undefined }, { via: "cli", actor: "cli" }, at(today));
  expect(await growthSince(db, 0)).toEqual({
    active: 0,
    firstDay: null,
    countedFrom: null,
    days: [],
    sources: [],
  });
});

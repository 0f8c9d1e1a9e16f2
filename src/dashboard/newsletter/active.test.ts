import { expect, test } from "bun:test";
import { countAudience } from "../../../db/broadcasts/audience";
import { create } from "../../../db/broadcasts/edit";
import { remove } from "../../../db/newsletter/list";
import * as subscribers from "../../../db/newsletter/subscribers";
import { metrics } from "../../../db/ops/health";
import { add as suppress, lift } from "../../../db/suppressions/suppressions";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { exportCsv } from "../../content/csv/subscribers";
import { growthOf } from "../overview/overview";

const day = 86_400_000;
const by = { via: "manager", actor: "m@example.com" } as const;

/** Five people: one of each status, and one who is both unsubscribed and suppressed. */
async function everyStatus() {
  const service = await testService();
  const { db, clock, now } = service;
  clock.time -= 3 * day;
  for (const name of ["active", "left", "pending", "suppressed", "both"])
    await subscribers.subscribe(db, { email: `${name}@example.com` }, { via: "page" }, now());
  clock.time += day;
  await look(db, "update subscribers set pending_at = ?, updated_at = ? where email = 'pending@example.com'", [
    clock.time,
    clock.time,
  ]);
  for (const name of ["suppressed", "both"])
    await suppress(db, { email: `${name}@example.com`, detail: undefined }, by, now());
  for (const name of ["left", "both"]) await subscribers.unsubscribe(db, `${name}@example.com`, { via: "link" }, now());
  clock.time += 2 * day;
  return { ...service, manager: await service.signIn() };
}

const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

test("who gets the next newsletter is active, and nobody else, wherever it is counted", async () => {
  const { db, now, manager } = await everyStatus();
  const page = async (path: string) => text(await (await manager.get(path)).text());
  const overview = await page("/dashboard");
  expect(overview).toMatch(/Days in UTC 1 active/);
  expect(await page("/dashboard/newsletter")).toMatch(/All 5 .*Active 1 .*Unsubscribed 2 .*Pending 1 .*Suppressed 1 /);
  for (const [status, people] of Object.entries({ active: 1, unsubscribed: 2, pending: 1, suppressed: 1 })) {
    const list = await page(`/dashboard/newsletter?status=${status}`);
    expect([status, list.match(/\w+@example\.com Delete/g)?.length ?? list.match(/No name/g)?.length]).toEqual([
      status,
      people,
    ]);
  }
  expect(await countAudience(db, {})).toBe(1);
  const fields = {
    subject: "Rain",
    preheader: "",
    fromName: "",
    archive: "none" as const,
    segment: {},
    content: "It.",
  };
  const { id } = await create(db, { source: { kind: "own" }, fields }, by, now());
  expect(await page(`/dashboard/broadcasts/${id}`)).toContain("1 person");
  expect((await metrics(db, now())).subscribers).toEqual([
    { state: "active", count: 1 },
    { state: "unsubscribed", count: 2 },
    { state: "pending", count: 1 },
    { state: "paused", count: 0 },
    { state: "suppressed", count: 1 },
  ]);
});

test("whoever differs has one badge beside the name, and everyone the same word in the file", async () => {
  const { db, manager } = await everyStatus();
  const badgesIn = async (query: string) => {
    const html = await (await manager.get(`/dashboard/newsletter${query}`)).text();
    expect(html).not.toMatch(/<th [^>]*>Status/);
    const names = html.matchAll(/<span class="named">([\s\S]*?)<span class="sub/g);
    return [...names].map(([, cell = ""]) => [
      cell.match(/(\w+)@example\.com</)?.[1],
      [...cell.matchAll(/class="badge \w+">(\w+)/g)].map(([, word]) => word),
    ]);
  };
  const badges = await badgesIn("");
  expect(await badgesIn("?status=unsubscribed")).toEqual([
    ["both", []],
    ["left", []],
  ]); // all of them are
  expect(Object.fromEntries(badges)).toEqual({
    active: [],
    left: ["Unsubscribed"],
    pending: ["Pending"],
    suppressed: ["Suppressed"],
    both: ["Unsubscribed"],
  });
  let file = "";
  for await (const lines of exportCsv(db)) file += lines;
  const words = file
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(","));
  expect(Object.fromEntries(words.map(([email = "", , , state]) => [email.split("@")[0], state]))).toEqual({
    ...{ active: "active", left: "unsubscribed", pending: "pending", suppressed: "suppressed", both: "unsubscribed" },
  });
});

test("the chart ends at the number of active people, and each of its days adds up", async () => {
  const { db, now, clock } = await everyStatus();
  const chart = async () => {
    const { active, days } = await growthOf(db, "30", now());
    for (const [at, { joined, unsubscribed, suppressed, deleted, total }] of days.entries())
      expect((total ?? 0) - joined + unsubscribed + suppressed + deleted).toBe(days[at - 1]?.total ?? 0);
    return [active, ...days.map(({ total }) => total)];
  };
  expect(await chart()).toEqual([1, 5, 1, 1, 1]);
  clock.time += day;
  await db.write((orm) => lift(orm, { email: "suppressed@example.com", why: "It works again" }, by, now()));
  await look(db, "update subscribers set pending_at = null, updated_at = ? where email = 'pending@example.com'", [
    clock.time,
  ]);
  expect(await chart()).toEqual([3, 5, 1, 1, 1, 3]);
  await remove(db, { matching: {} }, by, now());
  expect(await chart()).toEqual([0, 5, 1, 1, 1, 0]);
});

import { expect, test } from "bun:test";
import * as subscribers from "../../db/newsletter/subscribers";
import { testService } from "../../test/support/service";
import { periodOf } from "./period";

const day = 86_400_000;

test("subscribers, messages and emails are listed and exported by days in the manager's time zone", async () => {
  const { db, clock, now, post, signIn } = await testService();
  const first = clock.time;
  for (let i = 0; i < 3; i++) {
    clock.time = first + i * day;
    await subscribers.subscribe(db, { email: `day${i}@example.com` }, { via: "form" }, now());
    await post("/api/contact", { name: `Day ${i}`, email: "w@example.com", message: `A message of day ${i}.` });
  }
  const manager = await signIn();
  await manager.submit("/dashboard/account/times", { timeZone: "Pacific/Auckland", dates: "en-GB" });
  const listed = async (path: string, query: string) => {
    const page = await (await manager.get(`/dashboard/${path}${query}`)).text();
    return [...new Set(page.match(/day ?\d(?=@|<)/gi))].map((words) => Number(words.at(-1))).sort();
  };
  // noon in Greenwich on 21, 22 and 23 November is an hour after midnight of the next day in Auckland
  for (const path of ["newsletter", "contact", "outbox?kind=welcome&", "newsletter/export.csv"]) {
    const query = (words: string) => (path.includes("?") ? words : `?${words}`);
    const of = (words: string) => listed(path, query(words));
    expect([path, await of("from=2026-11-23")]).toEqual([path, [1, 2]]);
    expect([path, await of("to=2026-11-22")]).toEqual([path, [0]]);
    expect([path, await of("from=2026-11-23&to=2026-11-23")]).toEqual([path, [1]]);
    expect([path, await of("from=2026-02-31&to=yesterday")]).toEqual([path, [0, 1, 2]]);
    expect([path, await of("to=2026-02-31")]).toEqual([path, [0, 1, 2]]);
  }
});

test("a day begins at its own midnight, also where the clock changes later on it", () => {
  const start = (from: string, zone: string) => periodOf({ from, to: "" }, zone).from?.toISOString();
  expect(start("2026-04-05", "Pacific/Auckland")).toBe("2026-04-04T11:00:00.000Z"); // from UTC+13 to UTC+12 at 3:00
  expect(start("2026-09-06", "America/Santiago")).toBe("2026-09-06T04:00:00.000Z"); // has no midnight
});

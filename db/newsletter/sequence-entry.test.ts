import { knownZone, localDay } from "../lib/time";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { dueAfter, nextDay, nextTime } from "./sequence-entry";

const [hour, day] = [3_600_000, 86_400_000];
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"];

/** What clocks there show, without the help of what is tested. */
const shown = (at: Date, timeZone: string) => {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const [date = "", time = ""] = at.toLocaleString("sv-SE", { ...parts, timeZone }).split(" ");
  return { date, minute: Number(time.slice(0, 2)) * 60 + Number(time.slice(3)) };
};
const dayNumber = (date: string) => Date.parse(`${date}T00:00:00Z`) / day;

/** Moments around every clock change of some years, and at random. */
const moments = fc.oneof(
  fc.date({ min: new Date("2024-01-01"), max: new Date("2030-01-01"), noInvalidDate: true }),
  fc
    .record({
      year: fc.integer({ min: 2024, max: 2029 }),
      month: fc.constantFrom(2, 3, 9, 10),
      at: fc.integer({ max: 31 * 24 * 60, min: 0 }),
    })
    .map(({ year, month, at }) => new Date(Date.UTC(year, month, 1, 0, at))),
);

test("SEQ3: an email is never due early, and at its time of the day where the person lives", () => {
  const wait = fc.record({ days: fc.integer({ min: 0, max: 400 }), minute: fc.integer({ min: 0, max: 1_439 }) });
  fc.assert(
    fc.property(moments, wait, fc.constantFrom(...zones), (from, { days, minute }, zone) => {
      const due = dueAfter(from, { waitHours: days * 24, atMinute: minute }, zone);
      expect(due >= from).toBe(true);
      const [then, at] = [shown(from, zone), shown(due, zone)];
      const isMissing = at.minute !== minute; // the clock jumped over it: an hour, or half of one on Lord Howe
      if (isMissing) expect([at.minute - minute]).toEqual([zone === "Australia/Lord_Howe" ? 30 : 60]);
      const later = dayNumber(at.date) - dayNumber(then.date);
      expect(later === days || later === days + 1).toBe(true);
      if (later === days + 1 && days > 0) expect(due.getTime() - from.getTime()).toBeLessThan((days + 2) * day);
      expect(localDay(due, zone)).toBe(dayNumber(at.date));
    }),
    { numRuns: Number(Bun.env.DUE_RUNS ?? 2_000) },
  );
});

test("SEQ3: hours are hours, whatever clocks do; a time that is over is the next one, and never before now", () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: 0, max: 9_000 }), fc.constantFrom(...zones), (from, waitHours, zone) => {
      const inHours = { waitHours, atMinute: null };
      expect(dueAfter(from, inHours, zone).getTime()).toBe(from.getTime() + waitHours * hour);
      const at = { waitHours: 24, atMinute: 540 };
      const now = new Date(from.getTime() + waitHours * hour);
      for (const next of [
        nextTime(from, now, inHours, zone),
        nextTime(from, now, at, zone),
        nextDay(from, now, at, zone),
      ])
        expect(next >= now || next >= from).toBe(true);
      expect(nextTime(from, now, at, zone) >= from).toBe(true);
      expect(localDay(nextDay(from, now, inHours, zone), zone)).toBe(localDay(now, zone) + 1);
    }),
    { numRuns: Number(Bun.env.DUE_RUNS ?? 2_000) },
  );
});

test("an hour that does not exist is the one after it, and one that occurs twice is the first", () => {
  const due = (from: string, minute: number) =>
    dueAfter(new Date(from), { waitHours: 24, atMinute: minute }, "Europe/Berlin").toISOString();
  expect(due("2026-03-28T12:00:00Z", 150)).toBe("2026-03-29T01:30:00.000Z"); // 2:30 is 3:30
  expect(due("2026-10-24T12:00:00Z", 150)).toBe("2026-10-25T00:30:00.000Z"); // the first 2:30
});

test("a zone that no one knows is that of the site", () => {
  expect([knownZone("Mars/Olympus"), knownZone(null), knownZone("Asia/Tokyo")]).toEqual([
    undefined,
    undefined,
    "Asia/Tokyo",
  ]);
});

import { expect, test } from "bun:test";
import { dayMs, hourMs } from "../../lib/time";
import { nextDigest, weekOf } from "./rules";

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
];
const next = (weekday: number, minute: number, zone: string, after: string) =>
  nextDigest({ weekday, minute, zone }, new Date(after)).at.toISOString();

test("a digest goes out on its day, at its hour, in its zone", () => {
  expect(next(1, 480, "UTC", "2026-11-21T12:00:00Z")).toBe("2026-11-23T08:00:00.000Z");
  expect(next(1, 480, "Europe/Madrid", "2026-11-21T12:00:00Z")).toBe("2026-11-23T07:00:00.000Z");
  expect(next(1, 480, "UTC", "2026-11-23T07:59:59Z")).toBe("2026-11-23T08:00:00.000Z");
  expect(next(1, 480, "UTC", "2026-11-23T08:00:00Z")).toBe("2026-11-30T08:00:00.000Z");
  expect(next(1, 480, "Nowhere/Else", "2026-11-21T12:00:00Z")).toBe("2026-11-23T08:00:00.000Z");
});

test("an hour that clocks skip means the one after it, and one that occurs twice means the first", () => {
  expect(next(7, 150, "Europe/Berlin", "2026-03-28T12:00:00Z")).toBe("2026-03-29T01:30:00.000Z");
  expect(next(7, 150, "Europe/Berlin", "2026-10-24T12:00:00Z")).toBe("2026-10-25T00:30:00.000Z");
  // Between the two half past twos, the next one is a week later
  expect(next(7, 150, "Europe/Berlin", "2026-10-25T00:45:00Z")).toBe("2026-11-01T01:30:00.000Z");
});

test("through every clock change of two years, there is one digest a week, on its day and after the one before", () => {
  for (const zone of zones)
    for (const minute of [0, 1, 90, 150, 1439]) {
      const weeks = new Set<string>();
      let after = new Date("2026-01-01T00:00:00Z");
      for (let n = 0; n < 104; n++) {
        const { at, week } = nextDigest({ weekday: 7, minute, zone }, after);
        const gap = at.getTime() - after.getTime();
        if (n) expect(gap).toBeWithin(7 * dayMs - hourMs, 7 * dayMs + hourMs + 1);
        expect(weekOf(at, zone)).toBe(week);
        expect(new Date(`${week}T00:00:00Z`).getUTCDay()).toBe(0);
        weeks.add(week);
        after = at;
      }
      expect(weeks.size).toBe(104);
    }
});

test("a day that has had a digest has no other", () => {
  const schedule = { weekday: 1, minute: 600, zone: "UTC" };
  const { week } = nextDigest(schedule, new Date("2026-11-23T08:30:00Z"), new Set(["2026-11-23"]));
  expect(week).toBe("2026-11-30");
});

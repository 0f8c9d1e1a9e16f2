import { expect, test } from "bun:test";
import { daysUntil, localTime, momentOf } from "./form-input";

test.each([
  ["2026-11-21T18:41", "UTC", "2026-11-21T18:41:00.000Z"],
  ["2026-11-21T18:41", "Europe/Berlin", "2026-11-21T17:41:00.000Z"],
  ["2026-07-01T00:00", "Europe/Berlin", "2026-06-30T22:00:00.000Z"],
  ["2026-11-21T18:41", "Asia/Kathmandu", "2026-11-21T12:56:00.000Z"],
  ["2026-11-21T18:41", "Pacific/Kiritimati", "2026-11-21T04:41:00.000Z"],
  ["2026-11-21T18:41", "America/Adak", "2026-11-22T04:41:00.000Z"],
])("%s in %s is %s, and the other way round", (local, zone, moment) => {
  expect(momentOf(local, zone)?.toISOString()).toBe(moment);
  expect(localTime(new Date(moment), zone)).toBe(local);
});

test("a time that the clock skips means the hour after it; one that occurs twice means the first", () => {
  expect(momentOf("2026-03-29T02:30", "Europe/Berlin")?.toISOString()).toBe("2026-03-29T01:30:00.000Z");
  expect(momentOf("2026-10-25T02:30", "Europe/Berlin")?.toISOString()).toBe("2026-10-25T00:30:00.000Z");
  expect(momentOf("2026-03-08T02:30", "America/New_York")?.toISOString()).toBe("2026-03-08T07:30:00.000Z");
});

test.each([
  ...["", "soon", "2026-13-01T00:00", "2026-11-21", "2026-11-21T25:00", "21/11/2026 18:41"],
  ...["0026-11-21T18:41", "0000-01-01T00:00", "2026-02-30T10:00", "2026-11-21T24:00"],
])("%j is no time", (local) => {
  for (const zone of ["UTC", "Europe/Berlin", "Pacific/Apia"]) expect(momentOf(local, zone)).toBeUndefined();
});

test("a day begins when it begins for the manager, also when it has 23 or 25 hours", () => {
  const at = new Date("2026-03-30T10:00:00Z");
  expect(daysUntil(at, 3, "Europe/Berlin").map((start) => start.toISOString())).toEqual([
    "2026-03-27T23:00:00.000Z",
    "2026-03-28T23:00:00.000Z",
    "2026-03-29T22:00:00.000Z",
  ]);
  expect(daysUntil(at, 1, "Asia/Kolkata")).toEqual([new Date("2026-03-29T18:30:00Z")]);
});

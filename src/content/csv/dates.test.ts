import { describe, expect, test } from "bun:test";
import { readDate, readings } from "./dates";

/** Reads a date that can be read in one way only. */
const read = (text: string) => readDate(text, "year-first")?.toISOString();

describe("a date of a file", () => {
  test.each([
    ["12:05 AM", "00:05"],
    ["1:05 am", "01:05"],
    ["11:59 a.m.", "11:59"],
    ["12:05 PM", "12:05"],
    ["1:05 p.m.", "13:05"],
    ["11:59pm", "23:59"],
    ["23:59", "23:59"],
  ])("has the time %j as the clock shows it", (time, expected) => {
    expect(read(`Jan 3, 2024 ${time}`)).toBe(`2024-01-03T${expected}:00.000Z`);
  });

  test.each([
    ["2024-01-31T10:00:00Z", "2024-01-31T10:00:00.000Z"],
    ["2024-01-31T10:00:00+0530", "2024-01-31T04:30:00.000Z"],
    ["2024-01-31 10:00:00 -08:00", "2024-01-31T18:00:00.000Z"],
    ["Wed, 31 Jan 2024 10:00:00 EST", "2024-01-31T15:00:00.000Z"],
    ["31 Jan 2024 10:00:00.1234 GMT+1", "2024-01-31T09:00:00.123Z"],
  ])("counts from UTC, as %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test("is none if its zone, its day or its time does not exist", () => {
    for (const text of ["2024-01-31 10:00 XYZ", "2024-01-31 10:00 +15:01", "2023-02-29", "2024-01-31 24:00"])
      expect([text, read(text)]).toEqual([text, undefined]);
    expect(read("2024-01-31 10:00 +15:00")).toBe("2024-01-30T19:00:00.000Z");
  });

  test("stands for none before 1971", () => {
    expect(read("1970-12-31")).toBeUndefined();
    expect(read("1971-01-01")).toBe("1971-01-01T00:00:00.000Z");
  });

  test("has two digits of a year as POSIX reads them", () => {
    const year = (text: string) => readDate(text, "day-first")?.getUTCFullYear();
    expect([year("1.2.68"), year("1.2.71"), year("1.2.99")]).toEqual([2068, 1971, 1999]);
  });

  test("has at most 80 characters", () => {
    const readingsOf = (length: number) => readings(`${"W".repeat(length - 12)} 31 Jan 2024`).length;
    expect([readingsOf(80), readingsOf(81)]).toEqual([1, 0]);
  });
});

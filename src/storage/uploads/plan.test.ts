import { expect, test } from "bun:test";
import {
  isWhole,
  missingParts,
  partCount,
  partSizeFor,
  sizeOfPart,
  type Verdict,
  verdictOnObject,
  verdictOnParts,
} from "./plan";

const [MiB, GiB, TiB] = [2 ** 20, 2 ** 30, 2 ** 40];

test.each([
  [0, 64, 1],
  [1, 64, 1],
  [64 * MiB, 64, 1],
  [64 * MiB + 1, 64, 2],
  [5 * GiB, 64, 80],
  [512_000 * MiB, 64, 8_000],
  [512_000 * MiB + 1, 65, 7_877],
  [1e12, 120, 7_948],
  [5e12, 597, 7_988],
  [5 * TiB, 656, 7_993],
])("%p bytes are split into parts of %p MiB, %p of them", (size, mebibytes, count) => {
  const partSize = partSizeFor(size);
  expect([partSize / MiB, partCount({ size, partSize })]).toEqual([mebibytes, count]);
});

test("the parts of any plan are equal but for the last, and together exactly the file", () => {
  for (const size of [0, 1, 12 * MiB, 64 * MiB, 64 * MiB + 1, 5e9, 1e12 + 1, 5e12, 5 * TiB - 1, 5 * TiB]) {
    const upload = { size, partSize: partSizeFor(size) };
    const sizes = Array.from({ length: partCount(upload) }, (_, i) => sizeOfPart(upload, i + 1));
    const last = sizes.at(-1) ?? 0;
    expect(sizes.slice(0, -1).every((bytes) => bytes === upload.partSize)).toBe(true);
    expect(last <= upload.partSize && (last > 0 || size === 0)).toBe(true);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBe(size);
    expect(sizes.length <= 8_000 && upload.partSize < 5 * GiB).toBe(true);
  }
});

test("one PUT is a plan of one part", () => {
  const upload = { size: 5, partSize: null };
  expect([partCount(upload), sizeOfPart(upload, 1), missingParts(upload, [])]).toEqual([1, 5, [1]]);
});

const part = (number: number, size: number) => ({ part: number, size, etag: "" });
const plan = { size: 25, partSize: 10 };

test.each([
  ["nothing", [], [1, 2, 3], false],
  ["the last one", [part(3, 5)], [1, 2], false],
  ["all", [part(1, 10), part(2, 10), part(3, 5)], [], true],
  ["one of another size", [part(1, 10), part(2, 9), part(3, 5)], [2], false],
  ["one that is not of the plan", [part(1, 10), part(2, 10), part(3, 5), part(4, 0)], [], false],
  ["everything as part 1", [part(1, 25)], [1, 2, 3], true],
  ["everything as part 2", [part(2, 25)], [1, 2, 3], false],
])("when %s arrived", (_, arrived, missing, whole) => {
  expect([missingParts(plan, arrived), isWhole(plan, arrived)]).toEqual([missing, whole]);
});

const held = 100_000; // the end of the reservation
const unheld = held - 1;
const all = [part(1, 10), part(2, 10), part(3, 5)];
const open: Verdict = { is: "open" };
const whole: Verdict = { is: "whole" };
const unwanted = (outcome: "larger than reserved" | "expired" | "another size"): Verdict => ({
  is: "unwanted",
  outcome,
});

test.each<[string, "open" | "completing", Parameters<typeof verdictOnParts>[1], number, Verdict]>([
  ["nothing has arrived in time", "open", { parts: [], wholeSince: undefined, isAsked: false }, unheld, open],
  [
    "nothing has arrived, and the client says it is done",
    "open",
    { parts: [], wholeSince: undefined, isAsked: true },
    unheld,
    open,
  ],
  [
    "nothing has arrived at the end of its reservation",
    "open",
    { parts: [], wholeSince: undefined, isAsked: false },
    held,
    unwanted("expired"),
  ],
  [
    "a part is missing at the end",
    "open",
    { parts: [part(1, 10)], wholeSince: undefined, isAsked: true },
    held,
    unwanted("expired"),
  ],
  [
    "a part is missing at the end, while it is being completed",
    "completing",
    { parts: [part(1, 10)], wholeSince: undefined, isAsked: false },
    held,
    unwanted("expired"),
  ],
  [
    "more than reserved has arrived",
    "open",
    { parts: [...all, part(4, 1)], wholeSince: undefined, isAsked: false },
    0,
    unwanted("larger than reserved"),
  ],
  [
    "more than reserved has arrived, too late",
    "open",
    { parts: [part(1, 26)], wholeSince: undefined, isAsked: true },
    held,
    unwanted("larger than reserved"),
  ],
  [
    "all has just arrived",
    "open",
    { parts: all, wholeSince: 1_000, isAsked: false },
    1_000,
    { is: "open", waitMs: 3_000 },
  ],
  [
    "all arrived almost three seconds ago",
    "open",
    { parts: all, wholeSince: 1_000, isAsked: false },
    3_999,
    { is: "open", waitMs: 1 },
  ],
  ["all arrived three seconds ago", "open", { parts: all, wholeSince: 1_000, isAsked: false }, 4_000, whole],
  [
    "all has just arrived, and the client says it is done",
    "open",
    { parts: all, wholeSince: 1_000, isAsked: true },
    1_000,
    whole,
  ],
  [
    "all has just arrived, and it is being completed",
    "completing",
    { parts: all, wholeSince: 1_000, isAsked: false },
    1_000,
    whole,
  ],
  [
    "all arrived after the end of its reservation",
    "open",
    { parts: all, wholeSince: held + 1, isAsked: false },
    held + 1,
    { is: "open", waitMs: 3_000 },
  ],
])("an upload of which %s", (_, state, evidence, now, verdict) => {
  expect(verdictOnParts({ size: 25, state, holdUntil: new Date(held) }, evidence, new Date(now))).toEqual(verdict);
});

test.each<[string, { size: number } | undefined, Verdict]>([
  ["the object has its size", { size: 25 }, whole],
  ["the object is smaller", { size: 24 }, unwanted("another size")],
  ["the object is larger", { size: 26 }, unwanted("another size")],
  ["there is no object", undefined, { is: "gone", outcome: "vanished" }],
])("an upload that is closed, of which %s", (_, object, verdict) => {
  expect(verdictOnObject({ size: 25 }, object)).toEqual(verdict);
});

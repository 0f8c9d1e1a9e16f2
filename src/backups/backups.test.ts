import { afterAll, expect, spyOn, test } from "bun:test";
import { Encrypter, identityToRecipient, generateX25519Identity } from "age-encryption";
import fc from "fast-check";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../db/lib/time";
import { openDb } from "../../db/open";
import { contentsOf } from "../../db/ops/backup-file";
import { atOnce, tar } from "../platform/tar";
import { pack, paced, unpack } from "./archive";
import { databaseName, expired, manifestName } from "./copies";
import { identitiesIn } from "./fetch-copy";
import { openArchive } from "./open-copy";
import { onSqlite } from "../../test/support/look";

const folder = mkdtempSync(join(tmpdir(), "postroom-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

let folders = 0;
function emptyFolder(): string {
  const path = join(folder, String(++folders));
  mkdirSync(path);
  return path;
}

/** A key, and an archive with these files that it opens. */
async function packed(files: Record<string, Uint8Array>) {
  const key = await generateX25519Identity();
  const from = emptyFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(from, name), bytes);
  const entries = Object.keys(files).map((name) => ({ name, file: join(from, name) }));
  const archive = await pack(entries, [await identityToRecipient(key)], atOnce);
  return { key, bytes: Buffer.concat(await Array.fromAsync(archive)) };
}

const opened = (bytes: Uint8Array, key: string, names: string[], to = emptyFolder()) =>
  unpack(inPieces(bytes), { identities: [key], folder: to, names }, atOnce);

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 5_000) yield bytes.subarray(at, at + 5_000);
}

const random = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 2_654_435_761) >>> 13);

test("files of any size come out of an archive as they went in", async () => {
  const files = { a: random(0), b: random(1), c: random(511), d: random(512), e: random(513), f: random(300_001) };
  const { key, bytes } = await packed(files);
  const to = emptyFolder();
  const hashes = await opened(bytes, key, Object.keys(files), to);
  for (const [name, content] of Object.entries(files)) {
    expect(readFileSync(join(to, name)).equals(content)).toBe(true);
    expect(hashes.get(name)).toBe(new Bun.CryptoHasher("sha256").update(content).digest("hex"));
  }
});

test("the fields of a tar archive stand where POSIX has them", async () => {
  const [header] = await Array.fromAsync(tar([{ name: "a", text: "x".repeat(9) }], atOnce));
  const field = (at: number, length: number) => Buffer.from(header ?? []).toString("latin1", at, at + length);
  const sum = Buffer.from(header ?? []).reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  expect([field(0, 2), field(100, 8), field(108, 8), field(116, 8)]).toEqual([
    ...["a\0", "0000600\0", "0000000\0", "0000000\0"],
  ]);
  expect([field(124, 12), field(136, 12)]).toEqual(["00000000011\0", "00000000000\0"]);
  expect([field(148, 8), field(156, 2), field(257, 8)]).toEqual([
    ...[`${sum.toString(8).padStart(6, "0")}\0 `, "0\0", "ustar\x0000"],
  ]);
});

test("a file of 8 GiB has its size in binary, as GNU tar writes and reads it", async () => {
  const sparse = join(emptyFolder(), "large");
  writeFileSync(sparse, "");
  truncateSync(sparse, 8 * 2 ** 30);
  const { value: header } = await tar([{ name: "a", file: sparse }], atOnce).next();
  const block = Buffer.from(header ?? []);
  expect([block.readUInt8(124), block.readBigUInt64BE(128)]).toEqual([0x80, 8n * 2n ** 30n]);

  block.writeBigUInt64BE(5n, 128); // the same with few bytes
  const archive = Buffer.concat([block, Buffer.from("hello".padEnd(3 * 512, "\0"))]);
  const key = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(key));
  const to = emptyFolder();
  await opened(await encrypter.encrypt(Bun.zstdCompressSync(archive)), key, ["a"], to);
  expect(readFileSync(join(to, "a"), "utf8")).toBe("hello");
});

test("an archive that was cut or changed, or contains another file, is not opened", async () => {
  const { key, bytes } = await packed({ a: random(300_000) });
  await expect(opened(bytes, key, ["a"])).resolves.toBeDefined();
  for (const length of [bytes.length - 1, bytes.length >> 1, 300, 0])
    await expect(opened(bytes.subarray(0, length), key, ["a"])).rejects.toThrow();
  for (const at of [200, bytes.length >> 1, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    await expect(opened(changed, key, ["a"])).rejects.toThrow();
  }
  await expect(opened(bytes, key, ["b"])).rejects.toThrow("another file");
  await expect(opened(bytes, await generateX25519Identity(), ["a"])).rejects.toThrow("no identity matched");
});

test("a key that lost a letter, or got another, is named as such", async () => {
  const key = await generateX25519Identity();
  expect(identitiesIn(`# a comment\n${key}\n`)).toEqual([key]);
  const other = key.slice(0, -1) + (key.endsWith("Q") ? "P" : "Q");
  for (const wrong of [key.slice(0, -1), other]) expect(() => identitiesIn(wrong)).toThrow("This key is not complete");
  expect(() => identitiesIn("a password")).toThrow("AGE-SECRET-KEY-1");
});

const start = Date.UTC(2026, 0, 1);
const history = fc.array(fc.integer({ min: 0, max: 500 * 24 }), { maxLength: 80 }); // hours since the start

test("in any history, no copy is deleted that a day, a week or a month needs, nor the last three, nor one of today", () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 0, max: 500 * 24 }), (hours, later) => {
      const copies = hours.map((hour) => ({ at: new Date(start + hour * 3_600_000) }));
      const newest = Math.max(...copies.map(({ at }) => at.getTime()));
      const now = new Date(Math.max(newest, start) + later * 3_600_000);
      const gone = new Set(expired(copies, now));
      const left = copies.filter((copy) => !gone.has(copy)).map(({ at }) => at.getTime());
      expect(left.length).toBeGreaterThanOrEqual(Math.min(3, copies.length));
      if (copies.length) expect(left).toContain(newest);
      for (const { at } of copies) if (now.getTime() - at.getTime() <= dayMs) expect(left).toContain(at.getTime());
      // as someone would say it: going back through the days (weeks, months) that have copies, the last one of each
      const newestFirst = copies.map(({ at }) => at).sort((a, b) => b.getTime() - a.getTime());
      const month = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth();
      const day = (at: Date) => Math.floor(at.getTime() / dayMs);
      const week = (at: Date) => Math.floor((day(at) + 3) / 7); // 1 January 1970 was a Thursday
      for (const [count, unit] of [
        [7, day],
        [4, week],
        [12, month],
      ] as const) {
        const lasts = newestFirst.filter((at, i) => i === 0 || unit(at) !== unit(newestFirst[i - 1] ?? at));
        for (const last of lasts.slice(0, count)) expect(left).toContain(last.getTime());
      }
      expect(new Set(left).size).toBeLessThanOrEqual(
        7 +
          4 +
          12 +
          3 +
          new Set(copies.filter(({ at }) => now.getTime() - at.getTime() <= dayMs).map(({ at }) => at.getTime())).size,
      );
    }),
    { numRuns: 300 },
  );
});

test("of a copy a day for years, seven daily, four weekly and twelve monthly ones are left", () => {
  const now = new Date("2026-11-23T12:00:00Z"); // a Monday
  const copies = Array.from({ length: 800 }, (_, i) => ({ at: new Date(Date.UTC(2026, 10, 23, 6) - i * dayMs) }));
  const gone = new Set(expired(copies, now));
  const left = copies.filter((copy) => !gone.has(copy)).map(({ at }) => at.toISOString().slice(0, 10));
  expect(left).toEqual([
    ...["2026-11-23", "2026-11-22", "2026-11-21", "2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17"],
    ...["2026-11-15", "2026-11-08"], // Sundays, as the 22nd
    ...["2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31", "2026-06-30", "2026-05-31"],
    ...["2026-04-30", "2026-03-31", "2026-02-28", "2026-01-31", "2025-12-31"],
  ]);
});

onSqlite("copies of the file")(
  "a copy whose database has other rows than it says, or is another one, does not count",
  async () => {
    const file = join(emptyFolder(), "whole.sqlite");
    await (await openDb(file)).close();
    const databaseSha256 = new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex");
    const manifest = { name: "n", at: "2026-11-23T12:00:00Z", ...contentsOf(file), databaseBytes: 1, databaseSha256 };
    const opening = async (facts: object) => {
      const { key, bytes } = await packed({
        [manifestName]: Buffer.from(JSON.stringify({ ...manifest, ...facts })),
        [databaseName]: readFileSync(file),
      });
      return openArchive(inPieces(bytes), { identities: [key], folder: emptyFolder() });
    };
    await expect(opening({})).resolves.toMatchObject({ name: "n" });
    const rows = { ...manifest.rows, subscribers: 1 };
    for (const facts of [{ rows }, { lastEntry: "another" }])
      await expect(opening(facts)).rejects.toThrow("does not have the same rows");
    await expect(opening({ databaseSha256: "0" })).rejects.toThrow("is another one");
  },
);

test("a newest copy from the future is a clock that was wrong: nothing is deleted", () => {
  const copies = Array.from({ length: 100 }, (_, i) => ({ at: new Date(start + i * 3_600_000) }));
  expect(expired(copies, new Date(start + 400 * dayMs)).length).toBeGreaterThan(80);
  expect(expired([...copies, { at: new Date(start + 401 * dayMs) }], new Date(start + 400 * dayMs))).toEqual([]);
});

test("time that a copy spent waiting for a slow network is not made up for with a whole processor", async () => {
  const spent = { user: 0, system: 0 }; // microseconds
  let seconds = 0;
  const spies = [
    spyOn(process, "cpuUsage").mockImplementation(() => spent),
    spyOn(process, "uptime").mockImplementation(() => seconds),
    spyOn(Bun, "sleep").mockImplementation(async (ms) => void (seconds += Number(ms) / 1_000)),
  ];
  try {
    const pause = paced(0.1);
    const piece = async () => {
      spent.user += 20_000;
      seconds += 0.02;
      await pause();
    };
    await piece();
    expect(seconds).toBeCloseTo(0.2);
    seconds = 60; // the network waited
    await pause();
    for (let n = 0; n < 10; n++) await piece();
    expect(seconds).toBeWithin(61.9, 62.001);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});

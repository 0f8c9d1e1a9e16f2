import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../../db/open";
import { loadConfig } from "../../platform/config";
import { testPassword, testService } from "../../../test/support/service";
import { RequestContext } from "../../platform/request-context";
import { limits } from "./limits";
import { openLimits } from "./open";
import { SlidingWindows } from "./in-memory";
import { costBeside } from "../../../test/support/cost";

const config = loadConfig({ APP_SECRET: "a-secret-of-at-least-32-characters" });
const folder = mkdtempSync(join(tmpdir(), "postroom-limits-"));
afterAll(() => rmSync(folder, { recursive: true }));

const context = (peer: string, forwarded?: string) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return new RequestContext(new Request("http://localhost/", { headers }), false, "/", peer, config.TRUSTED_PROXIES);
};

async function limiter(db: Awaited<ReturnType<typeof openDb>>, clock: { time: number }) {
  const open = await openLimits({ db, config, now: () => new Date(clock.time) });
  return async (peer: string, forwarded?: string) =>
    (await open.admit(limits.subscribe, context(peer, forwarded))) === undefined;
}

/** Sends the requests one after another. */
async function inTurn<T>(list: T[], ask: (one: T) => Promise<boolean>): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const one of list) answers.push(await ask(one));
  return answers;
}
const sixTimes = (admitted: (peer: string) => Promise<boolean>, peer = "203.0.113.9") =>
  inTurn(Array<string>(6).fill(peer), admitted);

test("of 200 parallel requests of one client exactly five are admitted", async () => {
  const { post } = await testService();
  const path = "/api/newsletter/subscribe";
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => post(path, { email: `a${i}@example.com` }, {}, "203.0.113.9")),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(195);
});

test("a restart from the same database forgives no one", async () => {
  const file = join(folder, "restart.sqlite");
  const clock = { time: 1_800_000_000_000 };
  const first = await openDb(file);
  const before = await limiter(first, clock);
  expect(await sixTimes(before)).toEqual([true, true, true, true, true, false]);
  await first.settled();

  const second = await openDb(file); // the first one was killed: it did not close
  const after = await limiter(second, clock);
  expect(await inTurn(["203.0.113.9", "203.0.113.10"], after)).toEqual([false, true]);
  clock.time += 600_000;
  expect(await sixTimes(after)).toEqual([true, true, true, true, true, false]);
  await Promise.all([first.close(), second.close()]);
});

test("in any ten minutes five, and a refusal prolongs nothing", async () => {
  const clock = { time: 1_800_000_000_000 };
  const admitted = await limiter(await openDb(":memory:"), clock);
  const at = (seconds: number) => {
    clock.time = 1_800_000_000_000 + seconds * 1000;
    return admitted("203.0.113.9");
  };
  expect(await inTurn([0, 100, 200, 300, 400], at)).toEqual([true, true, true, true, true]);
  expect(await inTurn([401, 500, 599], at)).toEqual([false, false, false]);
  expect(await inTurn([600, 601, 699, 700], at)).toEqual([true, false, false, true]);
});

test("ten thousand spoofed addresses of one client count as one client", async () => {
  const admitted = await limiter(await openDb(":memory:"), { time: 1_800_000_000_000 });
  const spoofed: boolean[] = [];
  // The pipeline admits no more than 224 at the same time
  for (let n = 0; n < 10_000; n += 200) {
    const ask = (_: unknown, i: number) => admitted("203.0.113.9", `198.51.${(n + i) >> 8}.${(n + i) & 255}`);
    spoofed.push(...(await Promise.all(Array.from({ length: 200 }, ask))));
  }
  expect(spoofed.filter(Boolean)).toHaveLength(5);
});

test("a /64 is one client, mapped IPv6 is the IPv4 address, clients behind a proxy are their own", async () => {
  const admitted = await limiter(await openDb(":memory:"), { time: 1_800_000_000_000 });
  const count = async (answers: Promise<boolean>[]) => (await Promise.all(answers)).filter(Boolean).length;
  expect(await count(Array.from({ length: 50 }, (_, i) => admitted(`2001:db8:0:1::${i.toString(16)}`)))).toBe(5);
  expect(await admitted("2001:db8:0:2::1")).toBe(true);
  expect(await count(Array.from({ length: 20 }, (_, i) => admitted(i % 2 ? "192.0.2.1" : "::ffff:192.0.2.1")))).toBe(5);
  expect(await count(Array.from({ length: 20 }, (_, i) => admitted("127.0.0.1", `198.51.100.${i}`)))).toBe(20);
});

test("150,000 clients take less than 32 MB (S6)", () => {
  // In a process of its own, because other tests share this one's memory
  const program = `
    import { limits } from "./src/security/limits/limits";
    import { SlidingWindows } from "./src/security/limits/in-memory";
    const windows = new SlidingWindows(Object.values(limits), () => new Date());
    Bun.gc(true);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 150_000; i++) windows.take(limits.subscribe, "c".repeat(36) + i, Date.now());
    Bun.gc(true);
    console.log((process.memoryUsage().heapUsed - before) / 2 ** 20);
    windows.take(limits.subscribe, "one more", Date.now());`;
  const run = Bun.spawnSync([process.execPath, "-e", program], { cwd: join(import.meta.dir, "../../..") });
  expect(run.stderr.toString()).toBe("");
  const megabytes = Number(run.stdout.toString());
  expect(megabytes).toBeGreaterThan(1);
  expect(megabytes).toBeLessThan(32);
});

const memory = (clock: { time: number }) => new SlidingWindows(Object.values(limits), () => new Date(clock.time));

test("a full limiter stays as quick as an empty one, and right", () => {
  const clock = { time: 1_800_000_000_000 };
  const open = memory(clock);
  const client = (i: number) => `${"c".repeat(36)}${i}`;
  for (let i = 0; i < 150_000; i++) open.take(limits.subscribe, client(i), clock.time);

  for (let i = 0; i < 5; i++) open.take(limits.subscribe, client(149_999), clock.time);
  expect(open.take(limits.subscribe, client(149_999), clock.time).admitted).toBe(false); // the newest are remembered
  expect(open.take(limits.subscribe, client(0), clock.time).remaining).toBe(4); // the oldest were dropped

  const empty = memory(clock);
  let comers = 0;
  const thousands = (of: typeof open) => () => {
    for (let i = 0; i < 2_000; i++) of.take(limits.subscribe, `late ${comers++}`, clock.time);
  };
  expect(costBeside(thousands(empty), thousands(open))).toBeLessThan(200); // looking at everything it holds would take 150,000
});

test("a full limiter forgets those whose window is over, and until then no one whose window is not", () => {
  const start = 1_800_000_000_000;
  const clock = { time: start };
  const open = memory(clock);
  const at = (seconds: number, limit: typeof limits.subscribe, client: string) => {
    clock.time = start + seconds * 1_000;
    return open.take(limit, client, clock.time);
  };
  for (let i = 0; i < 40_000; i++) at(0, limits.contact, `visitor ${i}`);
  for (let i = 0; i < 60_000; i++) at(300, limits.subscribe, `client ${i}`);
  for (let i = 0; i < 4; i++) at(300, limits.subscribe, "client 2");
  for (const seconds of [599.6, 600.1, 600.6]) at(seconds, limits.subscribe, `new ${seconds}`);
  // Each of the first two newcomers took the place of the oldest; then the 40,000 were gone
  expect(at(600.6, limits.subscribe, "client 2").admitted).toBe(false);
});

test("a clock that was ahead blocks no one, with or without a restart", async () => {
  const db = await openDb(":memory:");
  const clock = { time: 1_900_000_000_000 };
  const before = await limiter(db, clock);
  const six = sixTimes;
  const five = [true, true, true, true, true, false];
  expect([await six(before), await six(before, "203.0.113.10")]).toEqual([five, five]);
  await db.settled();

  clock.time = 1_800_000_000_000;
  const restarted = await limiter(db, clock);
  expect([await six(before), await six(restarted, "203.0.113.10")]).toEqual([five, five]);
  clock.time += 600_000;
  expect(await six(before)).toEqual(five);
});

test("failed sign-ins of a clock that was ahead lock no one out", async () => {
  const { clock, post, signIn } = await testService();
  const { manager } = await signIn();
  const peer = "203.0.113.9";
  const attempt = async (password: string) => {
    const body = { email: manager.email, password, next: "/dashboard" };
    return (await post("/dashboard/sign-in", body, { "sec-fetch-site": "same-origin" }, peer)).status;
  };
  const right = clock.time;
  clock.time += 400 * 86_400_000;
  for (let i = 0; i < 6; i++) await attempt("wrong");
  expect(await attempt(testPassword)).toBe(429);
  clock.time = right;
  expect(await attempt(testPassword)).toBe(303);
});

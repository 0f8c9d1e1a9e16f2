import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../db/open";
import { loadConfig } from "../config";
import { testPassword, testService } from "../../test/support/service";
import { RequestContext } from "../http/request-context";
import { limits, openLimits } from "./rate-limit";
import { costBeside } from "../../test/support/cost";

const config = loadConfig({ APP_SECRET: "a-secret-of-at-least-32-characters" });
const folder = mkdtempSync(join(tmpdir(), "postroom-limits-"));
afterAll(() => rmSync(folder, { recursive: true }));

const context = (peer: string, forwarded?: string) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return new RequestContext(new Request("http://localhost/", { headers }), false, "/", peer, config.TRUSTED_PROXIES);
};

async function limiter(db: Awaited<ReturnType<typeof openDb>>, clock: { time: number }) {
  const open = await openLimits({ db, config, now: () => new Date(clock.time) });
  return (peer: string, forwarded?: string) => open.admit(limits.subscribe, context(peer, forwarded)) === undefined;
}

test("of 200 parallel requests of one client exactly five are admitted", async () => {
  const { post } = await testService();
  const path = "/api/newsletter/subscribe";
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => post(path, { email: `a${i}@example.com` }, {}, "203.0.113.9")),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(195);
});

test("a restart from the same database forgives nobody", async () => {
  const file = join(folder, "restart.sqlite");
  const clock = { time: 1_800_000_000_000 };
  const first = await openDb(file);
  const before = await limiter(first, clock);
  expect([1, 2, 3, 4, 5, 6].map(() => before("203.0.113.9"))).toEqual([true, true, true, true, true, false]);
  await first.settled();

  const second = await openDb(file); // the first one was killed: it never closed
  const after = await limiter(second, clock);
  expect([after("203.0.113.9"), after("203.0.113.10")]).toEqual([false, true]);
  clock.time += 600_000;
  expect([1, 2, 3, 4, 5, 6].map(() => after("203.0.113.9"))).toEqual([true, true, true, true, true, false]);
  await Promise.all([first.close(), second.close()]);
});

test("in any ten minutes five, and a refusal prolongs nothing", async () => {
  const clock = { time: 1_800_000_000_000 };
  const admitted = await limiter(await openDb(":memory:"), clock);
  const at = (seconds: number) => {
    clock.time = 1_800_000_000_000 + seconds * 1000;
    return admitted("203.0.113.9");
  };
  expect([0, 100, 200, 300, 400].map(at)).toEqual([true, true, true, true, true]);
  expect([401, 500, 599].map(at)).toEqual([false, false, false]);
  expect([600, 601, 699, 700].map(at)).toEqual([true, false, false, true]);
});

test("ten thousand spoofed addresses of one stranger are one stranger", async () => {
  const admitted = await limiter(await openDb(":memory:"), { time: 1_800_000_000_000 });
  const spoofed = Array.from({ length: 10_000 }, (_, i) => admitted("203.0.113.9", `198.51.${i >> 8}.${i & 255}`));
  expect(spoofed.filter(Boolean)).toHaveLength(5);
});

test("a /64 is one client, mapped IPv6 is the IPv4 address, clients behind a proxy are their own", async () => {
  const admitted = await limiter(await openDb(":memory:"), { time: 1_800_000_000_000 });
  const count = (answers: boolean[]) => answers.filter(Boolean).length;
  expect(count(Array.from({ length: 50 }, (_, i) => admitted(`2001:db8:0:1::${i.toString(16)}`)))).toBe(5);
  expect(admitted("2001:db8:0:2::1")).toBe(true);
  expect(count(Array.from({ length: 20 }, (_, i) => admitted(i % 2 ? "192.0.2.1" : "::ffff:192.0.2.1")))).toBe(5);
  expect(count(Array.from({ length: 20 }, (_, i) => admitted("127.0.0.1", `198.51.100.${i}`)))).toBe(20);
});

test("150,000 clients take less than 32 MB (S6)", () => {
  // In a process of its own: here other tests come and go in the same memory
  const program = `
    import { openDb } from "./db/open";
    import { loadConfig } from "./src/config";
    import { limits, openLimits } from "./src/security/rate-limit";
    const config = loadConfig({ APP_SECRET: "a-secret-of-at-least-32-characters" });
    const open = await openLimits({ db: await openDb(":memory:"), config, now: () => new Date() });
    Bun.gc(true);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 150_000; i++) open.take(limits.subscribe, "c".repeat(36) + i);
    Bun.gc(true);
    console.log((process.memoryUsage().heapUsed - before) / 2 ** 20);
    open.take(limits.subscribe, "one more");`;
  const run = Bun.spawnSync([process.execPath, "-e", program], { cwd: join(import.meta.dir, "../..") });
  expect(run.stderr.toString()).toBe("");
  const megabytes = Number(run.stdout.toString());
  expect(megabytes).toBeGreaterThan(1);
  expect(megabytes).toBeLessThan(32);
});

test("a full limiter stays as quick as an empty one, and right", async () => {
  const clock = { time: 1_800_000_000_000 };
  const open = await openLimits({ db: await openDb(":memory:"), config, now: () => new Date(clock.time) });
  const client = (i: number) => `${"c".repeat(36)}${i}`;
  for (let i = 0; i < 150_000; i++) open.take(limits.subscribe, client(i));

  for (let i = 0; i < 5; i++) open.take(limits.subscribe, client(149_999));
  expect(open.take(limits.subscribe, client(149_999)).admitted).toBe(false); // the newest are remembered
  expect(open.take(limits.subscribe, client(0)).remaining).toBe(4); // the oldest were let go

  const empty = await openLimits({ db: await openDb(":memory:"), config, now: () => new Date(clock.time) });
  let comers = 0;
  const thousands = (of: typeof open) => () => {
    for (let i = 0; i < 2_000; i++) of.take(limits.subscribe, `late ${comers++}`);
  };
  expect(costBeside(thousands(empty), thousands(open))).toBeLessThan(200); // to look at all it holds would take 150,000
});

test("a clock that was ahead holds nobody up, over a restart or without one", async () => {
  const db = await openDb(":memory:");
  const clock = { time: 1_900_000_000_000 };
  const before = await limiter(db, clock);
  const six = (admitted: typeof before) => [1, 2, 3, 4, 5, 6].map(() => admitted("203.0.113.9"));
  const five = [true, true, true, true, true, false];
  expect(six(before)).toEqual(five);
  await db.settled();

  clock.time = 1_800_000_000_000;
  const restarted = await limiter(db, clock);
  expect([six(before), six(restarted)]).toEqual([five, five]);
  clock.time += 600_000;
  expect(six(before)).toEqual(five);
});

test("failed sign-ins of a clock that was ahead lock nobody out", async () => {
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

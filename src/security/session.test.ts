import { expect, test } from "bun:test";
import * as sessions from "../../db/access/sessions";
import { testService } from "../../test/support/service";
import { readCookie } from "./cookies";
import { dashboardPath, sessionCookie, sessionToken } from "./session";
import { look } from "../../test/support/look";

const minute = 60_000;
const hour = 60 * minute;
const path = "/dashboard/account";

const request = (cookie: string) => new Request("http://localhost/", { headers: { cookie } });

test("the cookie is host-only and unreadable for scripts, and two of them are ignored", () => {
  const token = "A".repeat(43);
  expect(sessionCookie(token)).toBe(`__Host-postroom=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=604800`);
  expect(sessionToken(request(`tz=UTC; __Host-postroom=${token}`))).toBe(token);
  for (const cookie of [
    `__Host-postroom=${token}; __Host-postroom=${token}`,
    `__host-postroom=${token}`,
    `x__Host-postroom=${token}`,
    `__Host-postroom=${token}A`,
    `__Host-postroom=${"é".repeat(43)}`,
    `__Host-postroom="${token}"`,
    "__Host-postroom=",
    "",
  ])
    expect([cookie, sessionToken(request(cookie))]).toEqual([cookie, undefined]);
  expect(readCookie(request("a=1=2; b=3"), "a")).toBe("1=2");
});

test("a session ends after twelve idle hours, or seven days", async () => {
  const { clock, signIn } = await testService();
  const busy = await signIn();
  const idle = await signIn();
  for (let hours = 0; hours < 7 * 24; hours += 11) {
    expect([hours, (await busy.get(path)).status]).toEqual([hours, 200]);
    clock.time += 11 * hour;
  }
  expect((await busy.get(path)).status).toBe(303);
  expect((await idle.get(path)).status).toBe(303);
});

test("one idle minute less than twelve hours is not over yet", async () => {
  const { clock, signIn } = await testService();
  const { get } = await signIn();
  clock.time += 12 * hour - 1;
  expect((await get(path)).status).toBe(200);
  clock.time += 12 * hour;
  expect((await get(path)).status).toBe(303);
});

test("being there is written down every five minutes at most, and what a page asks for by itself is none", async () => {
  const { clock, db, now, signIn } = await testService();
  const { get, manager } = await signIn();
  const seen = async () => (await sessions.list(db, manager.id, now()))[0]?.seenAt.getTime();
  const start = clock.time;
  clock.time += 4 * minute;
  await get(path);
  expect(await seen()).toBe(start);
  clock.time += 2 * minute;
  for (const purpose of ["prefetch", "poll"]) await get(path, { purpose });
  expect(await seen()).toBe(start);
  await get(path);
  expect(await seen()).toBe(clock.time);
});

test("the database has hashes of cookies only, and ten sessions a manager", async () => {
  const { clock, db, now, signIn } = await testService();
  const all = [];
  for (let i = 0; i < 12; i++) {
    all.push(await signIn());
    clock.time += 1_000;
  }
  expect(await sessions.list(db, all[0]?.manager.id ?? "", now())).toHaveLength(10);
  const statuses = await Promise.all(all.map(async ({ get }) => (await get(path)).status));
  expect(statuses).toEqual([303, 303, ...new Array(10).fill(200)]);
  const dump = JSON.stringify(await look(db, "select * from sessions"));
  for (const { headers } of all) expect(dump).not.toContain(headers.cookie.split("=")[1] ?? "");
});

test.each([
  ["/dashboard/newsletter?q=a%20b&page=2", "/dashboard/newsletter?q=a%20b&page=2"],
  ["https://evil.example/dashboard/contact", "/dashboard/contact"],
  ["/dashboard", "/dashboard"],
  ["//evil.example/x", "/dashboard"],
  ["/\\evil.example", "/dashboard"],
  ["https://evil.example", "/dashboard"],
  ["/dashboard/../api/contact", "/dashboard"],
  ["/dashboard/%2e%2e/api", "/dashboard"],
  ["/dashboardx", "/dashboard"],
  ["javascript:alert(1)", "/dashboard"],
  ["/dashboard/sign-in?next=/dashboard/sign-in", "/dashboard"],
  ["/dashboard/a\r\nSet-Cookie: x=y", "/dashboard/aSet-Cookie:%20x=y"],
  ["", "/dashboard"],
  [undefined, "/dashboard"],
  [["/dashboard"], "/dashboard"],
])("after signing in, %j leads to %s", (asked, path) => {
  expect(dashboardPath(asked)).toBe(path);
});

test("a page with a URL too long for the headers that proxies pass on is not asked for again", async () => {
  const { get } = await testService();
  const next = async (q: string) => {
    const response = await get(`/dashboard/newsletter?q=${q}`, { cookie: "" });
    return new URL(response.headers.get("location") ?? "", "http://localhost").searchParams.get("next");
  };
  expect(await next("a".repeat(1_000))).toBe(`/dashboard/newsletter?q=${"a".repeat(1_000)}`);
  expect(await next("a".repeat(3_000))).toBe("/dashboard");
  expect(await next("%C3%A4".repeat(300))).toBe("/dashboard");
  expect(await next("(".repeat(1_900))).toBe("/dashboard"); // three characters each, in a form only
});

test("sessions of a clock that was ahead are over, and keep no one from signing in", async () => {
  const { clock, signIn } = await testService();
  const right = clock.time;
  clock.time += 400 * 24 * hour;
  const [old] = await Promise.all(Array.from({ length: 10 }, () => signIn()));
  clock.time = right;
  expect((await old?.get(path))?.status).toBe(303);
  expect((await (await signIn()).get(path)).status).toBe(200);
});

test("a notice left while a page is on its way is for the next page", async () => {
  const { db, now, signIn } = await testService();
  await signIn();
  const [{ hash } = { hash: "" }] = (await look(db, "select hash from sessions")) as { hash: string }[];
  const session = async () => {
    const found = (await sessions.find(db, hash, now()))?.session;
    if (!found) throw new Error("There is no session");
    return found;
  };
  await sessions.leaveNotice(db, await session(), { text: "Saved." });
  const shown = await session();
  await sessions.leaveNotice(db, shown, { text: "Deleted." });
  await sessions.clearNotices(db, shown);
  expect((await session()).notices).toEqual([{ text: "Deleted." }]);
  await sessions.clearNotices(db, await session());
  expect((await session()).notices).toBeNull();
});

import { expect, spyOn, test } from "bun:test";
import * as audit from "../../../db/audit";
import { nextPeer, testPassword, testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const email = "owner@example.com";
const own = { "sec-fetch-site": "same-origin" };

/** A service with one manager, and a browser at the sign-in page. */
async function signedOut() {
  const service = await testService();
  const { signIn, send } = service;
  const { manager, submit } = await signIn();
  const enter = (fields: Record<string, string> = {}, peer = nextPeer(), headers: Record<string, string> = {}) =>
    send(
      "/dashboard/sign-in",
      {
        method: "POST",
        body: new URLSearchParams({ email, password: testPassword, ...fields }),
        headers: { ...own, ...headers },
      },
      peer,
    );
  const audited = async () =>
    (await audit.list(service.db, {}, { page: 1, per: 100 })).events.map(({ action, actor, target }) => [
      action,
      actor,
      target,
    ]);
  return { ...service, audited, enter, manager, submit };
}

const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");

test("email and password open the dashboard at the page that was requested", async () => {
  const { audited, enter, get } = await signedOut();
  const answer = await enter({ email: " OWNER@example.com ", next: "/dashboard/audit?actor=cli" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/dashboard/audit?actor=cli"]);
  const [session = "", device = ""] = cookiesOf(answer);
  expect([session, device]).toEqual([
    expect.stringMatching(/^__Host-postroom=[\w-]{43}$/),
    expect.stringMatching(/^__Host-postroom-device=[\w-]{43}\.[\w-]{43}$/),
  ]);
  expect((await get("/dashboard/account", { cookie: session })).status).toBe(200);
  expect((await get("/dashboard/account", { cookie: device })).status).toBe(303);
  expect((await audited())[0]).toEqual(["session.begin", email, email]);
  const again = await get("/dashboard/sign-in?next=/dashboard/contact", { cookie: session });
  expect([again.status, again.headers.get("location")]).toEqual([303, "/dashboard/contact"]);
});

test("the pages before the dashboard ask for its fonts before they are first painted", async () => {
  const { get } = await signedOut();
  for (const path of ["/dashboard/sign-in", "/dashboard/setup?token=x", "/dashboard/reset?token=x"]) {
    const [head = ""] = (await (await get(path)).text()).split("</head>");
    const fonts = [...head.matchAll(/<link rel="preload" href="\/assets\/(\w+)[^>]* as="font"/g)].map(
      ([, name]) => name,
    );
    expect([path, fonts]).toEqual([path, ["figtree", "newsreader"]]);
  }
});

test("next never leads to another site", async () => {
  const { enter } = await signedOut();
  for (const next of ["https://evil.example/", "//evil.example", "/\\evil.example", "/dashboard/../api"])
    expect((await enter({ next })).headers.get("location")).toBe("/dashboard");
});

test("an unknown address and a wrong password look the same, byte for byte", async () => {
  const { audited, enter } = await signedOut();
  const known = await enter({ password: "wrong password" });
  const unknown = await enter({ email: "ghost@example.com", password: "wrong password" });
  const shape = async (answer: Response, address: string) => ({
    status: answer.status,
    headers: [...answer.headers].filter(([name]) => name !== "x-request-id"),
    body: (await answer.text()).replaceAll(address, ""),
  });
  expect(await shape(unknown, "ghost@example.com")).toEqual(await shape(known, email));
  expect(known.status).toBe(422);
  expect(known.headers.getSetCookie()).toEqual([]);
  // Unknown addresses are not stored: one may be a password typed into the wrong field
  expect((await audited()).slice(0, 2)).toEqual([
    ["session.refuse", "visitor", null],
    ["session.refuse", "visitor", email],
  ]);
});

test("five failures of one client in 15 minutes, then it waits, with the right password too", async () => {
  const { clock, enter } = await signedOut();
  const peer = nextPeer();
  const statuses = [];
  for (let i = 0; i < 6; i++)
    statuses.push((await enter({ email: `a${i}@example.com`, password: "wrong" }, peer)).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  const blocked = await enter({}, peer);
  expect([blocked.status, blocked.headers.get("retry-after")]).toEqual([429, "900"]);
  expect(await blocked.text()).toContain("Try again in 15 minutes");
  expect((await enter()).status).toBe(303);
  clock.time += 900_000;
  expect((await enter({}, peer)).status).toBe(303);
});

test("a hundred simultaneous guesses are five", async () => {
  const { enter } = await signedOut();
  const peer = nextPeer();
  const answers = await Promise.all(Array.from({ length: 100 }, () => enter({ password: "wrong" }, peer)));
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  expect([count(422), count(429)]).toEqual([5, 95]);
});

test("signing in does not use attempts up", async () => {
  const { enter } = await signedOut();
  const peer = nextPeer();
  for (let i = 0; i < 8; i++) expect((await enter({}, peer)).status).toBe(303);
  for (let i = 0; i < 4; i++) await enter({ password: "wrong" }, peer);
  expect((await enter({}, peer)).status).toBe(303);
  expect((await enter({ password: "wrong" }, peer)).status).toBe(422);
  expect((await enter({}, peer)).status).toBe(429);
});

test("ten failures for one account in an hour, from wherever; a device that signed in before is not locked out", async () => {
  const { clock, enter } = await signedOut();
  const [, device = ""] = cookiesOf(await enter());
  const statuses = [];
  for (let i = 0; i < 11; i++) statuses.push((await enter({ password: "wrong" })).status);
  expect(statuses).toEqual([...new Array(10).fill(422), 429]);
  const stranger = await enter();
  expect([stranger.status, await stranger.text()]).toEqual([429, expect.stringContaining("in 60 minutes") as never]);
  expect((await enter({}, nextPeer(), { cookie: device })).status).toBe(303);
  const forged = `${device.slice(0, -1)}${device.endsWith("A") ? "B" : "A"}`;
  expect((await enter({}, nextPeer(), { cookie: forged })).status).toBe(429);
  clock.time += 3_600_000;
  expect((await enter()).status).toBe(303);
});

test("signing out ends the session and deletes the cookie", async () => {
  const { audited, get, submit, signIn } = await signedOut();
  const other = await signIn();
  const answer = await submit("/dashboard/sign-out");
  expect([answer.status, answer.headers.get("location"), answer.headers.get("set-cookie")]).toEqual([
    303,
    "/dashboard/sign-in",
    "__Host-postroom=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0",
  ]);
  expect((await submit("/dashboard/sign-out")).headers.get("location")).toStartWith("/dashboard/sign-in?next=");
  expect((await other.get("/dashboard/account")).status).toBe(200);
  expect((await audited())[0]).toEqual(["session.end", email, email]);
  expect((await get("/dashboard/account")).status).toBe(303);
});

test("sensitive pages ask for the password after a quarter of an hour, and lead back", async () => {
  const { clock, signIn } = await signedOut();
  const { get, submit } = await signIn();
  expect((await get("/dashboard/managers")).status).toBe(200);
  clock.time += 15 * 60_000;
  const asked = await get("/dashboard/managers?x=1");
  expect([asked.status, asked.headers.get("location")]).toEqual([
    303,
    "/dashboard/confirm?next=%2Fdashboard%2Fmanagers%3Fx%3D1",
  ]);
  const partial = await get("/dashboard/managers/invite", {
    "hx-request": "true",
    "hx-current-url": "http://localhost:3000/dashboard/managers",
  });
  expect(partial.headers.get("hx-redirect")).toBe("/dashboard/confirm?next=%2Fdashboard%2Fmanagers");
  expect((await get("/dashboard/account")).status).toBe(200);

  expect((await submit("/dashboard/confirm", { password: "wrong", next: "/dashboard/managers" })).status).toBe(422);
  const right = await submit("/dashboard/confirm", { password: testPassword, next: "/dashboard/managers" });
  expect([right.status, right.headers.get("location")]).toEqual([303, "/dashboard/managers"]);
  expect((await get("/dashboard/managers")).status).toBe(200);
});

test("no password and no session reaches the log or the database", async () => {
  const { db, enter, logged } = await signedOut();
  const answer = await enter();
  await enter({ password: "a very wrong password" });
  const token = cookiesOf(answer)[0]?.split("=")[1] ?? "x";
  const tables = ["managers", "sessions", "audit_events", "one_time_tokens", "rate_limit_hits"];
  const everything = JSON.stringify([
    logged,
    ...(await Promise.all(tables.map((table) => look(db, `select * from ${table}`)))),
  ]);
  for (const secret of [testPassword, "a very wrong password", token]) expect(everything).not.toContain(secret);
});

test("the page that strangers may request at any rate is made and compressed once for each destination", async () => {
  const { get, signIn } = await testService();
  await signIn();
  const path = (next: string) => `/dashboard/sign-in?next=${encodeURIComponent(next)}`;
  const headers = { "accept-encoding": "zstd" };
  await get(path("/dashboard/posts"), headers);
  const compressed = spyOn(Bun, "zstdCompress");
  for (let i = 0; i < 10; i++) {
    const response = await get(path("/dashboard/posts"), headers);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(Bun.zstdDecompressSync(await response.bytes()).toString()).toContain('value="/dashboard/posts"');
  }
  expect(compressed).toHaveBeenCalledTimes(0);
  for (let i = 0; i < 60; i++) await get(path(`/dashboard/posts?page=${i}`), headers); // displaces it, so memory is bounded
  await get(path("/dashboard/posts"), headers);
  expect(compressed).toHaveBeenCalledTimes(61);
  compressed.mockRestore();
});

import { expect, test } from "bun:test";
import { nextPeer, testService } from "../../test/support/service";
import { everything } from "../../test/support/look";

/** The signed-out pages: they need no session. */
const isDoor = (path: string) => /^\/dashboard\/(sign-in|setup|reset)(\/|$)/.test(path);
const concrete = (path: string) => path.replace(/:[^/]+/g, "x").replace(/(.)\/$/, "$1");

async function dashboard() {
  const service = await testService();
  const routes = (await service.app.routes())
    .filter(({ path }) => /^\/dashboard(\/|$)/.test(path))
    .map(({ method, path }) => ({ method, path: concrete(path) }));
  return { ...service, reads: routes.filter(({ method }) => method === "GET"), routes };
}

const form = "application/x-www-form-urlencoded";

test("every changing route refuses what did not come from our own page with our token (S5)", async () => {
  const { db, routes, send, signIn } = await dashboard();
  const changes = routes.filter(({ method }) => method !== "GET");
  expect(changes.length).toBeGreaterThan(20);
  const { headers: own, token } = await signIn();
  const stranger = await signIn({ email: "stranger@example.com" });
  const { cookie } = own;
  const valid = `_token=${token}`;
  const forged: [name: string, headers: Record<string, string>, body: string][] = [
    ["cross-site", { cookie, "sec-fetch-site": "cross-site", "content-type": form }, valid],
    ["same-site", { cookie, "sec-fetch-site": "same-site", "content-type": form }, valid],
    ["typed in", { cookie, "sec-fetch-site": "none", "content-type": form }, valid],
    ["foreign origin", { cookie, origin: "https://evil.example", "content-type": form }, valid],
    ["origin null", { cookie, origin: "null", "content-type": form }, valid],
    [
      "origin with our name in it",
      { cookie, origin: "http://localhost:3000.evil.example", "content-type": form },
      valid,
    ],
    ["no header", { cookie, "content-type": form }, valid],
    ["text/plain", { cookie, origin: "https://evil.example", "content-type": "text/plain" }, valid],
    [
      "JSON from elsewhere",
      { cookie, origin: "https://evil.example", "content-type": "application/json" },
      `{"_token":"${token}"}`,
    ],
  ];
  const withoutToken: typeof forged = [
    ["no token", { ...own, "content-type": form }, "x=1"],
    ["no body", own, ""],
    ["wrong token", { ...own, "content-type": form }, `_token=${"A".repeat(43)}`],
    ["another session's token", { ...own, "content-type": form }, `_token=${stranger.token}`],
    ["token cut", { ...own, "content-type": form }, `_token=${token.slice(0, -1)}`],
    ["token twice", { ...own, "content-type": form }, `${valid}&${valid}`],
    ["token in text/plain", { ...own, "content-type": "text/plain" }, valid],
    ["broken JSON", { ...own, "content-type": "application/json" }, "{"],
  ];
  const before = await everything(db);
  for (const { method, path } of changes)
    for (const [name, headers, body] of isDoor(path) ? forged : [...forged, ...withoutToken]) {
      const { status } = await send(path, { method, headers, body: body || null }, nextPeer());
      expect([method, path, name, status]).toEqual([method, path, name, 403]);
    }
  expect(await everything(db)).toEqual(before);
});

test("no route that changes something does so when a signed-in manager sends a GET", async () => {
  const { db, reads, routes, signIn } = await dashboard();
  const { get } = await signIn();
  const readable = new Set(reads.map(({ path }) => path));
  const before = await everything(db);
  for (const { method, path } of routes.filter(({ path }) => !readable.has(path))) {
    const { status } = await get(path); // some look like a page that does not exist
    expect([method, path, [303, 404, 405].includes(status) || status]).toEqual([method, path, true]);
  }
  expect(await everything(db)).toEqual(before);
});

test("an Origin of ours is enough for browsers without Sec-Fetch-Site, by any name of this machine", async () => {
  const { send, signIn } = await testService();
  for (const origin of ["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"]) {
    const { headers, token } = await signIn();
    const body = new URLSearchParams({ _token: token, name: "Ada" });
    const answer = await send("/dashboard/account/name", {
      method: "POST",
      headers: { cookie: headers.cookie, origin },
      body,
    });
    expect([origin, answer.status]).toEqual([origin, 303]);
  }
});

test("in production only BASE_URL is ours, whatever the Host header says", async () => {
  const { send, signIn } = await testService({ BASE_URL: "https://example.com", BLOG_URL: "https://blog.example.com" });
  const { headers, token } = await signIn();
  const body = new URLSearchParams({ _token: token, name: "Ada" });
  const statusFrom = async (origin: string, host = "example.com") =>
    (await send("/dashboard/account/name", { method: "POST", headers: { cookie: headers.cookie, origin, host }, body }))
      .status;
  expect(await statusFrom("https://example.com")).toBe(303);
  expect(await statusFrom("https://blog.example.com", "blog.example.com")).toBe(403);
  expect(await statusFrom("http://localhost:3000", "localhost:3000")).toBe(403);
  expect(await statusFrom("https://evil.example", "evil.example")).toBe(403);
});

test("htmx may send the token as a header", async () => {
  const { send, signIn } = await testService();
  const { headers, token } = await signIn();
  const answer = await send("/dashboard/account/name", {
    method: "POST",
    headers: { ...headers, "x-form-token": token },
    body: new URLSearchParams({ name: "Ada" }),
  });
  expect(answer.status).toBe(303);
});

test("without a session every page leads to the sign-in and back, for htmx by a header", async () => {
  const { get, reads, signIn } = await dashboard();
  await signIn();
  const closed = reads.filter(({ path }) => !isDoor(path));
  expect(closed.length).toBeGreaterThan(10);
  for (const { path } of closed) {
    const answer = await get(`${path}?q=a`);
    const next = encodeURIComponent(`${path}?q=a`);
    const location =
      path === "/dashboard/confirm" ? "/dashboard/sign-in?next=%2Fdashboard" : `/dashboard/sign-in?next=${next}`;
    expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 303, location]);
    expect(answer.headers.get("cache-control")).toBe("no-store");

    const partial = await get(path, {
      "hx-request": "true",
      "hx-current-url": "http://localhost:3000/dashboard/contact",
    });
    expect([path, partial.status, partial.headers.get("hx-redirect")]).toEqual([
      path,
      401,
      "/dashboard/sign-in?next=%2Fdashboard%2Fcontact&ended=yes",
    ]);
  }
});

test("a form sent after the session ended leads back to its page, and changes nothing", async () => {
  const { clock, signIn } = await testService();
  const { submit } = await signIn();
  clock.time += 13 * 3_600_000;
  const answer = await submit(
    "/dashboard/account/name",
    { name: "Ada" },
    { referer: "http://localhost:3000/dashboard/account" },
  );
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    "/dashboard/sign-in?next=%2Fdashboard%2Faccount&ended=yes",
  ]);
});

test("a one-time form token works once, even of fifty simultaneous uses, for its own session and an hour", async () => {
  const { clock, db, now, signIn } = await testService();
  const { issueOnce, submitOnce } = await import("../security/forgery");
  const [ada, bob] = [await signIn(), await signIn()];
  const token = await issueOnce({ db, now }, ada.session);
  const submit = ({ session }: typeof ada, form: string, result?: "done") =>
    submitOnce({ db, now }, session, form, async () => result);
  expect(await submit(bob, token, "done")).toBe("used");
  expect(await submit(ada, token)).toBeUndefined(); // nothing was done, so it may be sent again
  const answers = await Promise.all(Array.from({ length: 50 }, () => submit(ada, token, "done")));
  expect(answers.filter((answer) => answer === "done")).toHaveLength(1);
  const late = await issueOnce({ db, now }, ada.session);
  clock.time += 3_600_000;
  expect(await submit(ada, late, "done")).toBe("used");
});

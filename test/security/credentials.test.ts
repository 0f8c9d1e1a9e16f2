import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { scopesOfBefore } from "../../db/schema/scopes";
import * as posts from "../../db/posts/posts";
import * as settings from "../support/settings";
import { nextPeer, testService } from "../support/service";
import { openRoutes, type Route, spellings, whoMay } from "./who-may";
import { everything, look } from "../support/look";

const secret = "violet-marker"; // in everything that requires a key or a session
const hour = 3_600_000;

/** A service with confidential data, and a credential of every kind (figure S1). */
async function stage() {
  const service = await testService();
  const { clock, db, key, now, post, signIn } = service;
  await posts.save(db, { slug: "draft", title: secret, content: secret, published: false }, now());
  await settings.set(db, "jobTitle", secret, { by: "test" }, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com", name: secret });
  await post("/api/contact", { name: secret, email: "ada@example.com", message: `${secret} says good morning.` });
  const id = (await look<{ id: string }>(db, "select id from messages"))[0]?.id ?? "";

  const valid = (await key("Program", [...scopesOfBefore, "newsletter:write"]))["x-api-key"] ?? "";
  const old = await apiKeys.generate(db, { prefix: "site", name: "Old" }, now());
  await apiKeys.deactivate(db, old.row.id, { actor: "cli" }, now());
  const expired = await signIn({ email: "bob@example.com" });
  clock.time += 13 * hour;
  const manager = await signIn();
  const cookie = (value: string) => ({ cookie: `__Host-postroom=${value}`, "sec-fetch-site": "same-origin" });
  const token = manager.headers.cookie.split("=")[1] ?? "";

  const useless: { name: string; headers: Record<string, string>; query?: string; form?: string }[] = [
    { name: "none", headers: {} },
    { name: "empty", headers: { "x-api-key": "", ...cookie("") } },
    { name: "junk", headers: { "x-api-key": "' OR 1=1 --", ...cookie("' OR 1=1 --") } },
    { name: "wrong", headers: { "x-api-key": `site_live_${"0".repeat(32)}`, ...cookie("A".repeat(43)) } },
    { name: "deactivated", headers: { "x-api-key": old.key } },
    { name: "in the query", headers: {}, query: `x-api-key=${valid}&__Host-postroom=${token}&_token=${manager.token}` },
    { name: "in Authorization", headers: { authorization: `Bearer ${valid}` } },
    { name: "an expired session", headers: expired.headers, form: expired.token },
    {
      name: "twice",
      headers: { "x-api-key": `${valid}, ${valid}`, cookie: `${cookie(token).cookie}; ${cookie(token).cookie}` },
    },
  ];
  return { ...service, id, useless, keyed: { "x-api-key": valid }, manager };
}

type Stage = Awaited<ReturnType<typeof stage>>;
const nodeIn = async ({ db }: Stage) => (await look<{ id: string }>(db, "select id from storage_nodes"))[0]?.id;

async function ask({ app }: Stage, method: string, path: string, headers: Record<string, string>, form = "") {
  const body = method === "POST" && { body: form };
  const type = path.startsWith("/api/v1") ? "application/json" : "application/x-www-form-urlencoded";
  const request = new Request(`http://localhost:3000${path}`, {
    method,
    headers: { "content-type": type, ...headers },
    ...body,
  });
  const answer = await app.handle(request, nextPeer());
  return { status: answer.status, location: answer.headers.get("location") ?? "", text: await answer.text() };
}

const concrete = (path: string, id: string) => path.replace(/:\w+/g, id).replace(/(.)\/$/, "$1");

test("for every route it is decided who may use it (S1)", async () => {
  const { app } = await testService();
  const routes = await app.routes();
  const name = ({ method, path }: Route) => `${method} ${path}`;
  expect(routes.filter((route) => !whoMay(route)).map(name)).toEqual([]);
  const known = new Set(routes.map(name));
  expect([...openRoutes].filter((route) => !known.has(route))).toEqual([]);
});

test("no invalid credential and no spelling of a path opens a route or changes anything (S1)", async () => {
  const here = await stage();
  const closed = (await here.app.routes()).filter((route) => whoMay(route) !== "anybody");
  const problems: string[] = [];
  let asked = 0;
  await here.db.settled();
  const before = await everything(here.db);
  for (const route of closed)
    for (const method of route.method === "GET" ? ["GET", "HEAD"] : [route.method])
      for (const [at, spelling] of spellings(concrete(route.path, here.id)).entries())
        for (const { name, headers, query, form } of here.useless) {
          const path = query ? `${spelling}?${query}` : spelling;
          const { status, location, text } = await ask(here, method, path, headers, form && `_token=${form}`);
          asked++;
          const isRefused = isForPeople(route) ? leadsToDoor(status, location) : status === 401;
          const isElsewhere = at > 0 && [401, 404, 405].includes(status); // another spelling may match no route
          if (!(isRefused || isElsewhere) || text.includes(secret))
            problems.push(`${method} ${path} with ${name}: ${status} ${location} ${text.slice(0, 80)}`);
        }
  await here.db.settled();
  expect(problems).toEqual([]);
  expect(await everything(here.db)).toEqual(before);
  expect(asked).toBeGreaterThan(closed.length * 100);
});

const isForPeople = (route: Route) => ["a manager", "an owner"].includes(whoMay(route) ?? "");
const leadsToDoor = (status: number, location: string) =>
  status === 303 && location.startsWith("/dashboard/sign-in?next=%2Fdashboard");

test("the right kind of credential opens every route, and the other kind opens none (S1)", async () => {
  const here = await stage();
  const { headers, token } = here.manager;
  const routes = (await here.app.routes()).filter(({ path }) => path !== "/dashboard/sign-out");
  const heard: Record<string, number[]> = {};
  for (const route of routes) {
    const access = whoMay(route);
    const path = concrete(route.path, route.method === "GET" ? here.id : "x"); // nothing may be removed on the way
    const [right, wrong] = isForPeople(route) ? [headers, here.keyed] : [here.keyed, headers];
    if (access === "anybody") continue;
    const form = isForPeople(route) ? `_token=${encodeURIComponent(token)}` : "{}";
    const refused = await ask(here, route.method, path, wrong, form);
    expect([path, isForPeople(route) ? leadsToDoor(refused.status, refused.location) : refused.status]).toEqual([
      path,
      isForPeople(route) ? true : 401,
    ]);
    const { status, location } = await ask(here, route.method, path, right, form);
    expect([path, [401, 403].includes(status), location.startsWith("/dashboard/sign-in")]).toEqual([
      path,
      false,
      false,
    ]);
    (heard[access ?? ""] ??= []).push(status);
    if (status >= 500) throw new Error(`${route.method} ${path}: ${status}`);
  }
  expect(heard["the holder of a key"]).toContain(200);
  expect(heard["a manager"]?.filter((status) => status === 200).length).toBeGreaterThan(15);
});

test("what is for owners is closed to managers, however it is spelled, and changes nothing; the rest is open (S1)", async () => {
  const here = await stage();
  const { headers, token } = await here.signIn({ email: "carol@example.com", role: "manager" });
  const form = `_token=${encodeURIComponent(token)}`;
  const routes = (await here.app.routes()).filter(isForPeople);
  const closed = routes.filter((route) => whoMay(route) === "an owner");
  expect(closed.length).toBeGreaterThan(15);
  const ids = [here.id, here.manager.manager.id, await nodeIn(here)];
  await here.db.settled();
  const before = await everything(here.db);
  for (const { method, path } of closed)
    for (const asked of ids.flatMap((id) => spellings(concrete(path, id ?? "x"))))
      for (const how of method === "GET" ? ["GET", "HEAD"] : [method]) {
        const { status, text } = await ask(here, how, asked, headers, form);
        const isElsewhere = !spelledAlike(asked, path) && [404, 405].includes(status);
        expect([how, asked, status === 403 || isElsewhere || status]).toEqual([how, asked, true]);
        if (how !== "HEAD" && status === 403)
          expect([asked, text]).toEqual([asked, expect.stringContaining("Only owners can")]);
      }
  await here.db.settled();
  expect(await everything(here.db)).toEqual(before);

  for (const route of routes) {
    if (whoMay(route) === "an owner" || route.path === "/dashboard/sign-out") continue;
    const { status } = await ask(here, route.method, concrete(route.path, "x"), headers, form);
    expect([route.method, route.path, status === 403]).toEqual([route.method, route.path, false]);
  }
});

/** The path as it is written, or with a trailing slash, which the router accepts as well. */
const spelledAlike = (asked: string, path: string) =>
  asked.split("/").filter(Boolean).length === path.split("/").filter(Boolean).length &&
  /^[\w/-]+$/.test(asked) &&
  !asked.includes("//") &&
  asked === asked.toLowerCase();

test("a manager overdue with two-step verification gets no further than the account page, and changes nothing else (S1)", async () => {
  const here = await stage();
  const { headers, token } = await here.signIn({ email: "carol@example.com", role: "owner" });
  await here.manager.submit("/dashboard/managers/two-step", { required: "on" });
  here.clock.time += 7 * 24 * hour;
  const session = await here.signIn({ email: "carol@example.com" });
  const form = `_token=${encodeURIComponent(session.token)}`;
  expect([token === session.token, headers === session.headers]).toEqual([false, false]);
  await here.db.settled();
  const before = await everything(here.db);
  const heard: string[] = [];
  for (const { method, path } of (await here.app.routes()).filter(isForPeople)) {
    const isOpen = /^\/dashboard\/(account|confirm|sign-out)(\/|$)/.test(path);
    if (isOpen) continue;
    for (const asked of spellings(concrete(path, here.id)))
      for (const how of method === "GET" ? ["GET", "HEAD"] : [method]) {
        const { status, location, text } = await ask(here, how, asked, session.headers, form);
        const isLed = status === 303 && /^\/dashboard\/account(\?|$)/.test(location);
        if (isLed) heard.push(path);
        else if (![404, 405].includes(status) || text.includes(secret)) throw new Error(`${how} ${asked}: ${status}`);
      }
    expect(heard).toContain(path);
  }
  await here.db.settled();
  expect(await everything(here.db)).toEqual(before);
  const account = await ask(here, "GET", "/dashboard/account", session.headers);
  expect([account.status, account.text.includes("Until it has one, only your account page is open")]).toEqual([
    200,
    true,
  ]);
});

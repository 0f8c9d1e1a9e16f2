import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as sessions from "../../../db/access/sessions";
import { nextPeer, testPassword, testService } from "../../../test/support/service";

const path = "/dashboard/account";
const next = "a different violet otter";

/** One manager on three devices. */
async function threeDevices() {
  const service = await testService();
  const { clock, db, now, send, signIn } = service;
  const here = await signIn({ name: "Olive <b>Owner</b>" });
  clock.time += 1_000;
  const [there, elsewhere] = [await signIn(), await signIn()];
  const living = async () => (await sessions.list(db, here.manager.id, now())).length;
  const signInWith = async (password: string) => {
    const body = new URLSearchParams({ email: here.manager.email, password });
    const headers = { "sec-fetch-site": "same-origin" };
    return (await send("/dashboard/sign-in", { method: "POST", body, headers }, nextPeer())).status;
  };
  return { ...service, here, there, elsewhere, living, signInWith };
}

const cookieOf = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";

test("the page shows name, devices and what signing in needs, and interprets nothing", async () => {
  const { here } = await threeDevices();
  const answer = await here.get(path);
  const page = await answer.text();
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(page).toContain("Olive &lt;b>Owner&lt;/b>");
  expect(page).not.toContain("<b>Owner");
  expect(page.match(/aria-label="Sign out A browser"/g)).toHaveLength(2);
});

test("a new password ends every session at once, the old cookie here included (S10)", async () => {
  const { get, here, there, elsewhere, living, signInWith } = await threeDevices();
  const answer = await here.submit(`${path}/password`, { current: testPassword, password: next });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, path]);
  for (const old of [here, there, elsewhere]) expect((await old.get(path)).status).toBe(303);
  const page = await get(path, { cookie: cookieOf(answer) });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Your password is changed") as never]);
  expect(await living()).toBe(1);
  expect([await signInWith(testPassword), await signInWith(next)]).toEqual([422, 303]);
});

test.each([
  ["the current one is wrong", { current: "wrong", password: next }, "is not your password"],
  ["it is short", { current: testPassword, password: "elevenchars" }, "at least 12 characters"],
  ["it is common", { current: testPassword, password: "password1234" }, "tried first"],
  ["it is the address", { current: testPassword, password: "owner@example.com" }, "too close"],
  ["nothing was typed", {}, "error"],
])("the password stays when %s", async (_, fields, words) => {
  const { here, living, signInWith } = await threeDevices();
  const answer = await here.submit(`${path}/password`, fields as Record<string, string>);
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(words) as never]);
  expect([await living(), await signInWith(testPassword)]).toEqual([3, 303]);
});

test("the current password can be guessed at as seldom as at the door", async () => {
  const { here } = await threeDevices();
  const statuses = [];
  for (let i = 0; i < 6; i++)
    statuses.push((await here.submit(`${path}/password`, { current: "wrong", password: next })).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
});

test("a manager signs out one device, or all others", async () => {
  const { db, here, there, elsewhere, living } = await threeDevices();
  const answer = await here.submit(`${path}/sessions/${there.session.id}/end`);
  expect([answer.status, (await there.get(path)).status, (await elsewhere.get(path)).status]).toEqual([303, 303, 200]);
  await here.submit(`${path}/sessions/end-others`);
  expect([await living(), (await here.get(path)).status, (await elsewhere.get(path)).status]).toEqual([1, 200, 303]);
  const { events } = await audit.list(db, { group: "session" }, { page: 1, per: 2 });
  expect(events.map(({ action }) => action)).toEqual(["session.end-others", "session.end"]);
});

test("nobody ends another manager's session", async () => {
  const { here, signIn } = await threeDevices();
  const bob = await signIn({ email: "bob@example.com", role: "manager" });
  const answer = await bob.submit(`${path}/sessions/${here.session.id}/end`);
  expect(answer.status).toBe(303);
  expect((await here.get(path)).status).toBe(200);
});

test("the name is saved, and has a length", async () => {
  const { here } = await threeDevices();
  expect((await here.submit(`${path}/name`, { name: " Ada Lovelace " })).status).toBe(303);
  expect(await (await here.get(path)).text()).toContain('value="Ada Lovelace"');
  for (const name of ["", " ", "x".repeat(101), "a\nb"])
    expect([name, (await here.submit(`${path}/name`, { name })).status]).toEqual([name, 422]);
});

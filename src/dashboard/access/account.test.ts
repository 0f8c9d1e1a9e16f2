import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as secondStep from "../../../db/access/two-factor";
import * as sessions from "../../../db/access/sessions";
import { randomToken, sha256 } from "../../security/secrets";
import { createResetLink } from "../../security/sign-in-links";
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

test("a new password ends every session immediately, including the old cookie here (S10)", async () => {
  const { get, here, there, elsewhere, living, signInWith } = await threeDevices();
  const answer = await here.submit(`${path}/password`, { current: testPassword, password: next });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, path]);
  for (const old of [here, there, elsewhere]) expect((await old.get(path)).status).toBe(303);
  const page = await get(path, { cookie: cookieOf(answer) });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Password changed.") as never]);
  expect(await living()).toBe(1);
  expect([await signInWith(testPassword), await signInWith(next)]).toEqual([422, 303]);
});

test("of two simultaneous changes one succeeds: no one undoes a change with the old password", async () => {
  const { here, there, living, signInWith } = await threeDevices();
  const chosen = [next, "another green otter here"];
  const answers = await Promise.all(
    [here, there].map((device, i) =>
      device.submit(`${path}/password`, { current: testPassword, password: chosen[i] ?? "" }),
    ),
  );
  const where = answers.map(({ status, headers }) => [status, headers.get("location"), headers.has("set-cookie")]);
  expect(where).toContainEqual([303, path, true]);
  expect(where).toContainEqual([303, "/dashboard/sign-in", false]);
  expect(await living()).toBe(1);
  const signedIn = await Promise.all(chosen.map(signInWith));
  expect(signedIn).toEqual(where.map(([, , isIn]) => (isIn ? 303 : 422)));
});

test.each([
  ["the current one is wrong", { current: "wrong", password: next }, "That is not your current password."],
  ["it is short", { current: testPassword, password: "elevenchars" }, "Use at least 12 characters."],
  ["it is common", { current: testPassword, password: "password1234" }, "This password is too common. Choose another."],
  ["it is the address", { current: testPassword, password: "owner@example.com" }, "too similar to your email address"],
  ["nothing was typed", {}, "error"],
])("the password stays when %s", async (_, fields, words) => {
  const { here, living, signInWith } = await threeDevices();
  const answer = await here.submit(`${path}/password`, fields as Record<string, string>);
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(words) as never]);
  expect([await living(), await signInWith(testPassword)]).toEqual([3, 303]);
});

test("a wrong current password is on record, without the word (D40)", async () => {
  const { db, here } = await threeDevices();
  await here.submit(`${path}/password`, { current: "not my password", password: next });
  const { events } = await audit.list(db, { group: "manager" }, { page: 1, per: 5 });
  expect(events.map(({ actor, action, target }) => ({ actor, action, target }))).toEqual([
    { actor: here.manager.email, action: "manager.refuse-password", target: here.manager.email },
  ]);
  expect(JSON.stringify(events)).not.toContain("not my password");
});

test("a new password invalidates reset links, and sign-ins waiting for a code", async () => {
  const { config, db, get, here, now, send } = await threeDevices();
  const reset = await createResetLink({ config, db }, here.manager.email, now());
  const asked = randomToken();
  const expiresAt = new Date(now().getTime() + 600_000);
  await secondStep.startSecondStep(db, { hash: sha256(asked), managerId: here.manager.id, expiresAt }, now());
  const opens = async () => (await get(reset?.url ?? "")).status;
  await here.submit(`${path}/password`, { current: "wrong", password: next });
  expect([await opens(), (await secondStep.awaitingSecondStep(db, sha256(asked), now())) !== undefined]).toEqual([
    200,
    true,
  ]);

  await here.submit(`${path}/password`, { current: testPassword, password: next });
  expect([await opens(), await secondStep.awaitingSecondStep(db, sha256(asked), now())]).toEqual([410, undefined]);
  const body = new URLSearchParams({
    token: new URL(reset?.url ?? "").searchParams.get("token") ?? "",
    password: "third violet otter sings",
  });
  const late = await send("/dashboard/reset", { method: "POST", body, headers: { "sec-fetch-site": "same-origin" } });
  expect(late.status).toBe(410);
  const { events } = await audit.list(db, { group: "manager" }, { page: 1, per: 1 });
  expect(events[0]).toMatchObject({
    action: "manager.withdraw-reset",
    details: { because: "the password was changed" },
  });
});

test("the current password can be guessed as rarely as at the sign-in", async () => {
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

test("no one ends another manager's session", async () => {
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

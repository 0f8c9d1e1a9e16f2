import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as passkeys from "../../../db/access/passkeys";
import { store } from "../../../test/support/storage/stored-files";
import { codeAt } from "../../security/totp";
import { nextPeer, testPassword, testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";

const account = "/dashboard/account";
const managersPage = "/dashboard/managers";
const secondStep = `${account}/second-step`;
const day = 24 * 3_600_000;

/** An owner, and Bob, a manager with only a password. */
async function withTwoManagers() {
  const service = await testService();
  const { clock, db, now, send, signIn } = service;
  const owner = await signIn();
  const bob = await signIn({ email: "bob@example.com", name: "Bob", role: "manager" });
  type Person = typeof bob;
  const require = (required: "on" | "off", by: Person = owner) => by.submit(`${managersPage}/two-step`, { required });
  const signInByPassword = (email: string) =>
    send(
      "/dashboard/sign-in",
      {
        method: "POST",
        body: new URLSearchParams({ email, password: testPassword }),
        headers: { "sec-fetch-site": "same-origin" },
      },
      nextPeer(),
    );
  const setUp = async (who: Person) => {
    const page = await (await who.get(secondStep)).text();
    const valueOf = (mark: string) => new RegExp(`${mark}"[^>]*value="([^"]*)"`).exec(page)?.[1] ?? "";
    const secret = valueOf('id="totp-secret').replaceAll(" ", "");
    const code = codeAt(secret, Math.floor(clock.time / 30_000));
    return who.submit(secondStep, { draft: valueOf('name="draft'), code });
  };
  const addPasskey = (who: Person, id = who.manager.id) =>
    passkeys.add(
      db,
      { manager: who.manager, passkey: { id, publicKey: Buffer.from([1]), counter: 0, transports: [], name: "Key" } },
      { actor: who.manager.email },
      now(),
    );
  const rules = async () =>
    (await audit.list(db, { group: "manager" }, { page: 1, per: 50 })).events
      .filter(({ action }) => /require|waive/.test(action))
      .map(({ actor, action, target }) => `${actor} ${action} ${target}`);
  return { ...service, addPasskey, bob, owner, require, rules, setUp, signInByPassword };
}

const banner = (page: string) => /<section class="note[^"]*due"[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
const shownTo = async (who: { get(path: string): Promise<Response> }, path = "/dashboard") =>
  banner(await (await who.get(path)).text());

test("owners turn the rule on and off for everyone; both are recorded", async () => {
  const { bob, owner, require, rules } = await withTwoManagers();
  expect([(await require("on", bob)).status, await rules()]).toEqual([403, []]);
  expect((await require("on")).status).toBe(303);
  expect((await require("on")).status).toBe(303); // already set
  expect((await require("off")).status).toBe(303);
  const target = "two-step verification or a passkey";
  expect(await rules()).toEqual([
    `${owner.manager.email} manager.waive ${target}`,
    `${owner.manager.email} manager.require ${target}`,
  ]);
});

test("managers concerned see it on every page for seven days, with a link to set it up", async () => {
  const { bob, owner, require, setUp } = await withTwoManagers();
  await setUp(owner);
  await require("on");
  expect(await shownTo(owner)).toBe("");
  for (const path of ["/dashboard", "/dashboard/posts", account]) {
    const text = await shownTo(bob, path);
    expect([path, text]).toEqual([path, expect.stringContaining("by 28 Nov 2026") as never]);
    expect(text).toContain(`href="${secondStep}"`);
  }
  expect(await (await owner.get(managersPage)).text()).toContain("not set up; due");
  await require("off");
  expect(await shownTo(bob)).toBe("");
});

test("after the grace period only the account page is open, until it is set up there", async () => {
  const { clock, require, setUp, signIn } = await withTwoManagers();
  await require("on");
  clock.time += 7 * day;
  const bob = await signIn({ email: "bob@example.com" });
  for (const path of ["/dashboard", "/dashboard/posts", "/dashboard/newsletter/export.csv"]) {
    const answer = await bob.get(path);
    expect([path, answer.status, answer.headers.get("location")?.split("?")[0]]).toEqual([path, 303, account]);
  }
  const partial = await bob.get("/dashboard/posts", { "hx-request": "true", "hx-request-type": "partial" });
  expect(partial.headers.get("hx-redirect")).toStartWith(account);
  const refused = await bob.submit("/dashboard/settings/site", { siteTitle: "Bob’s", "siteTitle.stamp": "none" });
  expect(refused.headers.get("location")).toStartWith(account);
  expect(await shownTo(bob, account)).toContain("Until it has one, only your account page is open");

  expect((await setUp(bob)).status).toBe(200);
  expect([(await bob.get("/dashboard/posts")).status, await shownTo(bob)]).toEqual([200, ""]);
});

test("overdue managers cannot see private files either", async () => {
  const service = await withTwoManagers();
  const { bob, clock, require, signIn } = service;
  const [file = ""] = await store(service, { filename: "a.png", mimeType: "image/png" });
  await require("on");
  expect((await bob.get(`/media/${file}/a.png`)).status).toBe(302);
  clock.time += 7 * day;
  const late = await signIn({ email: "bob@example.com" });
  expect((await late.get(`/media/${file}/a.png`)).status).toBe(404);
});

test("owners cannot lock themselves out: an overdue owner sets it up and is in again, also after a reset", async () => {
  const { clock, owner, require, setUp, signIn } = await withTwoManagers();
  await require("on");
  clock.time += 30 * day;
  const late = await signIn({ email: owner.manager.email });
  expect((await late.get(managersPage)).status).toBe(303);
  expect((await setUp(late)).status).toBe(200);
  expect((await late.get(managersPage)).status).toBe(200);
  expect((await require("off", late)).status).toBe(303);
  expect(await shownTo(late)).toBe("");
});

test("a manager who joins later has seven days too", async () => {
  const { clock, require, signIn } = await withTwoManagers();
  await require("on");
  clock.time += 30 * day;
  const carol = await signIn({ email: "carol@example.com", role: "manager" });
  expect([(await carol.get("/dashboard/posts")).status, await shownTo(carol)]).toEqual([
    200,
    expect.stringContaining("by 28 Dec 2026") as never,
  ]);
});

test("a passkey is enough, and then the password alone is not, so a stolen one is useless", async () => {
  const { addPasskey, bob, clock, db, require, signInByPassword } = await withTwoManagers();
  await addPasskey(bob);
  await require("on");
  expect(await shownTo(bob)).toBe("");
  expect((await signInByPassword("bob@example.com")).status).toBe(303); // within the grace period
  clock.time += 7 * day;
  const answer = await signInByPassword("bob@example.com");
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  expect(await answer.text()).toContain("Sign in with your passkey");
  const { events } = await audit.list(db, { group: "session" }, { page: 1, per: 1 });
  expect(events[0]).toMatchObject({ action: "session.refuse", target: "bob@example.com" });
  expect((await signInByPassword("owner@example.com")).status).toBe(303); // only to set it up, and nothing else
});

test("the last of the two cannot be removed while it is required", async () => {
  const { addPasskey, bob, require, setUp } = await withTwoManagers();
  await setUp(bob);
  await addPasskey(bob);
  await require("on");
  const removePasskey = () => bob.submit(`${account}/passkeys/${bob.manager.id}/remove`);
  await removePasskey();
  await bob.submit(`${secondStep}/off`);
  const kept = await (await bob.get(account)).text();
  expect(kept).toContain("Owners require two-step verification or a passkey here");
  expect(kept).toContain(`href="${secondStep}/off"`);

  await addPasskey(bob);
  await bob.submit(`${secondStep}/off`);
  await removePasskey();
  expect(await (await bob.get(account)).text()).toContain(`href="${account}/passkeys/${bob.manager.id}/remove"`);
  await require("off");
  await removePasskey();
  expect(await (await bob.get(account)).text()).not.toContain(`/passkeys/${bob.manager.id}`);
});

test("of two simultaneous removals, one is refused", async () => {
  const { addPasskey, bob, db, require, setUp } = await withTwoManagers();
  await setUp(bob);
  await require("on");
  for (let i = 0; i < 5; i++) {
    await addPasskey(bob);
    await Promise.all([bob.submit(`${secondStep}/off`), bob.submit(`${account}/passkeys/${bob.manager.id}/remove`)]);
    const left = await look(
      db,
      "select id from managers where id = ? and (totp_secret is not null or exists (select 1 from passkeys))",
      [bob.manager.id],
    );
    expect(left).toHaveLength(1);
    if (!(await (await bob.get(account)).text()).includes(`${secondStep}/off`)) await setUp(bob);
  }
});

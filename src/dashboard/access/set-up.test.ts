import { expect, test } from "bun:test";
import * as managers from "../../../db/access/managers";
import * as settings from "../../../db/settings/settings";
import { createManagerLink, createResetLink, createSetupLink } from "../../security/sign-in-links";
import { nextPeer, testPassword, testService } from "../../../test/support/service";
import { isOnPostgres, look } from "../../../test/support/look";

const minute = 60_000;
const ada = { email: "ada@example.com", name: "Ada Lovelace", password: testPassword };

/** A service without a manager, and a visitor with a setup link. */
async function empty(env: Record<string, string> = {}) {
  const service = await testService(env);
  const { send, get } = service;
  const submit = (path: string, fields: Record<string, string>) =>
    send(
      path,
      { method: "POST", body: new URLSearchParams(fields), headers: { "sec-fetch-site": "same-origin" } },
      nextPeer(),
    );
  /** Opens the link and sends the form that is there. */
  const follow = async (url: string | undefined, fields: Record<string, string>) => {
    const { pathname, searchParams } = new URL(url ?? "");
    return submit(pathname, { token: searchParams.get("token") ?? "", ...fields });
  };
  /** Whether the cookies of a response open the dashboard. */
  const opens = async (answer: Response) => {
    const cookie = answer.headers
      .getSetCookie()
      .map((text) => text.split(";")[0])
      .join("; ");
    return (await get("/dashboard/account", { cookie })).status === 200;
  };
  return { ...service, submit, follow, opens };
}

test("the setup link creates the owner and signs them in", async () => {
  const { follow, get, now, opens, ...site } = await empty();
  const link = await createSetupLink(site, now());
  expect(link?.url).toMatch(/^http:\/\/localhost:3000\/dashboard\/setup\?token=[A-Za-z0-9_-]{43}$/);
  const page = await get(link?.url ?? "");
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Create your account") as never]);

  const answer = await follow(link?.url, ada);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/dashboard"]);
  expect(await opens(answer)).toBe(true);
  expect(await managers.byEmail(site.db, "ADA@example.com")).toMatchObject({ role: "owner", name: "Ada Lovelace" });
});

test("the focus is in the first field that has to be filled in, or where something is wrong", async () => {
  const { follow, get, now, ...site } = await empty();
  const focused = async (page: Response) =>
    [...(await page.text()).matchAll(/<(?:input|div)[^>]* autofocus[^>]*>/g)].map(
      ([tag]) => tag.match(/name="(\w+)"/)?.[1],
    )[0];
  const link = await createSetupLink(site, now());
  expect(await focused(await get(link?.url ?? ""))).toBe("email");
  for (const [wrong, where] of [
    [{ name: "" }, "name"],
    [{ password: "short" }, "password"],
    [{ email: "nobody" }, "email"],
    [{ name: "", email: "nobody" }, undefined], // the summary of what is wrong
  ] as const) {
    const again = await follow(link?.url, { ...ada, ...wrong });
    expect([wrong, again.status, await focused(again)]).toEqual([wrong, 422, where]);
  }
  await follow(link?.url, ada);
  const invitation = await createManagerLink(site, "bo@example.com", now());
  expect(await focused(await get(invitation?.url ?? ""))).toBe("name");
});

test("an invitation says to what and as what, and what that role may do", async () => {
  const { get, submit, now, ...site } = await empty();
  await settings.save(site.db, [{ key: "siteTitle", value: "Tides & Co" }], { actor: "cli" }, now());
  const invitation = await createManagerLink(site, "bo@example.com", now());
  const page = await (await get(invitation?.url ?? "")).text();
  expect(page).toContain("You’ve been invited as an owner");
  expect(page).toContain("This is the dashboard of Tides &amp; Co.");
  expect(page).toContain("You can do everything, and decide who has access. Choose a password for bo@example.com.");
  const token = new URL(invitation?.url ?? "").searchParams.get("token") ?? "";
  const again = await submit("/dashboard/setup", { token, name: "", password: "short" });
  const refused = await again.text();
  expect(refused).toContain("You’ve been invited as an owner");
  expect(refused).toContain("This is the dashboard of Tides &amp; Co.");
});

test("without a manager there is no dashboard but the link: no default password, no open setup", async () => {
  const { get, submit, now, ...site } = await empty();
  expect(await (await get("/dashboard/sign-in")).text()).toContain("Postroom is not set up yet");
  await createSetupLink(site, now());
  for (const token of ["", "A".repeat(43), "undefined", "null", "0"]) {
    expect((await get(`/dashboard/setup?token=${token}`)).status).toBe(410);
    expect((await submit("/dashboard/setup", { ...ada, token })).status).toBe(410);
  }
  for (const [email, password] of [
    ["admin", "admin"],
    ["admin@example.com", "password"],
    ["owner@example.com", ""],
  ])
    expect((await submit("/dashboard/sign-in", { email: email ?? "", password: password ?? "" })).status).toBe(422);
  expect(await managers.hasAny(site.db)).toBe(false);
});

test("exactly one of fifty simultaneous uses succeeds, and none after that (S10)", async () => {
  const { follow, now, ...site } = await empty();
  const link = await createSetupLink(site, now());
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => follow(link?.url, { ...ada, email: `manager${i}@example.com` })),
  );
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 410, 503]));
  expect(await managers.list(site.db, now())).toHaveLength(1);
  for (let i = 0; i < 100; i++) expect((await follow(link?.url, ada)).status).toBe(410);
});

test("of two links the newer one works, or the first one used if several processes may have printed them", async () => {
  const { follow, get, now, ...site } = await empty();
  const links = [await createSetupLink(site, now()), await createSetupLink(site, now())];
  const pages = await Promise.all(links.map(async (link) => (await get(link?.url ?? "")).status));
  expect(pages).toEqual([isOnPostgres ? 200 : 410, 200]);
  const used = [(await follow(links[0]?.url, ada)).status, (await follow(links[1]?.url, ada)).status];
  expect(used).toEqual(isOnPostgres ? [303, 410] : [410, 303]);
  for (const link of links) expect((await get(link?.url ?? "")).status).toBe(410);
});

test("the link is valid for 60 minutes", async () => {
  const { clock, follow, get, now, ...site } = await empty();
  const link = await createSetupLink(site, now());
  clock.time += 60 * minute - 1;
  expect((await get(link?.url ?? "")).status).toBe(200);
  clock.time += 1;
  const late = await follow(link?.url, ada);
  expect([late.status, await late.text()]).toEqual([410, expect.stringContaining("restart the server") as never]);
});

test("looking does not use the link up, and a wrong form keeps what was typed", async () => {
  const { follow, get, now, ...site } = await empty();
  const link = await createSetupLink(site, now());
  for (let i = 0; i < 5; i++) await get(link?.url ?? "");
  const refused = await follow(link?.url, { email: "nope", name: "<b>Ada</b>", password: "short" });
  const page = await refused.text();
  expect(refused.status).toBe(422);
  expect(page).toContain("Enter a valid email address.");
  expect(page).toContain("&lt;b>Ada&lt;/b>");
  const weak = await follow(link?.url, { ...ada, password: "password1234" });
  expect([weak.status, await weak.text()]).toEqual([
    422,
    expect.stringContaining("This password is too common. Choose another.") as never,
  ]);
  expect((await follow(link?.url, ada)).status).toBe(303);
});

test("with a manager there is no setup link, and an old one is worth nothing", async () => {
  const { follow, now, signIn, ...site } = await empty();
  const link = await createSetupLink(site, now());
  await signIn();
  expect(await createSetupLink(site, now())).toBeUndefined();
  expect((await follow(link?.url, ada)).status).toBe(410);
});

test("the database has no token", async () => {
  const { now, ...site } = await empty();
  const link = await createSetupLink(site, now());
  const token = new URL(link?.url ?? "").searchParams.get("token") ?? "x";
  expect(JSON.stringify(await look(site.db, "select * from one_time_tokens"))).not.toContain(token);
});

test("manager create: the first one is the owner, the next a manager, an address has one link and one account", async () => {
  const { follow, now, ...site } = await empty();
  const first = await createManagerLink(site, "ada@example.com", now());
  expect((await follow(first?.url, { ...ada, email: "mallory@example.com" })).status).toBe(303);
  const old = await createManagerLink(site, "bob@example.com", now());
  const second = await createManagerLink(site, "BOB@example.com", now());
  expect((await follow(old?.url, { ...ada, name: "Bob" })).status).toBe(410);
  expect((await follow(second?.url, { ...ada, name: "Bob" })).status).toBe(303);
  const third = await createManagerLink(site, "eve@example.com", now(), "editor");
  expect((await follow(third?.url, { ...ada, name: "Eve" })).status).toBe(303);
  expect(await managers.list(site.db, now())).toMatchObject([
    { email: "ada@example.com", role: "owner" },
    { email: "BOB@example.com", role: "manager" },
    { email: "eve@example.com", role: "editor" },
  ]);
  expect(await createManagerLink(site, "ada@example.com", now())).toBeUndefined();
});

test("manager reset sets a new password, ends every session, and removes two-step verification and passkeys", async () => {
  const { db, follow, now, opens, signIn, submit, ...site } = await empty();
  const { get, manager } = await signIn();
  await look(db, "update managers set totp_secret = 'sealed', totp_last_step = 1");
  const link = await createResetLink({ db, ...site }, manager.email, now());
  expect(link?.url).toContain("/dashboard/reset?token=");
  expect((await get(link?.url ?? "")).status).toBe(200);

  const next = "a different violet otter";
  const answer = await follow(link?.url, { password: next });
  expect([answer.status, await opens(answer)]).toEqual([303, true]);
  expect((await get("/dashboard/account")).status).toBe(303);
  expect((await follow(link?.url, { password: next })).status).toBe(410);
  const signInWith = async (password: string) =>
    (await submit("/dashboard/sign-in", { email: manager.email, password })).status;
  expect([await signInWith(testPassword), await signInWith(next)]).toEqual([422, 303]);
  expect(await managers.byEmail(db, manager.email)).toMatchObject({ totpSecret: null, totpLastStep: null });
  expect(await createResetLink({ db, ...site }, "nobody@example.com", now())).toBeUndefined();
});

test("a link for one thing does not work for another", async () => {
  const { follow, now, signIn, ...site } = await empty();
  const { manager } = await signIn();
  const invitation = await createManagerLink(site, "bob@example.com", now());
  const reset = await createResetLink(site, manager.email, now());
  expect((await follow(invitation?.url.replace("/setup", "/reset"), ada)).status).toBe(410);
  expect((await follow(reset?.url.replace("/reset", "/setup"), ada)).status).toBe(410);
});

import { expect, test } from "bun:test";
import * as managers from "../../../db/access/managers";
import { codeAt } from "../../security/totp";
import { nextPeer, testPassword, testService } from "../../../test/support/service";
import { look } from "../../../test/support/look";
import { encode } from "uqr";
import { save as saveSettings } from "../../../db/settings/settings";

const path = "/dashboard/account/second-step";
const email = "owner@example.com";

/** The value of an input in a page. */
const valueOf = (page: string, mark: string) => new RegExp(`${mark}"[^>]*value="([^"]*)"`).exec(page)?.[1] ?? "";

/** A manager who turned two-step verification on, with their authenticator and their recovery codes. */
async function withSecondStep() {
  const service = await testService();
  const { clock, send, signIn } = service;
  const owner = await signIn();
  const offer = await (await owner.get(path)).text();
  const secret = valueOf(offer, 'id="totp-secret').replaceAll(" ", "");
  const code = (later = 0) => codeAt(secret, Math.floor(clock.time / 30_000) + later);
  const turnedOn = await owner.submit(path, { draft: valueOf(offer, 'name="draft'), code: code() });
  const page = await turnedOn.text();
  const codes = [...page.matchAll(/<li>([a-z2-7]{5}-[a-z2-7]{5})<\/li>/g)].map(([, found]) => found ?? "");

  const post = (to: string, fields: Record<string, string>, peer = nextPeer()) =>
    send(to, { method: "POST", body: new URLSearchParams(fields), headers: { "sec-fetch-site": "same-origin" } }, peer);
  /** Enters the right password. Returns the token of the page that asks for the code. */
  const askedForCode = async () => {
    const answer = await post("/dashboard/sign-in", { email, password: testPassword, next: "/dashboard/contact" });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
    return valueOf(await answer.text(), 'name="step');
  };
  const enter = (step: string, typed: string, peer?: string) =>
    post("/dashboard/sign-in/code", { step, code: typed, next: "/dashboard/contact" }, peer);
  return { ...service, askedForCode, code, codes, enter, offer, owner, page, secret, turnedOn };
}

test("a code is requested after the password, and each code works once", async () => {
  const { askedForCode, clock, code, enter, page, turnedOn } = await withSecondStep();
  expect([turnedOn.status, page]).toEqual([200, expect.stringContaining("Two-step verification is on.")]);
  const step = await askedForCode();
  expect((await enter(step, code())).status).toBe(422); // this code was used up by turning it on
  clock.time += 30_000;
  const answer = await enter(step, code());
  expect([answer.status, answer.headers.get("location"), answer.headers.getSetCookie()]).toEqual([
    303,
    "/dashboard/contact",
    [expect.stringContaining("__Host-postroom="), expect.stringContaining("__Host-postroom-device=")],
  ] as never);
  expect((await enter(await askedForCode(), code())).status).toBe(422);
  expect((await enter(await askedForCode(), code(-1))).status).toBe(422);
});

test("a set-up form works once: not again after two-step verification was turned off", async () => {
  const { clock, code, offer, owner, db } = await withSecondStep();
  expect((await owner.submit(`${path}/off`)).status).toBe(303);
  clock.time += 60_000;
  const again = await owner.submit(path, { draft: valueOf(offer, 'name="draft'), code: code() });
  expect([again.status, await again.text()]).toEqual([422, expect.stringContaining("Set up two-step verification")]);
  expect(await look(db, "select totp_secret from managers")).toEqual([{ totp_secret: null }]);
});

test("of many simultaneous uses of one code, exactly one succeeds", async () => {
  const { askedForCode, clock, code, enter } = await withSecondStep();
  clock.time += 30_000;
  const steps = await Promise.all([askedForCode(), askedForCode(), askedForCode(), askedForCode()]);
  const answers = await Promise.all(steps.map((step) => enter(step, code())));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422]);
});

test("the page for the code is good for ten minutes and one sign-in", async () => {
  const { askedForCode, clock, code, enter } = await withSecondStep();
  const old = await askedForCode();
  clock.time += 600_000;
  expect(await (await enter(old, code())).text()).toContain("Sign in again");
  const step = await askedForCode();
  expect((await enter(step, code())).status).toBe(303);
  clock.time += 30_000;
  expect(await (await enter(step, code())).text()).toContain("Sign in again");
  for (const forged of ["", "A".repeat(43), step.slice(1)]) expect((await enter(forged, code())).status).toBe(422);
});

test("a recovery code replaces a code of the authenticator once", async () => {
  const { askedForCode, codes, enter, owner } = await withSecondStep();
  expect(codes).toHaveLength(10);
  expect((await enter(await askedForCode(), ` ${codes[0]?.toUpperCase()} `)).status).toBe(303);
  expect((await enter(await askedForCode(), codes[0] ?? "")).status).toBe(422);
  expect((await enter(await askedForCode(), (codes[1] ?? "").replace("-", ""))).status).toBe(303);
  expect(await (await owner.get("/dashboard/account")).text()).toContain("8 recovery codes left");
});

test("new recovery codes void the old ones", async () => {
  const { askedForCode, codes, enter, owner } = await withSecondStep();
  const page = await (await owner.submit(`${path}/codes`)).text();
  const [, fresh = ""] = /<li>([a-z2-7]{5}-[a-z2-7]{5})</.exec(page) ?? [];
  expect((await enter(await askedForCode(), codes[0] ?? "")).status).toBe(422);
  expect((await enter(await askedForCode(), fresh)).status).toBe(303);
});

test("codes cannot be guessed: five failures for a client", async () => {
  const { askedForCode, clock, code, enter } = await withSecondStep();
  clock.time += 60_000;
  const step = await askedForCode();
  const peer = nextPeer();
  for (let i = 0; i < 5; i++) expect((await enter(step, `00000${i}`, peer)).status).toBe(422);
  const blocked = await enter(step, code(), peer);
  expect([blocked.status, blocked.headers.get("retry-after")]).toEqual([429, "900"]);
});

test("turning it off and making new codes ask first, and say what follows", async () => {
  const { owner } = await withSecondStep();
  const account = await (await owner.get("/dashboard/account")).text();
  for (const [to, words, button] of [
    ["off", "Your password alone will sign you in", "Turn off"],
    ["codes", "10 codes that you still have will stop working.", "Make new codes"],
  ] as const) {
    expect(account).toContain(`href="${path}/${to}"`);
    expect(account).not.toContain(`action="${path}/${to}"`);
    const question = await (await owner.get(`${path}/${to}`)).text();
    expect(question).toContain(words);
    expect(question).toContain(`action="${path}/${to}"`);
    expect(question).toMatch(new RegExp(`<button type="submit" class="btn danger">\\s*${button}`));
  }
  await owner.submit(`${path}/off`);
  for (const to of ["off", "codes"])
    expect((await owner.get(`${path}/${to}`)).headers.get("location")).toBe("/dashboard/account");
});

test("turning it off requires a recently entered password; after that the password is enough", async () => {
  const { clock, db, owner, send } = await withSecondStep();
  clock.time += 15 * 60_000;
  expect((await owner.submit(`${path}/off`)).headers.get("location")).toStartWith("/dashboard/confirm");
  expect((await owner.submit("/dashboard/confirm", { password: testPassword })).status).toBe(303);
  expect((await owner.submit(`${path}/off`)).headers.get("location")).toBe("/dashboard/account");
  expect(await managers.byEmail(db, email)).toMatchObject({ totpSecret: null, totpLastStep: null });
  const body = new URLSearchParams({ email, password: testPassword });
  const answer = await send("/dashboard/sign-in", {
    method: "POST",
    body,
    headers: { "sec-fetch-site": "same-origin" },
  });
  expect(answer.status).toBe(303);
});

test("a wrong code turns nothing on and keeps the secret; another manager's draft is worth nothing", async () => {
  const { db, signIn } = await testService();
  const [ada, bob] = [await signIn({ email: "ada@example.com" }), await signIn({ email: "bob@example.com" })];
  const offer = await (await ada.get(path)).text();
  const draft = valueOf(offer, 'name="draft');
  const secret = valueOf(offer, 'id="totp-secret');
  const refused = await ada.submit(path, { draft, code: "000000" });
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(secret) as never]);
  const code = codeAt(secret.replaceAll(" ", ""), Math.floor(Date.parse("2026-11-21T12:00:00Z") / 30_000));
  const stolen = await bob.submit(path, { draft, code });
  expect([stolen.status, await stolen.text()]).toEqual([422, expect.not.stringContaining(secret) as never]);
  for (const address of ["ada@example.com", "bob@example.com"])
    expect(await managers.byEmail(db, address)).toMatchObject({ totpSecret: null });
});

test("the database has neither the secret nor the recovery codes", async () => {
  const { codes, db, secret } = await withSecondStep();
  const tables = ["managers", "recovery_codes", "audit_events", "one_time_tokens"];
  const everything = JSON.stringify(await Promise.all(tables.map((table) => look(db, `select * from ${table}`))));
  for (const hidden of [secret, ...codes, ...codes.map((code) => code.replace("-", ""))])
    expect(everything).not.toContain(hidden);
});

test("a code used while the clock was ahead does not void those of today", async () => {
  const { askedForCode, clock, code, enter } = await withSecondStep();
  clock.time -= 400 * 86_400_000;
  const step = await askedForCode();
  expect((await enter(step, code())).status).toBe(303);
  expect((await enter(await askedForCode(), code())).status).toBe(422); // can still be used once
});

test("the QR code is the link, with the site's name, black on white with four modules around it", async () => {
  const { db, now, signIn } = await testService();
  const owner = await signIn();
  const site = { key: "siteTitle", value: "Tides: & Moons", stamp: "none" };
  await saveSettings(db, [site], { actor: "cli" }, now());
  const page = await (await owner.get(path)).text();
  const [, link = ""] = /href="(otpauth:[^"]*)"/.exec(page) ?? [];
  const secret = valueOf(page, 'id="totp-secret').replaceAll(" ", "");
  const url = `otpauth://totp/Tides%20%26%20Moons:owner%40example.com?secret=${secret}&issuer=Tides%20%26%20Moons`;
  expect(link.replaceAll("&#38;", "&").replaceAll("&amp;", "&")).toBe(url);

  const [, sizeOf, ground, ink = ""] = /<svg class="qr" viewBox="0 0 (\d+) .*?d="(.*?)".*?d="(.*?)"/.exec(page) ?? [];
  const size = Number(sizeOf);
  expect(ground).toBe(`M0 0h${size}v${size}H0z`);
  const drawn = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of ink.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    drawn[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  expect(drawn).toEqual(encode(url, { ecc: "M", border: 4 }).data);
});

import { afterEach, expect, test } from "bun:test";
import * as managers from "../../../db/access/managers";
import * as outboxList from "../../../db/mail/list";
import { startWorker } from "../../../test/support/outbox";
import { createManagerLink, createResetLink } from "../../security/sign-in-links";
import { codeAt } from "../../security/totp";
import { fakeProvider } from "../../../test/support/mail";
import { nextPeer, testPassword, testService } from "../../../test/support/service";
import { look, refuse } from "../../../test/support/look";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

const chrome = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36";

/** Two managers, and browsers that keep their cookies. */
async function site(env: Record<string, string> = {}) {
  const service = await testService(env);
  const { db, send, signIn } = service;
  const owner = await signIn();
  await signIn({ email: "bob@example.com", role: "manager" });
  const mails = async () =>
    (await outboxList.list(db, {}, { page: 1, per: 50 })).rows.map(({ kind, recipient }) => `${kind} ${recipient}`);
  const browser = (userAgent = chrome) => {
    const jar = new Map<string, string>();
    const submit = async (path: string, fields: Record<string, string>) => {
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      const headers = { "sec-fetch-site": "same-origin", "user-agent": userAgent, cookie };
      const answer = await send(path, { method: "POST", body: new URLSearchParams(fields), headers }, nextPeer());
      for (const line of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      return answer;
    };
    const enter = (email: string, password = testPassword) => submit("/dashboard/sign-in", { email, password });
    const follow = (url = "", fields: Record<string, string> = {}) => {
      const { pathname, searchParams } = new URL(url);
      return submit(pathname, {
        token: searchParams.get("token") ?? "",
        password: "a different violet otter",
        ...fields,
      });
    };
    return { enter, follow, jar, submit };
  };
  return { ...service, browser, mails, owner };
}

test("a manager's first sign-in from a browser sends an email, later ones do not", async () => {
  const { browser, mails } = await site();
  const here = browser();
  expect((await here.enter("owner@example.com", "wrong password")).status).toBe(422);
  expect(await mails()).toEqual([]);
  expect((await here.enter("OWNER@example.com")).status).toBe(303);
  expect(await mails()).toEqual(["sign-in owner@example.com"]);
  expect((await here.enter("owner@example.com")).status).toBe(303);
  expect(await mails()).toHaveLength(1);
  expect((await browser().enter("owner@example.com")).status).toBe(303);
  expect(await mails()).toHaveLength(2);
});

test("a browser is recognised for each account separately, for the last four of them", async () => {
  const { browser, mails, signIn } = await site();
  const people = ["owner", "bob", "carol", "dan", "eve"].map((name) => `${name}@example.com`);
  for (const email of people.slice(2)) await signIn({ email, role: "manager" });
  const here = browser();
  for (const email of people.slice(0, 2)) await here.enter(email);
  for (const email of people.slice(0, 2)) await here.enter(email);
  expect(await mails()).toEqual(["sign-in bob@example.com", "sign-in owner@example.com"]);
  for (const email of people.slice(2)) await here.enter(email);
  expect(here.jar.get("__Host-postroom-device")?.split("~")).toHaveLength(4);
  expect(here.jar.get("__Host-postroom-device")?.length).toBeLessThan(400);
  await here.enter("bob@example.com");
  await here.enter("owner@example.com"); // the fifth ago
  expect((await mails()).length).toBe(6);
});

test("a made-up proof makes no browser known", async () => {
  const { browser, mails } = await site();
  const [mine, theirs] = [browser(), browser()];
  await mine.enter("owner@example.com");
  const proof = mine.jar.get("__Host-postroom-device") ?? "";
  const forged = [
    proof.replace(/^./, (first) => (first === "A" ? "B" : "A")),
    `${proof}x`,
    "x".repeat(3_000),
    "~~~~~",
    ".",
  ];
  for (const value of forged) {
    theirs.jar.set("__Host-postroom-device", value);
    await theirs.enter("owner@example.com");
  }
  theirs.jar.set("__Host-postroom-device", proof);
  await theirs.enter("bob@example.com"); // the link belongs to another account
  expect(await mails()).toHaveLength(1 + forged.length + 1);
});

test("the password alone sends nothing if a code is required; the code does", async () => {
  const { browser, clock, mails, owner } = await site();
  const page = await (await owner.get("/dashboard/account/second-step")).text();
  const valueOf = (text: string, mark: string) => new RegExp(`${mark}"[^>]*value="([^"]*)"`).exec(text)?.[1] ?? "";
  const secret = valueOf(page, 'id="totp-secret').replaceAll(" ", "");
  const code = () => codeAt(secret, Math.floor(clock.time / 30_000));
  await owner.submit("/dashboard/account/second-step", { draft: valueOf(page, 'name="draft'), code: code() });
  clock.time += 30_000;
  const here = browser();
  const asked = await here.enter("owner@example.com");
  expect([asked.status, await mails()]).toEqual([200, []]);
  const step = valueOf(await asked.text(), 'name="step');
  expect((await here.submit("/dashboard/sign-in/code", { step, code: code() })).status).toBe(303);
  expect(await mails()).toEqual(["sign-in owner@example.com"]);
});

test("a reset link reports a new device; creating an account and changing the password do not", async () => {
  const { browser, config, db, mails, now, owner } = await site();
  const joined = await browser().follow((await createManagerLink({ config, db }, "new@example.com", now()))?.url, {
    name: "New",
  });
  await owner.submit("/dashboard/account/password", { current: testPassword, password: "third violet otter" });
  expect([joined.status, await mails()]).toEqual([303, []]);
  const reset = await createResetLink({ config, db }, "owner@example.com", now());
  expect((await browser().follow(reset?.url)).status).toBe(303);
  expect(await mails()).toEqual(["sign-in owner@example.com"]);
});

test("the email and the session are one transaction: if the email cannot be stored, no one is signed in", async () => {
  const { browser, db } = await site();
  const sessions = async () => (await look<{ n: number }>(db, "select count(*) n from sessions"))[0]?.n;
  const before = await sessions();
  await refuse(db, "insert", "outbox");
  const answer = await browser().enter("owner@example.com");
  expect([answer.status, answer.headers.getSetCookie(), await sessions()]).toEqual([500, [], before]);
});

test.each([
  [chrome, "Chrome on macOS"],
  ["<script>alert(1)</script> Firefox/1", "Firefox"],
  ["https://evil.example/click-here", "A browser"],
  [`${"x".repeat(5_000)}`, "A browser"],
])("the email says when, and from which device in words of ours: %#", async (userAgent, device) => {
  const provider = await fakeProvider();
  afterwards.push(provider.stop);
  const { browser, config, db, log, now, owner } = await site(provider.env);
  await managers.setPreferences(
    db,
    { manager: owner.manager, chosen: { timeZone: "Europe/Stockholm" } },
    { actor: "test" },
    now(),
  );
  const worker = startWorker({ config, db, log, now }, { everyMs: 1e9, graceMs: 50 });
  afterwards.push(worker.close);
  const here = browser(userAgent);
  await here.enter("owner@example.com");
  await worker.drain();
  const [mail] = provider.delivered();
  expect(mail).toMatchObject({ to: ["owner@example.com"], subject: "New sign-in to localhost:3000", headers: {} });
  for (const text of [mail?.html ?? "", mail?.text ?? ""]) {
    expect(text).toContain("21 November 2026 at 13:00 Europe/Stockholm");
    expect(text).toContain(device);
    expect(text).toContain("http://localhost:3000/dashboard/account");
    for (const secret of [...here.jar.values(), testPassword, "evil.example", "<script", "xxxxx", "token="])
      expect(text).not.toContain(secret);
  }
  expect(JSON.stringify(await look(db, "select * from outbox")).length).toBeLessThan(1_000);
});

test("a manager who has been removed in the meantime gets no email", async () => {
  const provider = await fakeProvider();
  afterwards.push(provider.stop);
  const { browser, config, db, log, now, owner } = await site(provider.env);
  await browser().enter("bob@example.com");
  const bob = await managers.byEmail(db, "bob@example.com");
  await owner.submit(`/dashboard/managers/${bob?.id}/remove`);
  const worker = startWorker({ config, db, log, now }, { everyMs: 1e9, graceMs: 50 });
  afterwards.push(worker.close);
  await worker.drain();
  expect(provider.attempts).toEqual([]);
  expect((await outboxList.list(db, {}, { page: 1, per: 5 })).rows).toMatchObject([
    { kind: "sign-in", state: "cancelled" },
  ]);
});

test("the email can be read and sent again like any other, but not cancelled by an intruder", async () => {
  const { browser, db, owner } = await site();
  await browser().enter("owner@example.com");
  const { id = "" } = (await look<{ id: string }>(db, "select id from outbox"))[0] ?? {};
  const page = await (await owner.get(`/dashboard/outbox/${id}`)).text();
  expect(page).toContain("New sign-in to localhost:3000");
  expect(page).not.toContain(`/dashboard/outbox/${id}/cancel`);
  expect(await (await owner.get("/dashboard/outbox?kind=sign-in")).text()).toContain(id);
  const state = async () => (await look<{ state: string }>(db, "select state from outbox"))[0]?.state;
  await owner.submit(`/dashboard/outbox/${id}/cancel`);
  await owner.submit("/dashboard/outbox/bulk", { do: "cancel", ids: [id], confirmed: "yes" });
  expect(await state()).toBe("queued");
  await look(db, "update outbox set state = 'dead'");
  await owner.submit(`/dashboard/outbox/${id}/retry`);
  expect(await state()).toBe("queued");
});

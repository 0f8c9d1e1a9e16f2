import { expect, test } from "bun:test";
import { importAll } from "../../../db/newsletter/import";
import { counts } from "../../../db/newsletter/list";
import * as subscribers from "../../../db/newsletter/subscribers";
import { add, liftOne, ofAddress, suppress, type SuppressionReason } from "../../../db/suppressions/suppressions";
import { recordReport } from "../../../db/provider-reports";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { exportSuppressions, importSuppressions } from "../../content/csv/suppressions";

const path = "/dashboard/suppressions";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
const cli = { via: "cli" as const, actor: "cli" };

async function withSuppressed(
  reason: SuppressionReason = "bounce",
  email = "ada@example.com",
  env: Record<string, string> = {},
) {
  const service = await testService(env);
  const detail = "550 5.1.1 No such user";
  await service.db.write((orm) => suppress(orm, { email, reason, detail }, { via: "provider" }, service.now()));
  const isSuppressed = async (address = email) =>
    Boolean((await subscribers.byEmail(service.db, address))?.suppressedAt);
  const mails = () => look(service.db, "select kind, recipient from outbox");
  return { ...service, isSuppressed, mails };
}

test("whatever way an address is added, its suppression is known, and it gets no welcome email", async () => {
  const imported = { name: null, source: null, state: "active" as const, createdAt: new Date(0) };
  const ways = {
    form: (s: Awaited<ReturnType<typeof withSuppressed>>) =>
      s.post("/api/newsletter/subscribe", { email: "Ada@Example.com" }),
    manager: async (s: Awaited<ReturnType<typeof withSuppressed>>) =>
      (await s.signIn()).submit("/dashboard/newsletter", { email: "ada@example.com", welcome: "yes" }),
    import: (s: Awaited<ReturnType<typeof withSuppressed>>) =>
      importAll(
        s.db,
        [{ ...imported, email: "ada@example.com" }],
        { revive: false, origin: { via: "import" } },
        s.now(),
      ),
  };
  for (const add of Object.values(ways)) {
    const service = await withSuppressed();
    await add(service);
    expect([await service.isSuppressed(), await service.mails()]).toEqual([true, []]);
    expect(await counts(service.db)).toMatchObject({ active: 0, suppressed: 1 });
    const mailable = "select sum(count) n from subscriber_counts where state = 'mailable'";
    expect(Number((await look<{ n: number }>(service.db, mailable))[0]?.n)).toBe(0);
  }
});

test("a suppressed address that a manager adds is added as suppressed, and the manager is told", async () => {
  const { db, isSuppressed, signIn } = await withSuppressed();
  const manager = await signIn();
  const added = await manager.submit("/dashboard/newsletter", { email: "ada@example.com" });
  expect([added.status, added.headers.get("location")]).toEqual([303, "/dashboard/newsletter"]);
  const suppressed = await (await manager.get("/dashboard/newsletter?status=suppressed")).text();
  expect(suppressed).toContain("1 subscriber<");
  expect(suppressed).toContain(
    "added. The address is suppressed, so it gets no email until the suppression is lifted.",
  );
  expect([await isSuppressed(), (await ofAddress(db, "ada@example.com"))?.reason]).toEqual([true, "bounce"]);
});

test("the response to a suppressed address is the usual one", async () => {
  const { post } = await withSuppressed();
  const [known, unknown] = [
    await post("/api/newsletter/subscribe", { email: "ada@example.com" }),
    await post("/api/newsletter/subscribe", { email: "bo@example.com" }),
  ];
  expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
});

test("a suppression outlives the subscriber, and APP_SECRET", async () => {
  const { db, post, isSuppressed } = await withSuppressed();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  await look(db, "delete from subscribers");
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  expect(await isSuppressed()).toBe(true);
  const [row] = await look<{ hash: string }>(db, "select hash from suppressions");
  expect(row?.hash).toMatch(/^[\da-f]{64}$/);
  expect(await look(db, "select name from installation")).toEqual([{ name: "addressKey" }]);
});

test("the form lifts an erasure and a bounce of half a year ago, nothing else", async () => {
  const day = 86_400_000;
  const lifted = async (reason: SuppressionReason, days: number) => {
    const { post, clock, isSuppressed } = await withSuppressed(reason);
    clock.time += days * day;
    await post("/api/newsletter/subscribe", { email: "ada@example.com" });
    return !(await isSuppressed());
  };
  expect(await lifted("erased", 0)).toBe(true);
  expect(await lifted("bounce", 179)).toBe(false);
  expect(await lifted("bounce", 180)).toBe(true);
  for (const reason of ["complaint", "manual", "provider", "import"] as const)
    expect(await lifted(reason, 400)).toBe(false);
});

test("the link in one's own email lifts a complaint, but not a bounce", async () => {
  for (const [reason, isLifted] of [
    ["complaint", true],
    ["manual", true],
    ["bounce", false],
    ["provider", false],
  ] as const) {
    const { db, post, isSuppressed, now } = await withSuppressed(reason);
    await post("/api/newsletter/subscribe", { email: "ada@example.com" });
    await subscribers.unsubscribe(db, "ada@example.com", { via: "page" }, now());
    await subscribers.subscribeAgain(db, "ada@example.com", { via: "page" }, now());
    expect(await isSuppressed()).toBe(!isLifted);
  }
});

test("what was reported is not replaced by what was decided", async () => {
  const { db, now } = await withSuppressed("bounce");
  expect(await add(db, { email: "ada@example.com", detail: "by hand" }, cli, now())).toBe(false);
  expect((await ofAddress(db, "ada@example.com"))?.reason).toBe("bounce");
  expect(await liftOne(db, { email: "ada@example.com", why: "It works again" }, cli, now())).toBe("lifted");
  expect(await ofAddress(db, "ada@example.com")).toBeUndefined();
  expect(await add(db, { email: "ada@example.com", detail: "by hand" }, cli, now())).toBe(true);
  expect((await ofAddress(db, "ada@example.com"))?.reason).toBe("manual");
});

test("a manager finds, adds, and lifts with a note that is kept", async () => {
  const { signIn, post, db, isSuppressed } = await withSuppressed();
  const manager = await signIn();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const page = await (await manager.get(`${path}?q=ADA&reason=bounce`)).text();
  expect(page).toContain("550 5.1.1 No such user");
  expect(await (await manager.get(`${path}?q=bo`)).text()).toContain("No matching suppressions");
  expect(await (await manager.get("/dashboard/newsletter?status=suppressed")).text()).toContain("Suppressed");

  const bad = await manager.submit(path, { email: "nobody" }, htmx);
  expect(bad.status).toBe(422);
  await manager.submit(path, { email: "bo@example.com", detail: "Asked by phone" }, htmx);
  expect(await (await manager.get(path)).text()).toContain("Asked by phone");

  const [{ hash } = { hash: "" }] = await look<{ hash: string }>(
    db,
    "select hash from suppressions where reason = 'bounce'",
  );
  const asked = await (await manager.submit(`${path}/bulk`, { do: "lift", ids: hash, confirmed: "yes" }, htmx)).text();
  expect(asked).toContain('name="note"');
  expect(await isSuppressed()).toBe(true);
  const fields = { do: "lift", ids: hash, confirmed: "yes", asked: "1", note: "Mailbox repaired" };
  expect(await (await manager.submit(`${path}/bulk`, fields, htmx)).text()).toContain(
    "Suppression of ada@example.com lifted",
  );
  expect(await isSuppressed()).toBe(false);
  expect(await look(db, "select note, lifted_by from suppressions where lifted_at is not null")).toEqual([
    { note: "Mailbox repaired", lifted_by: manager.manager.email },
  ]);
  expect(
    await look(db, "select kind, note from subscriber_events where kind in ('suppressed', 'lifted') order by kind"),
  ).toEqual([
    { kind: "lifted", note: "Mailbox repaired" },
    { kind: "suppressed", note: "bounce: 550 5.1.1 No such user" },
  ]);
  expect(
    await look(db, "select action, target from audit_events where action like 'suppression%' order by action"),
  ).toEqual([
    { action: "suppression.add", target: "bo@example.com" },
    { action: "suppression.lift", target: "ada@example.com" },
  ]);
});

test("a file that was exported can be imported elsewhere; another system's reason is kept as the detail", async () => {
  const { db, now } = await withSuppressed();
  const texts: string[] = [];
  for await (const text of exportSuppressions(db)) texts.push(text);
  const other = await testService();
  const file = `${texts.join("")}bo@example.com,hard_fail,,\r\nnobody,,,\r\n`;
  const problems: string[] = [];
  const imported = await importSuppressions(
    other.db,
    {
      open: () => new Blob([file]).stream(),
      refuse: (line, message) => {
        problems.push(`${line} ${message}`);
        return undefined;
      },
    },
    cli,
    now(),
  );
  expect([imported, problems]).toEqual([
    { added: 2, already: 0, invalid: 1 },
    ["4 email must be a valid email address"],
  ]);
  expect(await look(other.db, "select email, reason, detail from suppressions order by email")).toEqual([
    { email: "ada@example.com", reason: "bounce", detail: "550 5.1.1 No such user" },
    { email: "bo@example.com", reason: "import", detail: "hard_fail" },
  ]);
});

/** Resend's list of suppressions, which responds with this status. */
function resendList(status: number) {
  const asked: unknown[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      asked.push([request.method, new URL(request.url).pathname, await request.json()]);
      return Response.json({}, { status });
    },
  });
  return { asked, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

test("the page of a person says first why they are suppressed, and lifts it there", async () => {
  const { signIn, post, isSuppressed } = await withSuppressed();
  await post("/api/newsletter/subscribe", { email: "ada@example.com", name: "Ada" });
  const manager = await signIn();
  const list = await (await manager.get("/dashboard/newsletter")).text();
  const [, own = ""] = /href="(\/dashboard\/newsletter\/[\w-]{36})"/.exec(list) ?? [];
  const shown = async () => (await (await manager.get(own)).text()).replace(/<script[^]*?<\/script>/g, "");
  const page = await shown();
  const text = page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  expect(text).toContain("no newsletter email goes to this address. Bounced : 550 5.1.1 No such user ( just now )");
  expect(page.indexOf('id="suppression"')).toBeLessThan(page.indexOf('id="tags-title"'));
  const [, hash = ""] = /name="ids" value="([^"]+)"/.exec(page) ?? [];
  const there = { ...htmx, "hx-current-url": `http://localhost:3000${own}` };
  const asked = await (await manager.submit(`${path}/bulk`, { do: "lift", ids: hash }, there)).text();
  expect(asked).toContain('name="note"');
  const fields = { do: "lift", ids: hash, confirmed: "yes", asked: "1", note: "Mailbox repaired" };
  const lifted = await manager.submit(`${path}/bulk`, fields, there);
  expect([lifted.headers.get("hx-redirect"), await isSuppressed()]).toEqual([own, false]);
  const after = await shown();
  expect(after).toContain("Suppression of ada@example.com lifted");
  expect(after).not.toContain('id="suppression"');
});

test("without a script, too, Cancel and lifting lead back to the page of the person, and to no other page", async () => {
  const { signIn, post, isSuppressed, db } = await withSuppressed();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const manager = await signIn();
  const own = `/dashboard/newsletter/${(await subscribers.byEmail(db, "ada@example.com"))?.id}`;
  const [{ hash } = { hash: "" }] = await look<{ hash: string }>(db, "select hash from suppressions");
  const on = (page: string) => ({ referer: `http://localhost:3000${page}` });
  const asked = await (await manager.submit(`${path}/bulk`, { do: "lift", ids: hash }, on(own))).text();
  const answer = { do: "lift", ids: hash, confirmed: "yes", asked: "1" };
  const askedAgain = await (await manager.submit(`${path}/bulk`, { ...answer, back: own }, on(`${path}/bulk`))).text();
  for (const question of [asked, askedAgain]) {
    expect(question).toContain(`class="btn" href="${own}"`);
    expect(question).toContain(`name="back" value="${own}"`);
  }
  const lift = async (back: string) => {
    const fields = { ...answer, note: "Mailbox repaired", back };
    return (await manager.submit(`${path}/bulk`, fields, on(`${path}/bulk`))).headers.get("location");
  };
  expect([await lift(own), await isSuppressed()]).toEqual([own, false]);
  expect(await (await manager.get(own)).text()).toContain("Suppression of ada@example.com lifted");
  for (const back of ["https://evil.example", "//evil.example", `https://evil.example${own}`, `${own}/delete`, ""])
    expect(await lift(back)).toBe(path);
});

test("lifting also removes the address from Resend's list, or says what to do there", async () => {
  const removal = ["POST", "/suppressions/batch/remove", { emails: ["ada@example.com"] }];
  for (const [status, words] of [
    [200, undefined],
    [404, undefined],
    [401, "this API key is only allowed to send"],
    [500, "it could not be asked"],
  ] as const) {
    const list = resendList(status);
    const env = { MAILER_API_KEY: "re_test_key_0123456789", RESEND_BASE_URL: list.url };
    const { db, signIn } = await withSuppressed("bounce", "ada@example.com", env);
    const manager = await signIn();
    const [{ hash } = { hash: "" }] = await look<{ hash: string }>(db, "select hash from suppressions");
    const fields = { do: "lift", ids: hash, confirmed: "yes", asked: "1", note: "Mailbox repaired" };
    const shown = await (await manager.submit(`${path}/bulk`, fields, htmx)).text();
    expect([status, list.asked, shown.includes("Resend may still refuse")]).toEqual([
      status,
      [removal],
      words !== undefined,
    ]);
    if (words) expect(shown).toContain(words);
    expect(await ofAddress(db, "ada@example.com")).toBeUndefined();
    await list.stop();
  }
});

test("that Resend removed an address from its list is shown, and lifts nothing", async () => {
  const { db, now, signIn, clock } = await withSuppressed();
  const report = { id: "msg_1", type: "suppression.removed", kind: "kept" as const, email: "ada@example.com" };
  await recordReport(db, { ...report, id: "msg_0", at: new Date(0) }, now()); // before it was suppressed
  const manager = await signIn();
  const hint = "The provider removed it from its own list";
  expect(await (await manager.get(path)).text()).not.toContain(hint);
  clock.time += 60_000;
  await recordReport(db, { ...report, at: now() }, now());
  expect(await (await manager.get(path)).text()).toContain(hint);
  expect((await ofAddress(db, "ada@example.com"))?.reason).toBe("bounce");
});

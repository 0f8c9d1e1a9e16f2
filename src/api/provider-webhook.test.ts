import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import * as subscribers from "../../db/newsletter/subscribers";
import { ofAddress } from "../../db/suppressions/suppressions";
import { broadcastStage } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { nextPeer, testService } from "../../test/support/service";
import { recordReport } from "../../db/provider-reports";
import { reportOf } from "../mail/resend-events";
import { newSecret } from "../platform/webhook-signature";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const path = "/api/webhooks/resend";
const [secret, former] = [newSecret(), newSecret()];
const from = "Site <site@example.com>";
const env = { MAILER_WEBHOOK_SECRET: secret, MAIL_FROM: from };

type Data = Record<string, unknown>;
const bounce = { type: "Permanent", subType: "General", message: "550 5.1.1 No such user" };
const event = (type: string, data: Data = {}) => ({
  type,
  created_at: "2026-11-21T11:59:00Z",
  data: { from, to: ["ada@example.com"], ...data },
});

async function receiver(more: Record<string, string> = {}) {
  const service = await testService({ ...env, ...more });
  await service.post("/api/newsletter/subscribe", { email: "ada@example.com" });
  /** Signed by the reference implementation, with the headers of Svix. */
  const headersOf = (id: string, body: string, { by = secret, at = service.now() } = {}) => ({
    "svix-id": id,
    "svix-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "svix-signature": new Webhook(by).sign(id, at, body),
  });
  const report = (id: string, content: object, how: { by?: string; at?: Date } = {}) => {
    const body = JSON.stringify(content);
    return service.post(path, body, headersOf(id, body, how));
  };
  const reason = async (email = "ada@example.com") => (await ofAddress(service.db, email))?.reason;
  const kept = async () =>
    Number((await look<{ n: number }>(service.db, "select count(*) n from provider_events"))[0]?.n);
  return { ...service, headersOf, report, reason, kept };
}

test("a signed report with made-up tags suppresses no one we never wrote to", async () => {
  const { report, reason, kept, db } = await receiver();
  const broadcast = { postroom_b: "0197a000-0000-7000-8000-000000000000", postroom_r: "1" };
  const [welcome] = await look<{ id: string }>(db, "select id from outbox where kind = 'welcome'");
  const made = [broadcast, { postroom_m: "0197a000-0000-7000-8000-000000000001" }, { postroom_m: welcome?.id ?? "" }];
  for (const [i, tags] of made.entries())
    for (const sender of [from, "Other <other@x.example>"]) {
      const about = { from: sender, to: ["stranger@x.example"], tags, bounce };
      expect((await report(`msg_${i} ${sender.length}`, event("email.bounced", about))).status).toBe(200);
      expect((await report(`msg_c${i} ${sender.length}`, event("email.complained", about))).status).toBe(200);
    }
  expect([await reason("stranger@x.example"), await kept()]).toEqual([undefined, 0]);
  const own = event("email.bounced", { tags: { postroom_m: welcome?.id ?? "" }, bounce });
  expect((await report("msg_own", own)).status).toBe(200);
  expect(await reason()).toBe("bounce");
});

test("a signed report that cannot be read is taken, because repeating it would not help", async () => {
  const { post, headersOf, reason, kept } = await receiver();
  const date = (created_at: unknown) => ({ ...event("email.bounced", { bounce, created_at }), created_at });
  const odd = [
    ...["", "{", "null", "[]", "0", '"x"', "{}", '{"type":1}', '{"type":"email.bounced"}', "\u0000", "\ufeff{}"],
    ...[
      "[".repeat(20_000),
      `{"type":"email.bounced","data":${"[".repeat(5_000)}`,
      '{"type":"email.bounced","data":[]}',
    ],
    ...[{ to: {} }, { to: ["a@b", "c@d"] }, { to: [1] }, { to: ["x".repeat(9_000)] }].map((data) =>
      JSON.stringify(event("email.bounced", data)),
    ),
    ...["+275760-09-13T00:00:00Z", "-271821-04-20T00:00:00Z", "x", 1e300, {}, null].map((at) =>
      JSON.stringify({ ...date(at), data: { ...date(at).data, to: ["b\u0000@x.example"] } }),
    ),
    JSON.stringify(event("email.bounced", { to: ["eve@x.example"], tags: { postroom_b: "\u0000", postroom_r: "1" } })),
    JSON.stringify(event("email.bounced", { to: ["eve@x.example"], tags: { postroom_m: "\ud800\u0000" } })),
    JSON.stringify(
      event("email.bounced", { to: ["eve@x.example"], tags: { postroom_b: "b", postroom_r: "9".repeat(15) } }),
    ),
  ];
  for (const [i, body] of odd.entries()) {
    const response = await post(path, body, headersOf(`msg_${i}`, body));
    expect([body.slice(0, 80), response.status]).toEqual([body.slice(0, 80), 200]);
    expect(await response.json()).toMatchObject({ data: { id: `msg_${i}`, message: "The report was received." } });
  }
  expect([await reason(), await reason("eve@x.example"), await kept()]).toEqual([undefined, undefined, 0]);
});

test("a signed report that is not UTF-8 is taken, too, and nothing of it is stored", async () => {
  const { send, now, reason, kept } = await receiver();
  const [start = "", end = ""] = JSON.stringify(event("email.bounced", { bounce: { message: "|" } })).split("|");
  const bytes = Buffer.concat([Buffer.from(start), Buffer.from([0xff, 0xc3]), Buffer.from(end)]);
  const timestamp = String(Math.floor(now().getTime() / 1_000));
  const post = (id: string, key: string) => {
    const hash = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"));
    const signature = hash.update(`${id}.${timestamp}.`).update(bytes).digest("base64");
    const signed = { "svix-id": id, "svix-timestamp": timestamp, "svix-signature": `v1,${signature}` };
    return send(path, { method: "POST", body: bytes, headers: { "content-type": "application/json", ...signed } });
  };
  expect((await post("msg_1", secret)).status).toBe(200);
  expect((await post("msg_2", newSecret())).status).toBe(401);
  expect([await reason(), await kept()]).toEqual([undefined, 0]);
});

describe("who may report", () => {
  test("without MAILER_WEBHOOK_SECRET there is nothing here", async () => {
    const { post } = await testService();
    expect((await post(path, {})).status).toBe(404);
  });

  test("a signed event suppresses an address, and a forged one does not", async () => {
    const { report, reason, post, db } = await receiver();
    const bounced = event("email.bounced", { bounce });
    expect((await post(path, bounced)).status).toBe(401);
    expect((await report("msg_1", bounced, { by: newSecret() })).status).toBe(401);
    expect(await reason()).toBeUndefined();
    expect((await report("msg_1", bounced)).status).toBe(200);
    expect(await reason()).toBe("bounce");
    expect((await subscribers.byEmail(db, "ada@example.com"))?.suppressedAt).toBeDate();
  });

  test("the headers of Standard Webhooks are read too, and both secrets of a rotation", async () => {
    const { post, now, report } = await receiver({ MAILER_WEBHOOK_SECRET: `${secret}, ${former}` });
    const body = JSON.stringify(event("email.sent"));
    const signature = new Webhook(former).sign("msg_1", now(), body);
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(now().getTime() / 1_000) };
    expect((await post(path, body, { ...headers, "webhook-signature": signature })).status).toBe(200);
    expect((await report("msg_2", event("email.sent"), { by: former })).status).toBe(200);
  });

  test("a body of more than 64 KiB is refused before it is read", async () => {
    const { report } = await receiver();
    expect((await report("msg_1", event("email.sent", { subject: "x".repeat(65 * 1024) }))).status).toBe(413);
  });

  test("after 60 bad signatures in a minute a client gets 429, but its valid ones are still accepted", async () => {
    const { post, headersOf, clock } = await receiver();
    const peer = nextPeer();
    const body = JSON.stringify(event("email.sent"));
    for (let i = 0; i < 60; i++) expect((await post(path, body, {}, peer)).status).toBe(401);
    const refused = await post(path, body, {}, peer);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await post(path, body, headersOf("msg_1", body), peer)).status).toBe(200);
    clock.time += 60_000;
    expect((await post(path, body, {}, peer)).status).toBe(401);
  });

  test("not a word of a report is in the log", async () => {
    const { report, post, logged } = await receiver();
    await report("msg_1", event("email.bounced", { bounce, subject: "a-secret-subject" }));
    await post(path, event("email.bounced", { bounce, subject: "a-secret-subject" }));
    const said = JSON.stringify(logged.filter(({ path: at }) => at === path));
    expect(said).not.toMatch(/ada@example|a-secret-subject|5\.1\.1|whsec/);
  });
});

test("of 5,000 forged, stale, replayed and reordered reports none is accepted, and none takes effect twice", async () => {
  const { report, post, headersOf, now, db, kept } = await receiver();
  const content = event("email.complained");
  const body = JSON.stringify(content);
  const good = headersOf("msg_good", body);
  const off = (seconds: number) => new Date(now().getTime() + seconds * 1_000);
  const attacks: ((i: number) => Promise<Response>)[] = [
    (i) => report(`msg_${i}`, content, { by: newSecret() }),
    (i) => report(`msg_${i}`, content, { at: off(-301 - i) }),
    (i) => report(`msg_${i}`, content, { at: off(301 + i) }),
    (i) => post(path, body, { ...good, "svix-id": `msg_${i}` }), // replayed under another id
    (i) => post(path, body.replace("ada@", `p${i}@`), good),
    (i) => post(path, body, { ...good, "svix-timestamp": String(now().getTime() / 1_000 + 1 + (i % 200)) }),
    (i) => post(path, body, { ...good, "svix-signature": `v1,${"A".repeat(i % 60)}=` }),
    () => post(path, body, { ...good, "svix-signature": good["svix-signature"].replace("v1,", "v2,") }),
    () => post(path, `${body} `, good),
    () => post(path, "{", {}),
  ];
  for (let i = 0; i < 4_000; i++) expect((await attacks[i % attacks.length]?.(i))?.status).toBe(401);
  expect([await kept(), await ofAddress(db, "ada@example.com")]).toEqual([0, undefined]);

  const signed = [
    ["msg_good", content],
    ["msg_bounced", event("email.bounced", { bounce })],
    ["msg_added", event("suppression.added", { email: "ada@example.com" })],
  ] as const;
  for (let i = 0; i < 1_000; i++) {
    const [id, what] = signed[(i * 7) % signed.length] ?? signed[0];
    expect((await report(id, what)).status).toBe(200);
  }
  expect(await kept()).toBe(3);
  expect(await look(db, "select kind, count(*) n from subscriber_events group by kind order by kind")).toEqual([
    { kind: "subscribed", n: 1 },
    { kind: "suppressed", n: 1 },
  ]);
  expect((await ofAddress(db, "ada@example.com"))?.reason).toBe("bounce"); // whatever order they arrived in
});

describe("what a report does", () => {
  test("each event has its effect; unknown ones and other programs' emails change nothing", async () => {
    const table: [type: string, data: Data, reason: string | undefined][] = [
      ["email.bounced", { bounce }, "bounce"],
      ["email.bounced", { bounce: { ...bounce, type: "Transient" } }, undefined],
      ["email.bounced", { bounce: { ...bounce, type: "Undetermined" } }, undefined],
      ["email.complained", {}, "complaint"],
      ["email.suppressed", {}, "provider"],
      ["suppression.added", { to: undefined, from: undefined, email: "ada@example.com" }, "provider"],
      ["suppression.removed", { to: undefined, from: undefined, email: "ada@example.com" }, undefined],
      ["email.failed", { failed: { reason: "x" } }, undefined],
      ["email.delivered", {}, undefined],
      ["email.delivery_delayed", {}, undefined],
      ["email.opened", {}, undefined],
      ["toString", {}, undefined],
      ["email.complained", { from: "Other <other@example.com>" }, undefined],
      ["email.complained", { to: ["ada@example.com", "bo@example.com"] }, undefined],
      ["email.complained", { to: [] }, undefined],
    ];
    for (const [type, data, reason] of table) {
      const service = await receiver();
      expect([type, (await service.report("msg_1", event(type, data))).status]).toEqual([type, 200]);
      expect([type, await service.reason()]).toEqual([type, reason as never]);
    }
  });

  test("unreadable bodies with a valid signature are accepted and do nothing", async () => {
    const { post, headersOf, kept } = await receiver();
    for (const body of [
      "null",
      "[]",
      "not json",
      '{"type":5}',
      '{"type":"email.bounced"}',
      '{"type":"email.bounced","data":[]}',
    ])
      expect((await post(path, body, headersOf(`msg_${body.length}`, body))).status).toBe(200);
    expect(await kept()).toBe(0);
  });

  test("only we lift a suppression, and an email in the outbox shows its report", async () => {
    const { report, db, reason } = await receiver();
    const [mail] = await look<{ id: string }>(db, "select id from outbox");
    const tags = { postroom_m: mail?.id };
    await report("msg_1", event("email.bounced", { bounce, tags, from: "elsewhere@example.com" }));
    await report("msg_2", event("suppression.removed", { email: "ada@example.com" }));
    expect(await reason()).toBe("bounce");
    expect(await look(db, "select last_error from outbox")).toEqual([{ last_error: `Bounced: ${bounce.message}` }]);
  });
});

describe("broadcasts", () => {
  async function sent(people: number) {
    const stage = await broadcastStage({ people });
    const { db, now } = stage;
    const id = await stage.confirmed();
    await stage.sender().drain();
    await look(db, "update broadcast_batches set state = 'accepted'");
    await look(db, "update broadcast_recipients set state = 1, accepted_at = ?", [now().getTime()]);
    const rows = (await look<{ row: number }>(db, 'select "row" from broadcast_recipients order by "row"')).map(
      ({ row }) => row,
    );
    let reports = 0;
    const report = (row: number | undefined, type: string, data: Data = {}, at = now()) => {
      const email = `p${row}@example.com`;
      const tags = [
        { name: "postroom_b", value: id },
        { name: "postroom_r", value: String(row) },
      ];
      const read = reportOf(`msg_${++reports}`, event(type, { to: [email], tags, ...data }), "", at);
      if (!read) throw new Error("Not a report");
      return recordReport(db, read, at);
    };
    return { ...stage, id, rows, report };
  }

  test("count what is reported, in any order, each once", async () => {
    const { rows, report, broadcast, id, db } = await sent(4);
    for (let i = 0; i < 3; i++) {
      await report(rows[0], "email.complained");
      await report(rows[0], "email.delivered");
      await report(rows[1], "email.bounced", { bounce });
      await report(rows[2], "email.bounced", { bounce: { ...bounce, type: "Transient" } });
    }
    await report(rows[3], "email.failed", { failed: { reason: "reached_daily_quota" } });
    const { delivered, bounced, softBounced, complained, failed, accepted } = await broadcast(id);
    expect({ delivered, bounced, softBounced, complained, failed, accepted }).toEqual({
      ...{ delivered: 1, bounced: 1, softBounced: 1, complained: 1 },
      ...{ failed: 1, accepted: 3 },
    });
    const deliveries = await look(db, "select id from provider_events where type = 'email.delivered'");
    expect(deliveries).toEqual([]); // they are recorded on their recipients alone
  });

  test("an email that the provider suppressed was refused: it is not left without a report for ever", async () => {
    const { rows, report, broadcast, id, db } = await sent(2);
    for (let i = 0; i < 2; i++) await report(rows[0], "email.suppressed");
    expect(await broadcast(id)).toMatchObject({ accepted: 1, failed: 1 });
    expect((await ofAddress(db, `p${rows[0]}@example.com`))?.reason).toBe("provider");
  });

  for (const state of ["open", "uncertain"] as const)
    test(`a report about one recipient of an ${state} batch proves that all were accepted`, async () => {
      const { db, now, rows, report, recipients } = await sent(5);
      await look(db, "update broadcast_batches set state = ?, first_attempt_at = ?", [state, now().getTime()]);
      await look(db, "update broadcast_recipients set state = ?, accepted_at = null", [state === "open" ? 0 : 3]);
      await report(rows[2], "email.delivered");
      expect(await recipients()).toEqual({ accepted: 5 });
      expect(await look(db, "select state, frozen from broadcast_batches")).toEqual([
        { state: "accepted", frozen: null },
      ]);
    });

  test("a report about an email of an earlier request proves nothing about a later one", async () => {
    const { db, now, rows, report, recipients } = await sent(5);
    await look(db, "update broadcast_batches set state = 'open', first_attempt_at = ?", [now().getTime()]);
    await look(db, "update broadcast_recipients set state = 0, accepted_at = null");
    await report(rows[2], "email.delivered", { created_at: new Date(now().getTime() - 3_600_000).toISOString() });
    expect(await recipients()).toEqual({ accepted: 1, claimed: 4 });
  });

  test("three soft bounces in a row over two weeks suppress the address, fewer or sooner do not", async () => {
    const { db, clock, now, confirmed, sender, report, id, rows } = await sent(1);
    const soft = { bounce: { ...bounce, type: "Transient" } };
    await report(rows[0], "email.bounced", soft);
    for (const days of [6, 9]) {
      expect(await ofAddress(db, "p1@example.com")).toBeUndefined();
      clock.time += days * 86_400_000;
      const next = await confirmed();
      await sender().drain();
      await look(db, "update broadcast_recipients set state = 1, accepted_at = ? where accepted_at > ?", [
        now().getTime(),
        now().getTime() - 1_000,
      ]);
      const [last] = await look<{ row: number }>(db, 'select max("row") "row" from broadcast_recipients');
      const tags = { postroom_b: next, postroom_r: String(last?.row) };
      await report(1, "email.bounced", { ...soft, tags, to: ["p1@example.com"] });
    }
    expect((await ofAddress(db, "p1@example.com"))?.reason).toBe("bounce");
    expect(id).not.toBe("");
  });

  test("three complaints among 200 emails pause the rest", async () => {
    const { db, rows, report, sender, broadcast, id } = await sent(201);
    await look(db, "update broadcasts set state = 'sending', finished_at = null, cursor = 0");
    for (const row of rows.slice(0, 3)) await report(row, "email.complained");
    await sender().drain();
    expect(await broadcast(id)).toMatchObject({ state: "paused", stateReason: "complaints", complained: 3 });
  });
});

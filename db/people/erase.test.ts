import { afterEach, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { other, serviceWithPerson, traces, zebulon } from "../../test/support/broadcasts/people";
import { broadcastStage } from "../../test/support/broadcasts/broadcasts";
import { everything, look, onSqlite } from "../../test/support/look";
import { importAll } from "../newsletter/import";
import { readSegment } from "../newsletter/segments/definition";
import { listSegments, saveSegment } from "../newsletter/segments/saved";
import * as subscribers from "../newsletter/subscribers";
import { addAll } from "../suppressions/suppressions";
import { byId, checked, endWaiting, erasePerson } from "./erasures";

const by = { actor: "owner@example.com", via: "manager" } as const;
const whole = { email: zebulon.email, scope: ["subscription", "messages", "suppression"] as const };
const imported = { ...zebulon, source: null, state: "active" as const, createdAt: new Date(0) };
const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

async function stage() {
  const service = await serviceWithPerson();
  const { db, folder, logFile, now } = service;
  afterwards.push(
    () => folder[Symbol.dispose](),
    () => db.close(),
  );
  const eraseThem = (scope: Parameters<typeof erasePerson>[2]["scope"] = [...whole.scope]) =>
    erasePerson(db, logFile, { email: ` ${zebulon.email.toUpperCase()}`, scope, request: "Asked by phone" }, by, now());
  const found = async () => {
    const text = (await everything(db)).toLowerCase();
    return traces.filter((trace) => text.includes(trace));
  };
  return { ...service, eraseThem, found };
}

test("afterwards nothing is found under the address, and figures and everyone else's data stay", async () => {
  const { clock, db, eraseThem, found, stage: sending, broadcastId, logFile } = await stage();
  clock.time += 10 * 86_400_000;
  expect(await found()).toEqual(traces);
  const before = await sending.broadcast(broadcastId);
  const mine = async () => (await everything(db)).split("bada@example.com").length;
  const [others, events] = [await mine(), await look(db, "select kind, via from subscriber_events order by id")];

  const erasure = await eraseThem();
  expect(erasure.counts).toEqual({
    ...{ subscriptions: 1, events: 3, emails: 1, broadcasts: 1, messages: 2, reports: 1 },
    ...{ webhookCalls: 5, auditEntries: 2 },
  });
  expect(await found()).toEqual([]);
  expect(await mine()).toBe(others);
  expect(await sending.broadcast(broadcastId)).toEqual(before);
  // They counted as lost on the day their address was suppressed, and do not count again
  const lost =
    "select cast(sum(suppressed) as bigint) suppressed, cast(sum(deleted) as bigint) deleted from subscriber_days";
  expect(await look(db, lost)).toEqual([{ suppressed: 1, deleted: 0 }]);
  expect(await look(db, "select kind, via from subscriber_events order by id")).toEqual([
    ...events,
    { kind: "erased", via: "manager" },
  ]);
  const [told] = await look<{ body: string }>(
    db,
    "select body from webhook_deliveries where type = 'subscriber.deleted'",
  );
  expect(Object.keys(JSON.parse(told?.body ?? "").data)).toEqual(["id", "via", "source"]);
  const [entry] = await look<{ target: string }>(db, "select target from audit_events where action = 'person.erase'");
  expect(entry?.target).toBe(`erased person ${erasure.hash.slice(0, 8)}`);
  const line = new RegExp(`^key\t.+\n2026-.+\t${erasure.id}\t${erasure.hash}\tsubscription,messages,suppression\n$`);
  expect(readFileSync(logFile, "utf8")).toMatch(line);
  expect(statSync(logFile).mode & 0o777).toBe(0o600);
});

test("what is written under the address while it is being erased is erased with it", async () => {
  const { db, found, logFile, manager, now, post } = await stage();
  let writes = 0;
  async function comeBack() {
    if (++writes > 30) return;
    await post("/api/newsletter/subscribe", { email: zebulon.email, name: zebulon.name });
    await post("/api/contact", { ...zebulon, message: `${zebulon.message} Number ${writes}.` });
    const id = (await subscribers.byEmail(db, zebulon.email))?.id;
    await manager.submit(`/dashboard/newsletter/${id}/edit`, { name: `${zebulon.name} ${writes}` });
  }
  const write: typeof db.write = (work, how) => comeBack().then(() => db.write(work, how));
  const { counts } = await erasePerson({ ...db, write }, logFile, { ...whole, scope: [...whole.scope] }, by, now());
  expect(writes).toBeGreaterThan(30);
  expect(counts.messages).toBe(2 + 30);
  expect(await found()).toEqual([]);
  expect(await look(db, "select count(*) n from audit_events where action = 'person.erase'")).toEqual([{ n: 1 }]);
});

test("so is an answer by email to someone else's conversation", async () => {
  const { db, found, logFile, now } = await stage();
  const [message] = await look<{ id: string }>(db, `select id from messages where email = '${other.email}' limit 1`);
  let writes = 0;
  const answer = async () =>
    ++writes <= 30 &&
    look(
      db,
      `insert into message_entries (id, message_id, kind, email, email_key, text, created_at)
        values ('${Bun.randomUUIDv7()}', '${message?.id}', 'answer', '${zebulon.email}', '${zebulon.email.toLowerCase()}', 'Yes', 0)`,
    );
  const write: typeof db.write = (work, how) => answer().then(() => db.write(work, how));
  await erasePerson({ ...db, write }, logFile, { ...whole, scope: [...whole.scope] }, by, now());
  expect(await found()).toEqual([]);
  expect(writes).toBeGreaterThan(30);
});

onSqlite("the bytes of the file")(
  "it is not in the bytes of the database either, its log or its search index",
  async () => {
    const { db, eraseThem, file } = await stage();
    await look(db, "insert into subscribers_search (subscribers_search) values ('rebuild')");
    const indexed = () => look(db, "select rowid from subscribers_search where subscribers_search match '\"quu\"'");
    expect(await indexed()).toHaveLength(1);
    await eraseThem();
    expect(await indexed()).toEqual([]);
    await look(db, "insert into subscribers_search (subscribers_search, rank) values ('integrity-check', 1)");
    await db.close(); // truncates the write-ahead log
    afterwards.pop();
    const bytes = readFileSync(file).toString("latin1").toLowerCase();
    expect(traces.filter((trace) => bytes.includes(trace))).toEqual([]);
    expect(bytes).toContain(other.email);
  },
);

test("an erased address is suppressed by its hash: it cannot be imported or added", async () => {
  const { db, eraseThem, found, manager, now, report, tags } = await stage();
  await eraseThem();
  const terms = { revive: true, origin: { via: "import" as const } };
  expect(await importAll(db, [imported], terms, now())).toEqual(["erased"]);
  const form = await manager.submit("/dashboard/newsletter", { email: zebulon.email });
  expect([form.status, await form.text()]).toEqual([422, expect.stringContaining("was erased")]);
  const bounce = { type: "Permanent", subType: "General", message: `550 <${zebulon.email}> unknown` };
  await report("msg_2", "email.bounced", { to: [zebulon.email], tags, bounce });
  await report("msg_3", "suppression.added", { email: zebulon.email });
  expect(await found()).toEqual([]); // what the provider reports afterwards is kept without the address
});

test("whatever list or report names an erased address later, it is suppressed by its hash alone", async () => {
  const { db, eraseThem, found, now, report } = await stage();
  await look(db, "delete from suppressions");
  await eraseThem(["subscription", "messages"]);
  const row = { email: zebulon.email, reason: "import" as const, detail: `From the list of ${zebulon.email}` };
  await addAll(db, { rows: [row], by: { via: "cli" }, now: now() });
  const stored = () => look(db, "select email, detail, reason from suppressions");
  expect([await found(), await stored()]).toEqual([[], [{ email: null, detail: null, reason: "import" }]]);
  await report("msg_7", "suppression.added", { email: zebulon.email });
  expect([await found(), await stored()]).toEqual([[], [{ email: null, detail: null, reason: "provider" }]]);
});

test("the form brings an erased address back", async () => {
  const { db, eraseThem, post } = await stage();
  await look(db, "delete from suppressions");
  await eraseThem();
  await post("/api/newsletter/subscribe", { email: zebulon.email });
  expect(await subscribers.byEmail(db, zebulon.email)).toMatchObject({ state: "active", suppressedAt: null });
});

test("only what is ticked is erased", async () => {
  const { db, eraseThem, now } = await stage();
  expect((await eraseThem(["messages"])).counts).toMatchObject({ subscriptions: 0, emails: 0, messages: 2 });
  expect(await look(db, "select email from messages order by email")).toEqual([
    { email: other.email },
    { email: other.email },
  ]);
  expect(await subscribers.byEmail(db, zebulon.email)).toMatchObject({ email: zebulon.email });
  await look(db, "delete from suppressions");
  expect((await eraseThem(["subscription"])).counts).toMatchObject({ subscriptions: 1, messages: 0 });
  expect(await subscribers.byEmail(db, zebulon.email)).toBeUndefined();
  expect(await importAll(db, [imported], { revive: false, origin: { via: "import" } }, now())).toEqual(["new"]);
});

test("only an email with an unknown outcome keeps the address and the name in it, until the outcome is known", async () => {
  const { clock, db, eraseThem, found, report } = await stage();
  await look(db, "update subscribers set suppressed_at = null");
  const env = { MAILER_API_KEY: "re_test", RESEND_BASE_URL: "http://127.0.0.1:1" }; // nothing listens there
  const sending = await broadcastStage({ db, env });
  sending.clock.time = clock.time;
  const id = await sending.confirmed();
  await sending.sender().drain();
  const [open] = await look<{ frozen: string }>(db, "select frozen from broadcast_batches where state = 'open'");
  expect(open?.frozen).toContain(zebulon.email);

  const erasure = await eraseThem();
  expect(await byId(db, erasure.id)).toMatchObject({ isWaiting: true });
  await checked(db, erasure.id, 1, new Date(clock.time));
  await endWaiting(db);
  expect(await byId(db, erasure.id)).toMatchObject({ isWaiting: true, remnants: 1 });
  expect(await found()).toEqual(["zebulon.quux", "quuxington"]);
  expect(await look(db, "select count(*) n from subscribers where email like 'Z%'")).toEqual([{ n: 0 }]);

  const [row] = await look<{ row: number }>(
    db,
    `select broadcast_recipients."row" from broadcast_recipients join broadcasts on broadcasts."row" = broadcast_row
      where broadcasts.id = ? and subscriber_row is not null`,
    [id],
  );
  const tags = { postroom_b: id, postroom_r: String(row?.row) };
  expect((await report("msg_9", "email.delivered", { to: [other.email], tags })).status).toBe(200); // proves the batch
  expect(await byId(db, erasure.id)).toMatchObject({ isWaiting: false });
  const answer = `550 <${zebulon.email}>`;
  await look(db, "update broadcast_batches set last_error = ? where provider = 'resend'", [answer]);
  await look(
    db,
    `update broadcast_recipients set error = ?
      where subscriber_row is null and broadcast_row = (select "row" from broadcasts where id = ?)`,
    [answer, id],
  );
  await endWaiting(db);
  expect(await found()).toEqual([]);
  expect(await byId(db, erasure.id)).toMatchObject({ remnants: null }); // it was in that email
});

test("a segment that names the address loses it, and can still be read", async () => {
  const { db, now, eraseThem } = await stage();
  const tag = `Friends of ${zebulon.email}`;
  const definition = { v: 2, all: [{ field: "tag", is: "any", of: [tag] }] } as const;
  const segment = readSegment(JSON.stringify(definition)) ?? {};
  await saveSegment(db, { name: tag, definition: segment }, { actor: by.actor }, now());
  await eraseThem();
  const [left] = await listSegments(db);
  expect(JSON.stringify(left).toLowerCase()).not.toContain(zebulon.email.toLowerCase());
  expect(readSegment(left?.definition ?? "")?.all).toHaveLength(1);
});

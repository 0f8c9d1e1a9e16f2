import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import * as audit from "../../db/audit";
import { recordProblem, recordProgress } from "../../db/mailbox/position";
import { openDb } from "../../db/open";
import { openAlerts } from "../../db/ops/alerts";
import { recordBackup } from "../../db/ops/backup-state";
import { recordingFailure } from "../../db/ops/migration-failure";
import * as endpoints from "../../db/webhooks/endpoints";
import { isOnPostgres, look, onSqlite } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { compose } from "../emails/compose";
import { alerts } from "./alerts";
import { startAlerts } from "./schedule";
import { checkAlerts, outside } from "./watch";

type Name = keyof typeof alerts;
type Event = { type: string; timestamp: string; data: { id: string; name: string; subject: string; title: string } };
type Email = { id: string; recipient: string; subject_id: string; payload: string; created_at: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const by = { actor: "ada@example.com" };

/** A service with a blog over https and an endpoint, both of which are well, and what was told since the last question. */
async function stage(file?: string) {
  const env = { BLOG_URL: "https://blog.example.com", BACKUP_URL: "s3://key:secret@s3.example.com/bucket" };
  const service = await testService(
    { ...env, MAILER_API_KEY: "re_test", BOUNCE_MAILBOX: "imaps://ada%40x.example:secret@imap.example.com/INBOX" },
    file,
  );
  const { clock, config, db, deps, now } = service;
  const fields = { name: "Pager", url: "https://example.com/", events: ["alert.raised", "alert.cleared"] };
  await endpoints.add(db, { fields: { ...fields, withPeople: false }, secret: "sealed" }, by, now());
  await recordBackup(db, { since: clock.time });
  const world: { freeShare: number; certificateDays: number | undefined; certificateLifeDays: number } = {
    freeShare: 0.5,
    certificateDays: 60,
    certificateLifeDays: 90,
  };
  const doubles = {
    diskSpace: async () => ({ free: world.freeShare * 1e11, total: 1e11 }),
    certificateValidity: async () => {
      if (world.certificateDays === undefined) return undefined;
      const end = clock.time + world.certificateDays * dayMs;
      return { start: new Date(end - world.certificateLifeDays * dayMs), end: new Date(end) };
    },
  };
  const check = () => checkAlerts(deps, doubles);
  return {
    ...service,
    world,
    check,
    /** Checks when so much time has passed. */
    async pass(milliseconds = minuteMs) {
      clock.time += milliseconds;
      await check();
    },
    /** What endpoints were told, and takes it from the queue. */
    events: async (): Promise<Event[]> => {
      const rows = await look<{ body: string }>(db, "select body from webhook_deliveries order by id");
      await look(db, "delete from webhook_deliveries");
      return rows.map(({ body }) => JSON.parse(body));
    },
    /** The emails about alerts as the owner gets them; none of them waits afterwards. */
    async emails() {
      const rows = await look<Email>(db, "select * from outbox where kind = 'notice' and state = 'queued' order by id");
      await look(db, "update outbox set state = 'sent' where kind = 'notice' and state = 'queued'");
      return Promise.all(
        rows.map(async (row) => {
          const payload = JSON.parse(row.payload);
          const mail = { ...row, kind: "notice", payload, subjectId: row.subject_id, createdAt: now() };
          return await compose({ config, db }, mail as never);
        }),
      );
    },
  };
}
type Stage = Awaited<ReturnType<typeof stage>>;

/** The text of the overview. */
const shownBy = async (manager: Awaited<ReturnType<Stage["signIn"]>>): Promise<string> =>
  (await (await manager.get("/dashboard")).text()).replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

const outboxRow = ({ db, clock }: Stage, state: "dead" | "queued", ageMs: number) =>
  look(
    db,
    `insert into outbox (id, kind, recipient, recipient_key, payload, state, next_attempt_at, created_at)
     values ('late', 'test', 'ada@example.com', 'ada@example.com', '{}', '${state}', ?, ?)`,
    [clock.time, clock.time - ageMs],
  );
const sendIt = ({ db }: Stage) => look(db, "update outbox set state = 'sent' where id = 'late'");

const addNode = ({ db, clock }: Stage, used: number, problem: string | null) =>
  look(
    db,
    `insert into storage_nodes (id, name, endpoint, public_endpoint, region, bucket, access_key, secret, state, capacity_bytes, used_bytes, reserved_bytes, max_put_bytes, created_at, checked_at, check_error)
     values ('n1', 'attic', 'http://x', 'http://x', '', '', '', '', 'active', 1000, ?, 0, 1, ?, ?, ?)`,
    [used, clock.time, clock.time, problem],
  );

const addBroadcast = ({ db, clock }: Stage, state: string, reason: string | null) =>
  look(
    db,
    `insert into broadcasts ("row", id, slug, kind, subject, archive, created_by, created_at, updated_at, state, state_reason)
     values (1, 'b', 'b', 'own', 'Spring', 'none', 'm', ?, ?, ?, ?)`,
    [clock.time, clock.time, state, reason],
  );

async function sendTo(at: Stage, people: number, bounced: number): Promise<void> {
  await addBroadcast(at, "sent", null);
  for (let n = 0; n < people; n++)
    await look(
      at.db,
      "insert into broadcast_recipients (broadcast_row, batch_row, state, accepted_at, bounced_at) values (1, 1, 1, ?, ?)",
      [at.clock.time, n < bounced ? at.clock.time : null],
    );
}

const refuseSignIn = ({ db, now }: Stage, n: number) =>
  audit.recordAlone(
    db,
    {
      actor: "visitor",
      address: `192.0.2.${n % 3}`,
      action: "session.refuse",
      targetId: "m1",
      target: "ada@example.com",
    },
    now(),
  );

const bookkeeping = isOnPostgres ? "migrations" : "__drizzle_migrations";
const first = isOnPostgres ? "name = '0000_tables.sql'" : "id = 1";

/** A version whose migration cannot be applied starts, and the earlier one again. */
async function failToMigrate({ db, file }: Stage & { file: string }): Promise<void> {
  const [row = {}] = await look(db, `select * from ${bookkeeping} where ${first}`);
  await look(db, `delete from ${bookkeeping} where ${first}`);
  await expect(openDb(file)).rejects.toThrow(
    /^The database could not be migrated, and nothing in it was changed: .* already exists\. Start the earlier version again\.$/,
  );
  const marks = Object.keys(row).map(() => "?");
  const values = Object.values(row) as string[];
  await look(db, `insert into ${bookkeeping} (${Object.keys(row).join(", ")}) values (${marks.join(", ")})`, values);
  await (await openDb(file)).close();
}

const migrate = ({ db }: Stage) =>
  recordingFailure(
    (text, values) => look(db, text.replace("$1", "?"), values),
    async () => 1,
  );

type Provoked = {
  title: RegExp;
  /** What the overview says, once. */
  line: RegExp;
  provoke: (at: Stage & { file: string }) => unknown;
  /** Makes it better, but not so much that it counts as well. */
  improve?: (at: Stage) => unknown;
  heal: (at: Stage) => unknown;
  /** How long it must last to be told. */
  confirmMs?: number;
};

const provoked: Record<Name, Provoked> = {
  backup: {
    title: /^No good backup yet$/,
    line: /There is no good backup\./g,
    provoke: ({ db, clock }) => recordBackup(db, { since: clock.time - 12 * hourMs - 1 }),
    heal: ({ db, clock }) => recordBackup(db, { last: { name: "x", at: clock.time, provedAt: clock.time, bytes: 1 } }),
  },
  disk: {
    title: /^Only 9 GB of 100 GB are free in DATA_DIR$/,
    line: /Only 9 GB of 100 GB are free in DATA_DIR/g,
    provoke: ({ world }) => (world.freeShare = 0.09),
    improve: ({ world }) => (world.freeShare = 0.149),
    heal: ({ world }) => (world.freeShare = 0.15),
  },
  "emails-failed": {
    title: /^1 email could not be sent$/,
    line: /1 email could not be sent/g,
    provoke: (at) => outboxRow(at, "dead", 0),
    heal: sendIt,
  },
  "emails-waiting": {
    title: /^1 email waiting to be sent$/,
    line: /1 email waiting to be sent/g,
    provoke: (at) => outboxRow(at, "queued", 15 * minuteMs + 1_000),
    heal: sendIt,
  },
  "node-offline": {
    title: /^The storage node “attic” is offline$/,
    line: /Storage is offline: attic|node “attic” is offline/g,
    provoke: (at) => addNode(at, 10, "timeout"),
    heal: ({ db }) => look(db, "update storage_nodes set check_error = null"),
    confirmMs: 5 * minuteMs,
  },
  "node-full": {
    title: /^The storage node “attic” is nearly full$/,
    line: /less than 10 % free on attic|node “attic” is nearly full/g,
    provoke: (at) => addNode(at, 951, null),
    improve: ({ db }) => look(db, "update storage_nodes set used_bytes = 901"),
    heal: ({ db }) => look(db, "update storage_nodes set used_bytes = 900"),
  },
  "sign-ins": {
    title: /^10 failed sign-ins to one account within an hour$/,
    line: /10 failed sign-ins to one account/g,
    provoke: async (at) => {
      for (let n = 0; n < 10; n++) await refuseSignIn(at, n);
    },
    heal: ({ clock }) => (clock.time += hourMs),
  },
  certificate: {
    title: /^The certificate of blog\.example\.com ends within 14 days$/,
    line: /The certificate of blog\.example\.com ends within 14 days/g,
    provoke: ({ world }) => (world.certificateDays = 13.9),
    heal: ({ world }) => (world.certificateDays = 90),
  },
  migration: {
    title: /^A new version could not migrate the database$/,
    line: /A new version could not migrate the database/g,
    provoke: failToMigrate,
    heal: migrate,
  },
  "broadcast-paused": {
    title: /^“Spring” is paused$/,
    line: /“Spring” is paused/g,
    provoke: (at) => addBroadcast(at, "paused", "bounces"),
    heal: ({ db }) => look(db, "update broadcasts set state = 'cancelled'"),
  },
  bounces: {
    title: /^4\.5 % of recent emails bounced$/,
    line: /4\.5 % of recent emails bounced/g,
    provoke: (at) => sendTo(at, 200, 9),
    improve: ({ db }) => look(db, `update broadcast_recipients set bounced_at = null where "row" > 5`),
    heal: ({ db }) => look(db, `update broadcast_recipients set bounced_at = null where "row" > 4`),
  },
  mailbox: {
    title: /^The mailbox for bounces cannot be read$/,
    line: /The mailbox for bounces cannot be read/g,
    provoke: ({ db, clock }) => recordProblem(db, "ada@x.example, INBOX", "NO", new Date(clock.time - hourMs)),
    heal: async ({ db, now }) => {
      const progress = { lastUid: 1, reports: 0, answers: 0, isComplete: true };
      await recordProgress(db, "ada@x.example, INBOX", progress, now());
    },
  },
};

const names = Object.keys(alerts) as Name[];

test("an email tells of each but two: emails that wait, and a pause, which sends an email of its own", () => {
  expect(names.filter((name) => !alerts[name].email).sort()).toEqual(["broadcast-paused", "emails-waiting"]);
});

/** PostgreSQL has its own disk, and its operator makes the backups. */
const ofSqlite: Name[] = ["backup", "disk"];
const applicable = names.filter((name) => !isOnPostgres || !ofSqlite.includes(name));

test.each(applicable)("%s is told once, and once that it is well again, and nothing else is", async (name) => {
  using folder = temporaryFolder();
  const file = join(folder.path, "postroom.sqlite");
  const at = await stage(file);
  await using _ = { [Symbol.asyncDispose]: () => at.db.close() };
  const { title, line, provoke, improve, heal, confirmMs = minuteMs } = provoked[name];
  const hasEmail = alerts[name].email;
  const manager = await at.signIn();
  await at.post("/api/newsletter/subscribe", { email: "ada@example.com" });
  await look(at.db, "update outbox set state = 'sent'");
  await at.check();
  await provoke({ ...at, file });
  await at.check();
  await at.pass(confirmMs - 15_000);
  expect([await at.events(), await at.emails()]).toEqual([[], []]);

  await at.pass(15_000);
  const raised = await at.events();
  expect(raised).toEqual([
    { type: "alert.raised", timestamp: at.now().toISOString(), data: expect.objectContaining({ name }) },
  ]);
  expect(raised[0]?.data.title).toMatch(title);
  const emails = await at.emails();
  expect(emails).toHaveLength(hasEmail ? 1 : 0);
  if (hasEmail) expect(emails[0]).toMatchObject({ to: "owner@example.com", subject: raised[0]?.data.title });
  if (hasEmail) expect(emails[0]?.text).toContain(alerts[name].remedy);
  expect((await shownBy(manager)).match(line)).toHaveLength(1);
  expect((await manager.get(alerts[name].page.href)).status).toBe(200);
  await improve?.(at);
  await at.pass();
  await at.pass(confirmMs);
  expect([await at.events(), await at.emails()]).toEqual([[], []]);

  await heal(at);
  await at.check();
  await at.pass(confirmMs - 15_000);
  expect([await at.events(), await at.emails()]).toEqual([[], []]);
  await at.pass(15_000);
  const { id, name: _name, subject } = raised[0]?.data ?? {};
  expect(await at.events()).toMatchObject([{ type: "alert.cleared", data: { id, name, subject } }]);
  const resolved = await at.emails();
  expect(resolved).toHaveLength(hasEmail ? 1 : 0);
  if (hasEmail) expect(resolved[0]?.subject).toMatch(/^Resolved: /);
  await at.pass();
  expect([await at.events(), await at.emails(), await openAlerts(at.db)]).toEqual([[], [], []]);
});

test("addresses that an SMTP server refuses at once count among the bounces, as they do for the pause of a broadcast", async () => {
  const at = await stage();
  await sendTo(at, 200, 9);
  await look(at.db, "update broadcast_recipients set state = 2, accepted_at = null where bounced_at is not null");
  await at.check();
  await at.pass();
  expect(await at.events()).toMatchObject([
    { type: "alert.raised", data: { title: "4.5 % of recent emails bounced" } },
  ]);
});

test("of two processes that check at the same time, one tells", async () => {
  const at = await stage();
  at.world.certificateDays = 5;
  await Promise.all([at.check(), at.check()]);
  at.clock.time += minuteMs;
  await Promise.all([at.check(), at.check(), at.check()]);
  expect([await at.events(), await at.emails()]).toMatchObject([[{ type: "alert.raised" }], [{}]]);
});

test("a certificate for a few days is told of only when a sixth of them is left", async () => {
  const at = await stage();
  at.world.certificateLifeDays = 6;
  at.world.certificateDays = 1.1;
  await at.check();
  await at.pass();
  expect(await at.events()).toEqual([]);
  at.world.certificateDays = 0.9;
  await at.check();
  await at.pass();
  expect(await at.events()).toMatchObject([
    { data: { title: "The certificate of blog.example.com ends within 1 day" } },
  ]);
});

test("an alert is told again after a week, under the same ID", async () => {
  const at = await stage();
  at.world.certificateDays = 13;
  await recordBackup(at.db, { since: at.clock.time + 8 * dayMs });
  await at.check();
  await at.pass();
  const [raised] = await at.events();
  await at.emails();
  await at.pass(7 * dayMs - minuteMs);
  expect(await at.events()).toEqual([]);
  await at.pass();
  expect(await at.events()).toMatchObject([{ type: "alert.raised", data: { id: raised?.data.id ?? "" } }]);
  expect(await at.emails()).toHaveLength(1);
});

test("what is well again before anyone was told is not told", async () => {
  const at = await stage();
  at.world.certificateDays = 5;
  await at.check();
  at.world.certificateDays = 60;
  await at.pass();
  at.world.certificateDays = 5;
  await at.pass();
  expect([await at.events(), await at.emails(), await openAlerts(at.db)]).toEqual([[], [], []]);
});

test("an email that no one has sent is cancelled when it is well again, and no other follows", async () => {
  const at = await stage();
  at.world.certificateDays = 5;
  await at.check();
  await at.pass();
  at.world.certificateDays = 60;
  await at.check();
  await at.pass();
  expect(await look(at.db, "select state from outbox")).toEqual([{ state: "cancelled" }]);
  expect(await at.events()).toMatchObject([{ type: "alert.raised" }, { type: "alert.cleared" }]);
});

test("a host that does not answer is neither well nor wrong", async () => {
  const at = await stage();
  at.world.certificateDays = 5;
  await at.check();
  await at.pass();
  await at.events();
  at.world.certificateDays = undefined;
  await at.pass();
  await at.pass();
  expect([await at.events(), await openAlerts(at.db)]).toMatchObject([[], [{ subject: "blog.example.com" }]]);
});

test("many failed sign-ins at any accounts are told, and a certificate that has ended", async () => {
  const at = await stage();
  at.world.certificateDays = -2;
  const refusal = { actor: "visitor", address: "192.0.2.1", action: "session.refuse" } as const;
  for (let n = 0; n < 51; n++) await audit.recordAlone(at.db, refusal, at.now());
  await at.check();
  await at.pass();
  expect((await at.events()).map(({ data }) => data.title)).toEqual([
    "51 failed sign-ins within an hour",
    "The certificate of blog.example.com has ended",
  ]);
});

onSqlite("the disk of PostgreSQL is its operator's").each([
  ["less than a tenth of a large disk", 9.9e9, 100e9, "Only 9.9 GB of 100 GB are free in DATA_DIR"],
  ["less than 1 GB of a small one", 0.99e9, 5e9, "Only 990 MB of 5 GB are free in DATA_DIR"],
  ["less than a fifth of a tiny one", 0.19e9, 1e9, "Only 190 MB of 1 GB are free in DATA_DIR"],
  ["enough of a large one", 10e9, 100e9, undefined],
  ["enough of a small one", 1e9, 5e9, undefined],
  ["enough of a tiny one", 0.2e9, 1e9, undefined],
])("%s is told in the same way by alert, overview, readiness and metrics", async (_, free, total, title) => {
  using _disk = spyOn(fs, "statfs").mockResolvedValue({ bavail: free, blocks: total, bsize: 1 } as never);
  const at = await stage();
  await at.post("/api/newsletter/subscribe", { email: "ada@example.com" }); // the overview of an empty one is another
  const check = () => checkAlerts(at.deps, { ...outside(at.now), certificateValidity: async () => undefined });
  await check();
  at.clock.time += minuteMs;
  await check();
  expect((await openAlerts(at.db)).map((alert) => alert.title)).toEqual(title ? [title] : []);
  const page = await shownBy(await at.signIn());
  expect(page.includes(title ?? "free in DATA_DIR")).toBe(title !== undefined);
  const ready = (await (await at.get("/readyz")).json()) as { checks: { disk: unknown } };
  expect(ready.checks.disk).toEqual({
    ok: true,
    ...(title && { detail: "less than 10 % free, or less than 1 GB and 20 %" }),
  });
  const metrics = await (await at.get("/metrics", {}, "127.0.0.1")).text();
  expect(metrics).toContain(`postroom_disk_bytes{kind="free"} ${free}\npostroom_disk_bytes{kind="total"} ${total}\n`);
  expect(metrics).toContain(`\npostroom_disk_nearly_full ${title ? 1 : 0}\n`);
});

test.each([
  ["a small disk is well again with 1.5 GB", 5e9, 1.4e9, 1.5e9],
  ["one of 1.4 GB with 30 % of it", 1.4e9, 0.41e9, 0.42e9],
  ["and so is one of 1 GB", 1e9, 0.29e9, 0.3e9],
])("%s", async (_, total, little, enough) => {
  const at = await stage();
  const told = async (free: number, isTold: boolean) =>
    (
      await alerts.disk.check({
        ...{ config: at.config, db: at.db, now: at.now(), isTold: () => isTold },
        diskSpace: async () => ({ free, total }),
        certificateValidity: async () => undefined,
      })
    ).faults.length > 0;
  expect([await told(little, false), await told(little, true), await told(enough, true)]).toEqual(
    isOnPostgres ? [false, false, false] : [false, true, false],
  );
});

test("a check that fails says so in the log, and keeps none of the others from telling", async () => {
  const at = await stage();
  await outboxRow(at, "dead", 0);
  const broken = {
    diskSpace: () => Promise.reject(new Error("no such folder")),
    certificateValidity: () => Promise.reject(new Error("no such host")),
  };
  await checkAlerts(at.deps, broken);
  at.clock.time += minuteMs;
  await checkAlerts(at.deps, broken);
  expect(await at.events()).toMatchObject([{ type: "alert.raised", data: { name: "emails-failed" } }]);
  const failed = at.logged.filter(({ event }) => event === "alert not checked").map(({ name }) => name);
  expect(new Set(failed)).toEqual(new Set([...(isOnPostgres ? [] : ["disk"]), "certificate"]));
});

test("a certificate is asked for once an hour, and remembered while the host does not answer", async () => {
  const clock = { time: 0 };
  const validity = { start: new Date(0), end: new Date(10 * dayMs) };
  let asked = 0;
  const { certificateValidity } = outside(
    () => new Date(clock.time),
    async () => {
      if (++asked > 1) throw new Error("ETIMEDOUT");
      return validity;
    },
  );
  for (const _ of [1, 2]) expect(await certificateValidity("example.com", 443)).toEqual(validity);
  expect(asked).toBe(1);
  clock.time += hourMs;
  expect(await certificateValidity("example.com", 443)).toEqual(validity);
  expect(asked).toBe(2);
  const silent = outside(
    () => new Date(0),
    () => Promise.reject(new Error("ECONNREFUSED")),
  );
  expect(await silent.certificateValidity("example.com", 443)).toBeUndefined();
});

test("the service checks again and again", async () => {
  const service = await testService();
  await look(
    service.db,
    `insert into outbox (id, kind, recipient, recipient_key, payload, state, next_attempt_at, created_at)
     values ('late', 'test', 'ada@example.com', 'ada@example.com', '{}', 'dead', ?, ?)`,
    [service.clock.time, service.clock.time],
  );
  const watch = startAlerts(service.deps, 1);
  const rows = () => look(service.db, "select name, told_at from alerts");
  while (!(await rows()).length) await new Promise((turn) => setImmediate(turn));
  await watch.close();
  expect(await rows()).toEqual([{ name: "emails-failed", told_at: null }]);
});

test("docs/operations.md has the words of every alert", async () => {
  const text = await Bun.file(join(import.meta.dir, "../../docs/operations.md")).text();
  const section = text.slice(text.indexOf("\n## Alerts\n"), text.indexOf("\n## ", text.indexOf("\n## Alerts\n") + 1));
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows).toEqual(
    Object.entries(alerts).map(
      ([name, { raised, cleared, remedy }]) => `| \`${name}\` | ${raised} | ${cleared} | ${remedy} |`,
    ),
  );
});

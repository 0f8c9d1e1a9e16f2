import { expect, test } from "bun:test";
import { join } from "node:path";
import { erasePerson } from "../../db/people/erasures";
import { look, onSqlite } from "../../test/support/look";
import { temporaryFolder } from "../../test/support/processes";
import { testService } from "../../test/support/service";
import { within } from "../../test/support/within";
import * as outbox from "../../db/mail/outbox";
import { setVariable } from "../../db/variables";
import { sealVariable } from "../security/variables";
import { checkLater } from "../people/erasure-check";
import { startWork } from "./work";

const dayMs = 86_400_000;

test("an end right after the start leaves nothing behind that would need the database", async () => {
  const service = await testService();
  await startWork(service)();
  await service.db.close();
  await new Promise((turn) => setImmediate(turn));
  expect(service.logged.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
});

onSqlite("the file of the database")(
  "an end while an erasure is checked waits for the check, or gives it up",
  async () => {
    using folder = temporaryFolder();
    const service = await testService({ DATA_DIR: folder.path }, join(folder.path, "postroom.sqlite"));
    const end = startWork(service);
    const what = { email: "ada@example.com", scope: ["subscription" as const, "messages" as const] };
    const by = { actor: "cli", via: "cli" } as const;
    const erasure = await erasePerson(service.db, join(folder.path, "erasures.log"), what, by, service.now());
    const checks = Array.from({ length: 3 }, () => checkLater(service, erasure, what.email));
    await end();
    await service.db.close();
    await Promise.all(checks);
    expect(service.logged.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  },
);

onSqlite("the file of the database")(
  "a check of an erasure that a stop kept from being made is made at the start",
  async () => {
    using folder = temporaryFolder();
    const service = await testService({ DATA_DIR: folder.path }, join(folder.path, "postroom.sqlite"));
    const what = { email: "ada@example.com", scope: ["subscription" as const, "messages" as const] };
    const by = { actor: "cli", via: "cli" } as const;
    await erasePerson(service.db, join(folder.path, "erasures.log"), what, by, service.now());
    const end = startWork(service);
    while (!(await look(service.db, "select 1 from erasures where checked_at is not null")).length) await Bun.sleep(1);
    await end();
    await service.db.close();
  },
);

test("times of a clock that was ahead are reset at the start, before an email from the future would be due", async () => {
  const service = await testService();
  const { db, now } = service;
  const mail = { kind: "test" as const, recipient: "ada@example.com", payload: {} };
  await db.write((orm) => outbox.enqueue(orm, mail, new Date(now().getTime() + 400 * dayMs)));
  const end = startWork(service);
  const isReset = async () => (await look<{ at: number }>(db, "select next_attempt_at at from outbox"))[0]?.at;
  while (Number(await isReset()) > now().getTime()) await new Promise((turn) => setImmediate(turn));
  await end();
  expect(Number(await isReset())).toBe(now().getTime());
});

onSqlite("a database of one process")(
  "what a process that died was calling or sending is free at once for the next, which is alone",
  async () => {
    const service = await testService();
    const { db, now } = service;
    const later = now().getTime() + 60_000;
    await look(
      db,
      `insert into webhook_endpoints (id, name, url, events, secret, created_by, created_at)
       values ('e', 'E', 'https://example.com/', '[]', '', 'ada@example.com', 0)`,
    );
    await look(
      db,
      `insert into webhook_deliveries (id, endpoint_id, type, body, created_at, next_attempt_at, lease_until)
       values ('d', 'e', 'x', '{}', ?, ?, ?)`,
      [now().getTime(), later, later],
    );
    await look(
      db,
      `insert into broadcasts (row, id, kind, slug, subject, archive, state, created_by, created_at, updated_at)
       values (1, 'b', 'own', 'b', 'News', 'listed', 'paused', 'ada@example.com', 0, 0)`,
    );
    await look(
      db,
      `insert into broadcast_batches (broadcast_row, first_recipient, last_recipient, count, next_attempt_at, admitted_at, created_at, lease_until)
       values (1, 1, 1, 1, 0, 0, 0, ?)`,
      [later],
    );
    const end = startWork(service);
    for (const table of ["webhook_deliveries", "broadcast_batches"])
      while (!(await look(db, `select 1 from ${table} where lease_until is null`)).length)
        await new Promise((turn) => setImmediate(turn));
    await end();
  },
);

test("a provider that an owner sets is used without a restart", async () => {
  const arrived = Promise.withResolvers<string | null>();
  await using provider = Bun.serve({
    port: 0,
    fetch(request) {
      arrived.resolve(request.headers.get("authorization"));
      return Response.json({ id: "1" });
    },
  });
  const service = await testService({ RESEND_BASE_URL: provider.url.origin });
  const { config, db, mail, now } = service;
  const end = startWork(service);
  const sealed = sealVariable(config, "a-key-of-this-server");
  await setVariable(db, { name: "MAILER_API_KEY", sealed }, { actor: "test" }, now());
  while (mail.provider.name === "simulated") await new Promise((turn) => setImmediate(turn));
  const test = { kind: "test" as const, recipient: "ada@example.com", payload: {} };
  await db.write((orm) => outbox.enqueue(orm, test, now()));
  expect(await within(arrived.promise, "the email at the provider")).toBe("Bearer a-key-of-this-server");
  await end();
});

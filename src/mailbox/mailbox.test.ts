import { expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { mailboxState } from "../../db/mailbox/position";
import { enqueue } from "../../db/mail/outbox";
import { subscribers } from "../../db/schema/newsletter";
import { lift } from "../../db/suppressions/suppressions";
import { imapServer } from "../../test/support/mailbox/imap";
import { samples } from "../../test/support/mailbox/samples";
import { broadcastStage } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { certificate } from "../../test/support/providers/certificate";
import { messageIdOf } from "../mail/headers";
import { unsubscribeToken } from "../security/links";
import { mailboxName, readMailboxUrl } from "../platform/mail-urls";
import { startReading } from "./reader";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const [minuteMs, dayMs] = [60_000, 86_400_000];
const hardBounce = samples[0]?.write ?? (() => "");
const complaint = samples.find(({ means }) => means === "complained")?.write ?? (() => "");

type Imap = Awaited<ReturnType<typeof imapServer>>;

/** A mailbox, and a broadcast that was sent to some people. */
async function stage(
  people = 3,
  options: Parameters<typeof imapServer>[0] & { ca?: string; searchEveryMs?: number; waitLimitMs?: number } = {},
) {
  const imap = await imapServer(options);
  const made = await broadcastStage({ people, env: { BOUNCE_MAILBOX: imap.url, MAIL_FROM: "Ada <ada@site.example>" } });
  const { db, config, clock, now, log } = made;
  const id = await made.confirmed();
  await made.sender().drain();
  await look(db, `update broadcast_recipients set state = 1, accepted_at = ${clock.time}`);
  const server = readMailboxUrl(imap.url);
  if (typeof server === "string") throw new Error(server);
  const waits: number[] = [];
  /** Called instead of each wait, and says whether it ends. */
  const world = { waited: (_milliseconds: number): unknown => true };
  const tuning: Parameters<typeof startReading>[1] = {
    ca: options.ca ?? certificate,
    lookEveryMs: 5,
    searchEveryMs: options.searchEveryMs,
    waitLimitMs: options.waitLimitMs,
    async sleep(milliseconds, signal) {
      waits.push(milliseconds);
      clock.time += milliseconds;
      if (!world.waited(milliseconds)) await new Promise((_, reject) => signal.addEventListener("abort", reject));
    },
  };
  const reading: { close(): Promise<void> }[] = [];
  const start = (more: { db?: typeof db } = {}) =>
    reading.push(...[startReading({ config, db, log, now, ...more }, tuning) ?? []].flat());
  const toPerson = (row: number, secret = config.APP_SECRET) => ({
    to: `p${row}@example.com`,
    messageId: messageIdOf(
      { broadcastId: id, row },
      unsubscribeToken({ APP_SECRET: secret }, `p${row}@example.com`),
      "site.example",
    ),
  });
  return {
    ...{ ...made, imap, id, start, waits, world, toPerson },
    name: mailboxName(server),
    deliver: (raw: string, at = now()) => imap.deliver(raw, at),
    /** Begins to read, and waits until everything is read. */
    async readAll() {
      start();
      await imap.when(() => imap.isWatched());
    },
    suppressed: () =>
      look<{ email: string; reason: string }>(db, "select email, reason from suppressions order by email"),
    events: () => look<{ id: string; type: string }>(db, "select id, type from provider_events order by id"),
    async [Symbol.asyncDispose]() {
      for (const reader of reading) await reader.close();
      await imap[Symbol.asyncDispose]();
      await db.close();
    },
  };
}

const seen = (imap: Imap) => imap.messages.filter(({ isSeen }) => isSeen).map(({ uid }) => uid);

test("a bounce suppresses the address, a soft one counts, a complaint stops; what is neither stays unread", async () => {
  await using at = await stage(4);
  const { db, id, imap, deliver, toPerson, readAll, suppressed, broadcast, name } = at;
  deliver(hardBounce(toPerson(1)));
  deliver("From: a friend <friend@example.com>\r\nSubject: Hi\r\n\r\nHow are you?");
  deliver(samples[1]?.write(toPerson(2)) ?? "");
  deliver(complaint(toPerson(3)));
  await readAll();
  expect(await suppressed()).toEqual([
    { email: "p1@example.com", reason: "bounce" },
    { email: "p3@example.com", reason: "complaint" },
  ]);
  expect(await broadcast(id)).toMatchObject({ bounced: 1, softBounced: 1, complained: 1 });
  expect(seen(imap)).toEqual([1, 3, 4]);
  expect(imap.messages).toHaveLength(4);
  expect(imap.commands.filter((command) => /EXPUNGE|Deleted|MOVE|COPY/i.test(command))).toEqual([]);
  expect(await mailboxState(db, name)).toMatchObject({ lastUid: 4, reports: 3, answers: 0, problem: null });
});

test.each([
  ["with its date proves that all of its batch were sent", (raw: string) => raw, [1, 1, 1]],
  [
    "without a date proves it of its own email only",
    (raw: string) => raw.replace(/^(Arrival-)?Date:.*\r\n/gim, ""),
    [1, 3, 3],
  ],
])("where it is uncertain who was sent to, a report %s", async (_, change, states) => {
  await using at = await stage();
  const { db, deliver, toPerson, readAll, clock } = at;
  clock.time = Date.parse("2026-11-21T12:00:00Z"); // when the samples were written
  await look(db, `update broadcast_recipients set state = 3, accepted_at = null`);
  await look(db, `update broadcast_batches set state = 'uncertain', first_attempt_at = ${clock.time}`);
  deliver(change(hardBounce(toPerson(1))));
  await readAll();
  const rows = await look<{ state: number }>(db, "select state from broadcast_recipients order by row");
  expect(rows.map(({ state }) => state)).toEqual(states);
});

test("new reports are read when the server tells of them, each once, also after the connection was cut", async () => {
  await using at = await stage();
  const { imap, deliver, toPerson, readAll, suppressed, events } = at;
  await readAll();
  deliver(hardBounce(toPerson(1)));
  await imap.when(() => seen(imap).length === 1);
  imap.closeConnections();
  await imap.when(() => imap.connections === 2 && imap.isWatched());
  deliver(hardBounce(toPerson(1)));
  deliver(hardBounce(toPerson(2)));
  await imap.when(() => imap.isWatched() && seen(imap).length === 3);
  expect((await suppressed()).map(({ email }) => email)).toEqual(["p1@example.com", "p2@example.com"]);
  expect(await events()).toHaveLength(2);
  const fetched = imap.commands
    .filter((command) => command.startsWith("UID FETCH"))
    .map((command) => command.split(" ")[2]);
  expect(fetched).toEqual(["1", "2", "3"]);
});

test("UIDs that begin anew have everything read again, and a suppression that was lifted stays lifted", async () => {
  await using at = await stage();
  const { db, imap, deliver, toPerson, readAll, suppressed, now } = at;
  deliver(hardBounce(toPerson(1)));
  await readAll();
  await db.write((orm) => lift(orm, { email: "p1@example.com", why: "It works again" }, { via: "manager" }, now()));
  imap.uidValidity++;
  imap.closeConnections();
  const fetches = () => imap.commands.filter((command) => command.startsWith("UID FETCH 1 ")).length;
  await imap.when(() => fetches() === 2 && imap.isWatched());
  expect(await look(db, "select email from suppressions where lifted_at is null")).toEqual([]);
  expect(await suppressed()).toHaveLength(1);
});

test("5,000 forged reports stop no one", async () => {
  await using at = await stage(3);
  const { db, imap, deliver, toPerson, readAll, suppressed, events, waits, id, name } = at;
  const forgeries = [
    { messageId: "unknown@elsewhere.example", to: "p1@example.com" },
    { messageId: `b.1.${id}@site.example`, to: "p1@example.com" },
    { messageId: `b.1.${id}.${"0".repeat(20)}@site.example`, to: "p1@example.com" },
    { ...toPerson(1, "another-secret-of-at-least-32-chars"), to: "p1@example.com" },
    { messageId: toPerson(1).messageId.replace("b.1.", "b.2."), to: "p2@example.com" },
    { messageId: toPerson(1).messageId.replace("b.1.", "b.999999999999999."), to: "p2@example.com" },
    { messageId: "m.018f3c2a-1111-7222-8333-444455556666@site.example", to: "p3@example.com" },
    { messageId: `r.${"0".repeat(32)}.${"0".repeat(16)}@site.example`, to: "p3@example.com" },
  ];
  for (let i = 0; i < 5_000; i++) {
    const write = samples[i % samples.length]?.write ?? hardBounce;
    deliver(write(forgeries[i % forgeries.length] ?? { messageId: "", to: "" }));
  }
  await readAll();
  expect([await suppressed(), await events(), seen(imap)]).toEqual([[], [], []]);
  expect(await look(db, "select count(*) n from subscribers where suppressed_at is not null")).toEqual([{ n: 0 }]);
  expect(await mailboxState(db, name)).toMatchObject({ lastUid: 5_000, reports: 0 });
  expect(waits).toHaveLength(24); // 200 a minute
});

test("who reports on their own email stops no one else, and not after a week", async () => {
  await using at = await stage(3);
  const { db, deliver, toPerson, readAll, suppressed, clock } = at;
  deliver(hardBounce({ ...toPerson(1), to: "p2@example.com" })); // forged by p1: it counts as forwarded
  await look(db, `update broadcast_recipients set accepted_at = ${clock.time - 8 * dayMs} where row = 3`);
  deliver(hardBounce(toPerson(3)));
  await readAll();
  expect(await suppressed()).toEqual([]);
  const soft = await look(
    db,
    "select row from broadcast_recipients where soft_at is not null or bounced_at is not null",
  );
  expect(soft).toEqual([{ row: 1 }]);
});

test("an email that is older than 30 days is not read", async () => {
  await using at = await stage();
  const { imap, deliver, toPerson, readAll, now } = at;
  deliver(hardBounce(toPerson(1)), new Date(now().getTime() - 30 * dayMs - minuteMs));
  deliver(hardBounce(toPerson(2)));
  await readAll();
  expect(seen(imap)).toEqual([2]);
});

test("an email of the outbox is known by its ID, and one that was never sent is not", async () => {
  await using at = await stage(0);
  const { db, deliver, readAll, suppressed, now, clock } = at;
  const mails = ["sent@example.com", "queued@example.com"];
  for (const recipient of mails)
    await db.write((orm) => enqueue(orm, { kind: "confirm", recipient, subjectId: null, payload: {} }, now()));
  await look(db, `update outbox set state = 'sent', sent_at = ${clock.time} where recipient = 'sent@example.com'`);
  for (const { id, recipient } of await look<{ id: string; recipient: string }>(db, "select id, recipient from outbox"))
    deliver(hardBounce({ messageId: `m.${id}@site.example`, to: recipient }));
  await readAll();
  expect(await suppressed()).toEqual([{ email: "sent@example.com", reason: "bounce" }]);
  const errors = await look(db, "select last_error from outbox where state = 'sent'");
  expect(errors).toEqual([{ last_error: "Bounced: 5.1.1 550 5.1.1 No such user" }]);
});

test("a previous secret still proves an email, and an address that has changed does not", async () => {
  await using at = await stage();
  const { db, config, deliver, toPerson, readAll, suppressed } = at;
  const previous = "an-earlier-secret-of-at-least-32-characters";
  Object.assign(config, { APP_SECRET_PREVIOUS: [previous] });
  deliver(hardBounce(toPerson(1, previous)));
  const changed = { email: "new@example.com", emailKey: "new@example.com" };
  await db.write((orm) => orm.update(subscribers).set(changed).where(eq(subscribers.row, 2)).run());
  deliver(hardBounce(toPerson(2)));
  await readAll();
  expect((await suppressed()).map(({ email }) => email)).toEqual(["p1@example.com"]);
});

/** Reads until it failed and waits, and returns why. */
async function failure(at: Awaited<ReturnType<typeof stage>>) {
  const waits = Promise.withResolvers<void>();
  at.world.waited = () => waits.resolve();
  at.start();
  await waits.promise;
  return (await mailboxState(at.db, at.name))?.problem;
}

test("by TLS it is read, and a server whose certificate no one vouches for never sees the password", async () => {
  await using trusted = await stage(1, { tls: true });
  trusted.deliver(hardBounce(trusted.toPerson(1)));
  await trusted.readAll();
  expect(seen(trusted.imap)).toEqual([1]);
  await using stranger = await stage(1, { tls: true, ca: "" });
  expect(await failure(stranger)).toContain("self signed");
  expect([stranger.imap.logins, stranger.imap.commands]).toEqual([0, []]);
});

test.each([
  ["refuses the password", { password: "another" }, () => undefined, "Invalid: …"],
  ["wants no LOGIN beyond ASCII", { capabilities: "IMAP4rev1" }, () => undefined, "in ASCII"],
  ["is busy", {}, (command) => (command === "CONNECT" ? "* BYE too many connections" : undefined), "too many"],
  ["hangs up on us", {}, (command) => (command === "CONNECT" ? "cut" : undefined), "The connection was closed"],
  [
    "has no such folder",
    {},
    (command) => (command.startsWith("SELECT") ? "TAG NO no such folder" : undefined),
    "no such",
  ],
  [
    "dies in the middle",
    {},
    (command) => (command.startsWith("UID FETCH") ? "cut" : undefined),
    "The connection was closed",
  ],
  [
    "does not answer",
    { waitLimitMs: 100 },
    (command) => (command === "CAPABILITY" ? "hang" : undefined),
    "does not answer",
  ],
  [
    "never stops",
    {},
    (command) => (command.startsWith("UID SEARCH") ? `* SEARCH ${"1 ".repeat(3_000_000)}` : undefined),
    "sends too much",
  ],
  [
    "speaks something else",
    {},
    (command) => (command.startsWith("UID SEARCH") ? "* \0 {3}" : undefined),
    "does not speak IMAP",
  ],
] satisfies [string, object, Imap["behave"], string][])(
  "a server that %s is named as the problem, and asked again later, each time a longer while",
  async (_, options, behave, says) => {
    await using at = await stage(1, "password" in options ? {} : options);
    const { imap, deliver, toPerson, world, waits, logged, name, db, suppressed } = at;
    deliver(hardBounce(toPerson(1)));
    if ("password" in options) imap.refuses = true;
    imap.behave = behave;
    expect(await failure(at)).toContain(says);
    expect(JSON.stringify(logged)).not.toContain("p@ss");
    expect(waits).toEqual([30_000]);
    expect(world).toBeDefined();
    expect(await suppressed()).toEqual([]);
    expect((await mailboxState(db, name))?.problem).not.toContain("p@ss");
  },
);

test("a server that keeps refusing is asked after ever longer waits, of at most 15 minutes, until it lets us in", async () => {
  await using at = await stage(1);
  const { imap, deliver, toPerson, world, waits, readAll, name, db } = at;
  imap.refuses = true;
  world.waited = () => {
    if (waits.length === 8) imap.refuses = false;
    return true;
  };
  deliver(hardBounce(toPerson(1)));
  await readAll();
  expect(waits.map((milliseconds) => milliseconds / 1_000)).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  expect(await mailboxState(db, name)).toMatchObject({ reports: 1, problem: null, problemAt: null });
  const wait = Promise.withResolvers<number>();
  world.waited = (milliseconds) => (wait.resolve(milliseconds), true);
  imap.closeConnections();
  expect(await wait.promise).toBe(30_000);
});

test.each([
  ["that tells of nothing", "IMAP4rev1 AUTH=PLAIN IDLE"],
  ["that cannot tell", "IMAP4rev1 AUTH=PLAIN"],
])("a server %s is searched again and again", async (_, capabilities) => {
  await using at = await stage(1, { capabilities, searchEveryMs: 5 });
  const { imap, toPerson, start, now } = at;
  start();
  const searches = () => imap.commands.filter((command) => command.startsWith("UID SEARCH")).length;
  await imap.when(() => searches() === 2);
  imap.messages.push({ uid: 1, raw: hardBounce(toPerson(1)), receivedAt: now(), isSeen: false });
  await imap.when(() => seen(imap).length === 1);
  expect(imap.connections).toBe(1);
});

test("while the database takes no writes, the server is not asked more often", async () => {
  await using at = await stage(1);
  const { imap, start, db, waits, world } = at;
  const third = Promise.withResolvers<void>();
  world.waited = () => (waits.length === 3 ? third.resolve() : true);
  let writes = 0;
  const write: typeof db.write = (...work) =>
    ++writes > 1 ? Promise.reject(new Error("disk full")) : db.write(...work); // the first begins to read
  start({ db: { ...db, write, isShared: false } }); // a lease that cannot be renewed would end the reading instead
  await third.promise;
  expect(waits).toEqual([30_000, 60_000, 120_000]);
  expect(imap.connections).toBe(3);
});

import { expect, test } from "bun:test";
import * as submissions from "../../db/contact/submissions";
import * as outbox from "../../db/mail/outbox";
import { stats as mailStats } from "../../db/mail/stats";
import { settings } from "../../db/schema/settings";
import { createLog } from "../platform/log";
import { headerPayloads as payloads } from "../../test/security/header-payloads";
import { testService } from "../../test/support/service";
import { headerText, isOneAddress, mailbox, senderOf } from "./headers";
import { fakeProvider } from "../../test/support/mail";
import { startWorker } from "../../test/support/outbox";

const controls = /[\p{Cc}\u2028\u2029]/u;
const oneMailbox = /^(?:"[^"\\,;:<>@()[\]]*" <([^\s",;:<>()@]+@[^\s",;:<>()@]+)>|([^\s",;:<>()@]+@[^\s",;:<>()@]+))$/;

test(`${payloads.length} names that try to become headers: no control character, one recipient, one to answer`, async () => {
  expect(payloads.length).toBeGreaterThanOrEqual(300);
  const provider = await fakeProvider();
  const { config, db, clock } = await testService(provider.env);
  const now = () => new Date(clock.time);
  const worker = startWorker({ config, db, now, log: createLog("silent") }, { everyMs: 1e9 });
  for (const [i, payload] of payloads.entries())
    await submissions.submit(
      db,
      { name: payload, email: "eve@example.com", message: `${i} ${payload}`, source: payload },
      { recipient: "owner@example.com" },
      now(),
    );
  await worker.drain();

  expect(provider.attempts).toHaveLength(payloads.length);
  for (const { from, to, subject, reply_to = "", headers, ...rest } of provider.attempts) {
    for (const field of [from, ...to, subject, reply_to, ...Object.entries(headers).flat()])
      expect(field).not.toMatch(controls);
    expect([to, "cc" in rest, "bcc" in rest]).toEqual([["owner@example.com"], false, false]);
    expect(oneMailbox.exec(reply_to)?.slice(1)).toContain("eve@example.com");
    expect([...subject].length).toBeLessThanOrEqual(80);
    expect(subject).not.toContain("=?");
  }
  await worker.close();
  provider.stop();
});

test("a hostile title of the site, or a recipient that is more than one, gets nowhere", async () => {
  const provider = await fakeProvider();
  const { config, db, clock } = await testService(provider.env);
  const now = () => new Date(clock.time);
  const worker = startWorker({ config, db, now, log: createLog("silent") }, { everyMs: 1e9 });
  const siteTitle = { key: "siteTitle", value: "Notes\r\nBcc: x@y.example\u2028", isPublic: true };
  const recipients = ["ok@example.com", ...payloads.map((payload) => `eve@example.com${payload}`)];
  await db.write(async (orm) => {
    await orm.insert(settings).values(siteTitle).run();
    for (const recipient of recipients) await outbox.enqueue(orm, { kind: "test", recipient, payload: {} }, now());
  });
  await worker.drain();
  for (const { to, subject } of provider.attempts) {
    expect(subject).toBe("Test email from Notes Bcc: x@y.example");
    expect([to.length, to[0]]).toEqual([1, expect.stringMatching(/^[^\s,;:<>"()@]+@[^\s,;:<>"()@]+$/) as never]);
  }
  expect(provider.attempts.map(({ to }) => to[0])).toContain("ok@example.com");
  expect((await mailStats(db, now())).queued).toBe(0);
  await worker.close();
  provider.stop();
});

test("names of people stay what they are", () => {
  for (const name of ["Zoë O’Hara-Ñandú", "Jean-Luc d'Arc", "佐藤 花", "Ada M. Lovelace", "Žofia_2"])
    expect(mailbox(name, "a@b.example")).toBe(`"${name}" <a@b.example>`);
  expect(mailbox('"<>,', "a@b.example")).toBe("a@b.example");
  expect(mailbox("Ada", "a@b.example, c@d.example")).toBeUndefined();
  expect(headerText("a".repeat(81), 80)).toBe(`${"a".repeat(79)}…`);
  expect(["a@b.example", "o'hara+x@bücher.example"].every(isOneAddress)).toBe(true);
});

test("a sender is a name and an address, and an address without a name is both", () => {
  const address = "ada@x.example";
  for (const sender of [`Ada <${address}>`, `"Ada" <${address}>`])
    expect(senderOf(sender)).toEqual({ name: "Ada", address });
  for (const sender of [address, `<${address}>`]) expect(senderOf(sender)).toEqual({ name: address, address });
});

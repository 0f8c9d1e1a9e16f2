import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import { release } from "../../db/ops/leases";
import { startReading } from "../../src/mailbox/reader";
import { loadConfig } from "../../src/platform/config";
import { createLog } from "../../src/platform/log";
import { imapServer } from "../support/mailbox/imap";

test("of two processes one reads the mailbox, and the other one when it stops", async () => {
  await using imap = await imapServer();
  const config = loadConfig({ APP_SECRET: "x".repeat(32), BOUNCE_MAILBOX: imap.url });
  const clock = { time: Date.parse("2026-11-24T12:00:00Z") };
  const asked = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const process = async (holder: keyof typeof asked) => {
    const db = await openDb("mailbox");
    let looks = 0;
    const now = () => {
      if (++looks > 20) asked[holder].resolve(); // more often than one lease asks for
      return new Date(clock.time);
    };
    const reader = startReading({ config, db, log: createLog("silent"), now }, { holder, lookEveryMs: 5 });
    return { db, stop: async () => (await reader?.close(), await release(db, holder), await db.close()) };
  };
  const first = await process("first");
  await imap.when(() => imap.isWatched());
  const second = await process("second");
  await asked.second.promise;
  expect(imap.connections).toBe(1);
  await first.stop();
  await imap.when(() => !imap.isWatched());
  clock.time += 6_000; // a lease is asked for every five seconds
  await imap.when(() => imap.isWatched());
  expect(imap.connections).toBe(2);
  await second.stop();
});

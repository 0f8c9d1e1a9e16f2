import { expect, test } from "bun:test";
import { create } from "../../db/broadcasts/edit";
import * as subscribers from "../../db/newsletter/subscribers";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { imapServer } from "../../test/support/mailbox/imap";
import { smtpSink } from "../../test/support/providers/smtp";
import { confirmBroadcast } from "../broadcasts/freeze";
import { writeEmails } from "../broadcasts/letter/emails";
import { Sender } from "../broadcasts/sender";
import { startReading } from "./reader";

const to = "ada@x.example";

/** A report of a server that could not deliver this email, and returns it. */
const returned = (raw: string, address: string) =>
  [
    "From: MAILER-DAEMON@mx.example.com",
    `To: ${address}`,
    "Subject: Undelivered Mail Returned to Sender",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="edge"',
    "",
    "--edge",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example.com",
    "",
    `Final-Recipient: rfc822; ${to}`,
    "Action: failed",
    "Status: 5.1.1",
    "",
    "--edge",
    "Content-Type: message/rfc822",
    "",
    raw,
    "--edge--",
  ].join("\r\n");

/** A relay that gives emails a Message-ID of its own. */
const relayed = (raw: string) => raw.replace(/^Message-ID:.*$/im, "Message-ID: <1@relay.example>");

test.each([
  ["by its Message-ID", {}, (raw: string) => raw],
  ["by its return path, if a relay has changed its Message-ID", { BOUNCE_ADDRESS: "b+{}@x.example" }, relayed],
])("an email as it was really sent is known %s; who was stopped by it may subscribe again", async (_, env, change) => {
  await using imap = await imapServer();
  const sink = await smtpSink();
  const stage = await broadcastStage({
    env: { MAILER_API_KEY: sink.url, BASE_URL: "https://x.example", BOUNCE_MAILBOX: imap.url, ...env },
  });
  const { config, db, now } = stage;
  await subscribers.subscribe(db, { email: to }, { via: "form" }, now());
  const fields = { subject: "News", preheader: "", fromName: "", archive: "none" as const, content: "Hi", segment: {} };
  const { id } = await create(db, { source: { kind: "own" }, fields }, by, now());
  await confirmBroadcast({ config, db }, id, { at: now(), by }, now());
  const sender = new Sender(stage, { write: writeEmails });
  await sender.drain();
  const [message] = sink.messages;
  imap.deliver(returned(change(message?.raw ?? ""), message?.from ?? ""), now());
  const reader = startReading(stage, { lookEveryMs: 5 });
  await imap.when(() => imap.isWatched());
  const inForce = () => look(db, "select email, reason from suppressions where lifted_at is null");
  expect(await inForce()).toEqual([{ email: to, reason: "bounce" }]);
  expect(await stage.broadcast(id)).toMatchObject({ accepted: 1, bounced: 1 });
  await subscribers.subscribeAgain(db, to, { via: "link" }, now());
  expect(await inForce()).toEqual([]);
  await Promise.all([reader?.close(), sender.close()]);
  await stage.mail.provider.close();
  await sink.stop();
  await db.close();
});

import { expect, test } from "bun:test";
import { samples } from "../../../test/support/mailbox/samples";
import { smtpSink } from "../../../test/support/providers/smtp";
import { readEmail } from "../../mailbox/mime";
import { proofsOf } from "../../mailbox/receive";
import { loadConfig } from "../../platform/config";
import { openMail } from "../open";
import type { Email } from "../provider";

const BOUNCE_ADDRESS = "bounces+{}@site.example";
const mac = "0123456789abcdef0123";
const outboxId = "018f3c2a-1111-7222-8333-444455556666";
const email: Email = {
  from: "Ada <ada@site.example>",
  to: "bo@example.com",
  subject: "News",
  html: "<p>Hello</p>",
  text: "Hello",
  headers: {},
};

async function sentFrom(more: Partial<Email>, env: Record<string, string> = { BOUNCE_ADDRESS }) {
  const sink = await smtpSink();
  const config = loadConfig({ APP_SECRET: "x".repeat(32), MAILER_API_KEY: sink.url, ...env });
  const { provider } = openMail({ config, now: () => new Date() });
  await provider.send({ ...email, ...more }, "");
  await provider.close();
  await sink.stop();
  return sink.messages[0]?.from ?? "";
}

test.each([
  [
    "a broadcast's",
    { messageId: `b.123456789012345.${outboxId}.${mac}@site.example` },
    { kind: "recipient", row: 123_456_789_012_345, mac },
  ],
  [
    "another",
    { messageId: `m.${outboxId}@site.example`, tags: { postroom_m: outboxId } },
    { kind: "outbox", id: outboxId },
  ],
  [
    "a reply's",
    { messageId: `r.${"a".repeat(32)}.${"b".repeat(16)}@site.example`, tags: { postroom_m: outboxId } },
    { kind: "outbox", id: outboxId },
  ],
])(
  "with BOUNCE_ADDRESS, the return path of %s email says whose it was, and a report that comes there is known",
  async (_, more, proof) => {
    const address = await sentFrom(more);
    expect(address).toMatch(/^bounces\+[bm][\da-f-]+@site\.example$/);
    expect(address.split("@")[0]?.length).toBeLessThanOrEqual(64); // RFC 5321, 4.5.3.1.1
    const relayed = samples[0]?.write({ messageId: "made-by-the-relay@example.com", to: "bo@example.com" }) ?? "";
    const report = relayed.replace("To: ada@site.example", `To: ${address.toUpperCase()}`);
    expect(proofsOf(readEmail(Buffer.from(report)), BOUNCE_ADDRESS)).toEqual([proof as never]);
    expect(proofsOf(readEmail(Buffer.from(report)), undefined)).toEqual([]);
  },
);

test("without it, and for an email that nothing tells apart, the return path is the sender", async () => {
  expect(await sentFrom({ messageId: `m.${outboxId}@site.example`, tags: { postroom_m: outboxId } }, {})).toBe(
    "ada@site.example",
  );
  expect(await sentFrom({})).toBe("ada@site.example");
});

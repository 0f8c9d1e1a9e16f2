import { expect, test } from "bun:test";
import { samples } from "../../test/support/mailbox/samples";
import { readEmail } from "./mime";
import { proofsOf } from "./receive";
import { meaningFor, reportIn } from "./report";

const mac = "0123456789abcdef0123";
const messageId = `b.7.018f3c2a-1111-7222-8333-444455556666.${mac}@site.example`;
const original = { messageId, to: "ada@example.com" };

test.each(samples.map((sample) => [sample.name, sample] as const))(
  "is understood: %s",
  (_, { write, means, status }) => {
    const email = readEmail(Buffer.from(write(original)));
    const report = reportIn(email);
    const meaning = report && meaningFor(report, "ada@example.com");
    expect(meaning?.kind).toBe(means);
    if (!report) return;
    if (status) expect(meaning?.bounceType).toBe(status);
    expect(proofsOf(email, undefined)[0]).toEqual({ kind: "recipient", row: 7, mac });
    expect(report.sentAt?.getTime()).toBeOneOf([
      undefined,
      Date.parse("2026-11-21T12:00:00Z"),
      Date.parse("2026-11-21T12:00:01Z"),
      Date.parse("2026-11-21T12:00:02Z"),
    ]);
  },
);

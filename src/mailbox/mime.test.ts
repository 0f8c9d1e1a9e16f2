import { expect, test } from "bun:test";
import fc from "fast-check";
import { samples } from "../../test/support/mailbox/samples";
import { answerIn, proofsOf } from "./receive";
import { maxBytes, partsOf, readEmail, textOf, words } from "./mime";
import { meaningFor, reportIn } from "./report";

const email = (text: string) => readEmail(Buffer.from(text));
const original = {
  messageId: "b.7.018f3c2a-1111-7222-8333-444455556666.0123456789abcdef0123@site.example",
  to: "ada@example.com",
};

/** Everything that is done with an email before the database is asked. */
function understand(bytes: Uint8Array) {
  const read = readEmail(bytes);
  const report = reportIn(read);
  return [proofsOf(read, "bounces+{}@site.example"), report && meaningFor(report, original.to), answerIn(read)];
}

test("no email throws, wherever it is cut off and whatever its bytes are changed to", () => {
  const texts = samples.map(({ write }) => Buffer.from(write(original)));
  const change = fc.record({
    of: fc.nat(texts.length - 1),
    end: fc.nat(3_000),
    at: fc.nat(3_000),
    bytes: fc.uint8Array({ maxLength: 20 }),
  });
  fc.assert(
    fc.property(change, ({ of, end, at, bytes }) => {
      const text = Buffer.from(texts[of] ?? []).subarray(0, end);
      text.set(bytes.subarray(0, Math.max(0, text.length - at)), Math.min(at, text.length));
      understand(text);
    }),
    { numRuns: 2_000 },
  );
});

test("what is deeper than five parts, or beyond the fiftieth, is not read", () => {
  const nested = Array.from({ length: 30 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`);
  const depths = partsOf(email(`${nested.join("")}Content-Type: text/plain\n\nend`));
  expect(depths.map(({ type }) => type)).toEqual(Array(6).fill("multipart/mixed"));
  const wide = `Content-Type: multipart/mixed; boundary=b\n\n${"--b\nX: y\n\npart\n".repeat(1_000)}--b--`;
  expect(partsOf(email(wide))).toHaveLength(50);
  const emails = "Content-Type: message/rfc822\n\n".repeat(1_000);
  expect(partsOf(email(emails))).toHaveLength(1);
});

test("of an email only the first MiB is read, and of its header 64 KB", () => {
  const long = email(`Subject: x\n\n${"a".repeat(2 * maxBytes)}`);
  expect(long.body).toHaveLength(maxBytes - "Subject: x\n\n".length);
  expect(email(`${"X: y\n".repeat(100_000)}Subject: late\n\n`).fields.get("subject")).toBeUndefined();
  expect(email(`X: ${"y".repeat(60_000)}\n\n`).fields.get("x")?.[0]?.length).toBeLessThanOrEqual(8_000);
});

test.each([
  ["quoted-printable", "utf-8", "Gr=C3=BC=\r\n=C3=9Fe"],
  ["base64", "iso-8859-1", Buffer.from("Grüße", "latin1").toString("base64")],
  ["8BIT", "utf8", "Grüße"],
  ["7bit", "no-such-charset", "Grüße"],
])("a text is read by its encoding and its charset: %s, %s", (encoding, charset, body) => {
  const text = email(
    `Content-Type: text/plain; charset="${charset}"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`,
  );
  expect(textOf(text, 100)).toBe("Grüße");
});

test("encoded words of a header are read, and a space between two of them is none", () => {
  const value = "=?utf-8?Q?Gr=C3=BC=C3=9Fe?= =?ISO-8859-1?B?5A==?= =?UTF-8?q?_x?= from Ada";
  expect(words(value)).toBe("Grüßeä x from Ada");
});

import { expect, test } from "bun:test";
import { replyLink } from "./message";

const createdAt = new Date("2026-11-21T12:00:00Z");
const parsed = (link: string): Record<string, string> => {
  const { protocol, pathname, searchParams, hash } = new URL(link);
  return { protocol, hash, to: decodeURIComponent(pathname), ...Object.fromEntries(searchParams) };
};

test("quotes the message under a subject, line by line", () => {
  const message = "Hello,\n\nis 100% & more = fine? #1";
  const link = replyLink({ name: "Ada", email: "ada+x@example.com", message, createdAt }, "Noor & Co");
  expect(parsed(link)).toEqual({
    protocol: "mailto:",
    hash: "",
    to: "ada+x@example.com",
    subject: "Re: your message to Noor & Co",
    body: "\r\n\r\nOn 21 November 2026, Ada wrote:\r\n> Hello,\r\n> \r\n> is 100% & more = fine? #1",
  });
});

test("an address or a name adds no recipient and no header", () => {
  const message = "x\r\nBcc: all@example.com";
  const link = replyLink({ name: "a&bcc=b@example.com", email: "a?cc=b@example.com", message, createdAt }, "s&to=c");
  expect(Object.keys(parsed(link)).sort()).toEqual(["body", "hash", "protocol", "subject", "to"]);
  expect(parsed(link).to).toBe("a?cc=b@example.com");
});

test.each(["x".repeat(2_000), "🜁".repeat(2_000), "\n".repeat(2_000), "\ud800".repeat(2_000)])(
  "whatever is quoted, mail programs can take the link",
  (message) => {
    const link = replyLink({ name: "🜁".repeat(100), email: "ada@example.com", message, createdAt }, "ß".repeat(200));
    expect(link.length).toBeLessThanOrEqual(1_900);
    expect(parsed(link)).toMatchObject({ body: expect.stringMatching(/ \[…\]$/) });
  },
);

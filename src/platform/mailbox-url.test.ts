import { expect, test } from "bun:test";
import { loadConfig } from "./config";
import { mailboxName, readMailboxUrl } from "./mail-urls";

test.each([
  ["imaps://ada:x@imap.example.com", { host: "imap.example.com", port: 993, isEncrypted: true, folder: "INBOX" }],
  ["imaps://ada%40x.example:a%2Fb%25@imap.example.com/INBOX", { user: "ada@x.example", password: "a/b%" }],
  ["IMAPS://ada:x@[2001:db8::1]:1993/Bounces%2F2026", { host: "2001:db8::1", port: 1993, folder: "Bounces/2026" }],
  ["imap://ada:x@localhost", { host: "localhost", port: 143, isEncrypted: false }],
  ["imap://ada:x@127.0.0.1:1143/INBOX", { port: 1143, isEncrypted: false }],
])("%s is read", (url, server) => {
  expect(readMailboxUrl(url)).toMatchObject(server);
});

test("its name has everything but the password", () => {
  const names = ["imaps://ada%40x.example:hush@imap.example.com/INBOX", "imaps://ada:hush@imap.example.com/Bounces"]
    .map(readMailboxUrl)
    .map((server) => (typeof server === "string" ? server : mailboxName(server)));
  expect(names).toEqual(["ada@x.example, INBOX", "ada@imap.example.com, Bounces"]);
});

test.each([
  ["ada:hush@imap.example.com", "must be imaps://"],
  ["pop3://ada:hush@imap.example.com", "must be imaps://"],
  ["imaps://ada:hush@imap.example.com:99999", "must be imaps://"],
  ["imap://ada:hush@imap.example.com", "without encryption"],
  ["imap://ada:hush@10.0.0.1", "without encryption"],
  ["imaps://ada@imap.example.com", "a user and a password"],
  ["imaps://:hush@imap.example.com", "a user and a password"],
  ["imaps://ada:hush%@imap.example.com", "as %25"],
  ["imaps://ada:hush%0D%0ADELETE@imap.example.com", "no control characters"],
  ["imaps://ada:hush@imap.example.com/INBOX?x=1", "nothing after the folder"],
  ["imaps://ada:hush@imap.example.com/INBOX%0D%0A", "a folder in ASCII"],
  ["imaps://ada:hush@imap_?.example.com", ""],
])("%s is refused, and the reason does not repeat the password", (url, reason) => {
  const problem = () => loadConfig({ APP_SECRET: "x".repeat(32), BOUNCE_MAILBOX: url });
  expect(problem).toThrow(reason);
  expect(problem).not.toThrow("hush");
});

test.each([
  "bounces@x.example",
  "{}",
  "bounces+{}{}@x.example",
  "bounces+{}@",
  `${"b".repeat(21)}{}@x.example`,
  "a {}@x.example",
])("BOUNCE_ADDRESS %s is refused", (BOUNCE_ADDRESS) => {
  expect(() => loadConfig({ APP_SECRET: "x".repeat(32), BOUNCE_ADDRESS })).toThrow("BOUNCE_ADDRESS must be an address");
});

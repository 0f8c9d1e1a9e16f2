import { expect, test } from "bun:test";
import { mailboxKey } from "./email-key";

test.each([
  ["ada@example.com", "ada@example.com"],
  ["ada+news@example.com", "ada@example.com"],
  ["ada+news+more@example.com", "ada@example.com"],
  ["+news@example.com", "+news@example.com"], // nothing before the plus: not a tag
  ["a.d.a@example.com", "a.d.a@example.com"],
  ["a.d.a+news@googlemail.com", "ada@gmail.com"],
  ["a.d_a-x@pm.me", "adax@proton.me"],
  ["a_d-a@gmail.com", "a_d-a@gmail.com"],
  ["._-@pm.me", "._-@proton.me"],
])("the mailbox behind %s is %s", (key, mailbox) => {
  expect(mailboxKey(key)).toBe(mailbox);
});

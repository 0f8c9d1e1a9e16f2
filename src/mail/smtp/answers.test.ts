import { expect, test } from "bun:test";
import { isCrowded, meaningOf, type SmtpError } from "./answers";

const said = (command: string, response: string, code = "EENVELOPE"): SmtpError => ({
  ...{ message: "Failed", code, command, response },
  responseCode: Number.parseInt(response),
});
const silent = (code: string, command = "CONN"): SmtpError => ({ message: "Connection closed", code, command });

/** The outcomes over SMTP, reply by reply. */
const replies: [reason: string, error: SmtpError][] = [
  ...["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"].flatMap((status): [string, SmtpError][] => [
    ["bounced", said("RCPT TO", `550 ${status} No such user`)],
    ["bounced", said("DATA", `550-${status} No such user\n550 ${status} Sorry`, "EMESSAGE")],
  ]),
  ["invalid", said("RCPT TO", "550 No such user")],
  ["invalid", said("RCPT TO", "550 5.7.1 Blocked by policy")],
  ["invalid", said("RCPT TO", "552 5.2.2 Mailbox full")],
  ["invalid", said("DATA", "554 5.7.1 Spam", "EMESSAGE")],
  ["too-large", said("MAIL FROM", "552 5.3.4 Message size exceeds fixed limit")],
  ["too-large", said("DATA", "552 Too much mail data", "EMESSAGE")],
  ["credentials", said("MAIL FROM", "553 5.7.1 Sender not owned by user")],
  ["credentials", said("RCPT TO", "530 5.7.0 Authentication required")],
  ["credentials", said("AUTH PLAIN", "535 5.7.8 Bad credentials", "EAUTH")],
  ["unavailable", said("AUTH PLAIN", "454 4.7.0 Temporary failure", "EAUTH")],
  ["unavailable", said("AUTH PLAIN", "432 4.7.12 Password transition", "EAUTH")],
  ["deferred", said("RCPT TO", "450 4.2.0 Greylisted")],
  ["deferred", said("RCPT TO", "452 4.2.2 Mailbox full")],
  ["deferred", said("MAIL FROM", "451 4.3.0 Try again")],
  ["deferred", said("DATA", "451 4.3.0 Try again", "EMESSAGE")],
  ["deferred", said("RCPT TO", "450 4.2.1 The user is receiving mail at a rate that exceeds the limit")],
  ["deferred", said("RCPT TO", "450 4.7.1 Greylisted, please try again")],
  ["rate", said("MAIL FROM", "451 4.7.0 Rate limit exceeded")],
  ["rate", said("RCPT TO", "451 4.7.500 Server busy. Please try again later")],
  ["rate", said("RCPT TO", "450 4.7.1 Error: too much mail from 192.0.2.1")],
  ["rate", said("DATA", "452 4.3.1 Sending limit reached", "EMESSAGE")],
  ["unavailable", said("DATA", "432 4.3.2 STOREDRV; concurrent connections exceeded", "EMESSAGE")],
  ["unavailable", said("RCPT TO", "421 4.7.0 Too many connections", "ECONNECTION")],
  ["unavailable", said("RCPT TO", "454 4.7.1 Relay access denied")],
  ["unavailable", said("CONN", "554 5.7.1 Blocked", "EPROTOCOL")],
  ["unavailable", said("STARTTLS", "502 5.5.1 What", "ETLS")],
  ["unavailable", silent("ECONNECTION")],
  ["unavailable", silent("ETIMEDOUT")],
  ["unavailable", silent("EDNS")],
  ["unavailable", silent("ETLS")],
  ["invalid", silent("EENVELOPE", "API")],
  ["too-large", silent("EMESSAGE", "MAIL FROM")],
  ["credentials", silent("EAUTH", "API")],
];

test.each(replies)("%s: %o", (reason, error) => {
  const message = expect.stringContaining(error.response ?? "Connection closed") as never;
  const wait = reason === "rate" ? { retryAfterMs: 60_000 } : {};
  expect(meaningOf(error, false)).toEqual({ kind: "refused", reason: reason as never, message, ...wait });
});

test("a server that has begun to read the message and then stays silent may have it", () => {
  for (const error of [silent("ECONNECTION"), silent("ETIMEDOUT"), { message: "The connection was closed" }])
    expect(meaningOf(error, true)).toEqual({
      kind: "unknown",
      message: `No response from the provider: ${error.message}`,
    });
});

test("a server that has read the message and then rejects it does not have it", () => {
  expect(meaningOf(said("DATA", "421 4.3.0 Shutting down", "ECONNECTION"), true)).toMatchObject({
    kind: "refused",
    reason: "unavailable",
  });
});

test("a rejection that our other connections may have caused is told from those about a person, a password or an email", () => {
  const crowded = [
    said("CONN", "421 4.7.0 Too many connections"),
    said("CONN", "554 Too many connections", "EPROTOCOL"),
    said("EHLO", "421 4.3.2 Service not available"),
    said("AUTH PLAIN", "421 4.7.0 Too many login sessions", "EAUTH"),
    said("MAIL FROM", "421 4.4.5 Too many connections to this host"),
    said("RCPT TO", "450 4.7.1 Maximum number of concurrent sessions"),
    said("DATA", "432 4.3.2 STOREDRV; concurrent connections exceeded", "EMESSAGE"),
    said("DATA", "432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded", "EMESSAGE"), // known by its code alone
  ];
  const others = [
    said("AUTH PLAIN", "535 5.7.8 Bad credentials", "EAUTH"),
    said("AUTH PLAIN", "432 4.7.12 Password transition", "EAUTH"),
    said("RCPT TO", "450 4.2.1 Too many connections to this mailbox"),
    said("RCPT TO", "451 4.7.0 Rate limit exceeded"),
    said("DATA", "554 5.7.1 Spam", "EMESSAGE"),
    silent("ECONNECTION"),
  ];
  expect([...crowded, ...others].map(isCrowded)).toEqual([...crowded.map(() => true), ...others.map(() => false)]);
});

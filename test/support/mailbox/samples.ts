/* Reports in the shapes in which mail programs write them, all about one email. */

export type Original = { messageId: string; to: string };

const lines = (...all: (string | string[])[]) => all.flat().join("\r\n");

const original = ({ messageId, to }: Original) => [
  "Received: from postroom.example (postroom.example [192.0.2.7])",
  "\tby mx.sender.example with ESMTPS id 4F2A1; Sat, 21 Nov 2026 12:00:01 +0000",
  "From: Ada's Notes <ada@site.example>",
  `To: ${to}`,
  "Subject: News",
  `Message-ID: <${messageId}>`,
  "Date: Sat, 21 Nov 2026 12:00:00 +0000",
  "MIME-Version: 1.0",
  "Content-Type: text/plain; charset=utf-8",
];

type StatusReport = {
  from: string;
  subject: string;
  words: string[];
  status: string[];
  /** The type of the part with the original, and what it contains. */
  copy?: "message/rfc822" | "text/rfc822-headers";
  top?: string[];
};

const statusReport = (
  of: Original,
  { from, subject, words, status, copy = "message/rfc822", top = [] }: StatusReport,
) =>
  lines(
    "Return-Path: <>",
    ...top,
    `From: ${from}`,
    "To: ada@site.example",
    `Subject: ${subject}`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary="4F2A1.1795521135/mx.sender.example"',
    "Date: Sat, 21 Nov 2026 12:00:03 +0000",
    "Message-ID: <20261121120003.4F2A1@mx.sender.example>",
    "",
    "This is a MIME-encapsulated message.",
    "",
    "--4F2A1.1795521135/mx.sender.example",
    "Content-Description: Notification",
    "Content-Type: text/plain; charset=us-ascii",
    "",
    ...words,
    "",
    "--4F2A1.1795521135/mx.sender.example",
    "Content-Description: Delivery report",
    "Content-Type: message/delivery-status",
    "",
    ...status,
    "",
    "--4F2A1.1795521135/mx.sender.example",
    `Content-Type: ${copy}`,
    "",
    ...original(of),
    "",
    ...(copy === "message/rfc822" ? ["Hello"] : []),
    "--4F2A1.1795521135/mx.sender.example--",
    "",
  );

const postfix = (of: Original, action: string, status: string, diagnostic: string, recipient = of.to) =>
  statusReport(of, {
    from: "MAILER-DAEMON@mx.sender.example (Mail Delivery System)",
    subject: "Undelivered Mail Returned to Sender",
    words: [
      "This is the mail system at host mx.sender.example.",
      "",
      "I'm sorry to have to inform you that your message could not",
      "be delivered to one or more recipients. It's attached below.",
      "",
      `<${recipient}>: host mx.example.com[192.0.2.9] said: ${diagnostic}`,
    ],
    status: [
      "Reporting-MTA: dns; mx.sender.example",
      "X-Postfix-Queue-ID: 4F2A1",
      "X-Postfix-Sender: rfc822; ada@site.example",
      "Arrival-Date: Sat, 21 Nov 2026 12:00:01 +0000 (UTC)",
      "",
      `Final-Recipient: rfc822; ${recipient}`,
      `Original-Recipient: rfc822;${of.to}`,
      `Action: ${action}`,
      `Status: ${status}`,
      "Remote-MTA: dns; mx.example.com",
      `Diagnostic-Code: smtp; ${diagnostic}`,
    ],
  });

const prose = (top: string[], ...body: (string | string[])[]) =>
  lines("Return-Path: <>", "Date: Sat, 21 Nov 2026 12:00:03 +0000", ...top, "", ...body, "");

const complaint = (of: Original, fields: string[], { hasRecipient = true } = {}) =>
  lines(
    "From: <abuse@provider.example>",
    "To: <ada@site.example>",
    "Subject: FW: News",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=feedback-report; boundary="part1_13d.2e68ed54_boundary"',
    "",
    "--part1_13d.2e68ed54_boundary",
    'Content-Type: text/plain; charset="US-ASCII"',
    "Content-Transfer-Encoding: 7bit",
    "",
    "This is an email abuse report for an email message received from IP",
    "192.0.2.7 on Sat, 21 Nov 2026 12:00:00 +0000.",
    "",
    "--part1_13d.2e68ed54_boundary",
    "Content-Type: message/feedback-report",
    "",
    ...fields,
    ...(hasRecipient ? [`Original-Rcpt-To: <${of.to}>`] : []),
    "",
    "--part1_13d.2e68ed54_boundary",
    "Content-Type: message/rfc822",
    "Content-Disposition: inline",
    "",
    ...original(hasRecipient ? of : { ...of, to: "undisclosed-recipients:;" }),
    "",
    "Hello",
    "--part1_13d.2e68ed54_boundary--",
  );

const abuse = ["Feedback-Type: abuse", "User-Agent: SomeGenerator/1.0", "Version: 1"];

type Sample = {
  name: string;
  write: (of: Original) => string;
  /** What it means for who the email was sent to. */
  means: "bounced" | "soft-bounced" | "complained" | undefined;
  status?: string;
};

export const samples: Sample[] = [
  {
    name: "Postfix, an address that does not exist",
    write: (of) => postfix(of, "failed", "5.1.1", "550 5.1.1 No such user"),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "Postfix, a full mailbox",
    write: (of) => postfix(of, "failed", "5.2.2", "552 5.2.2 Mailbox full"),
    means: "soft-bounced",
    status: "5.2.2",
  },
  {
    name: "Postfix, given up after five days",
    write: (of) => postfix(of, "failed", "4.4.1", "connect to mx.example.com[192.0.2.9]:25: Connection timed out"),
    means: "soft-bounced",
    status: "4.4.1",
  },
  {
    name: "Postfix, a server whose reply has the code that its report lacks",
    write: (of) => postfix(of, "failed", "5.0.0", "550 5.1.1 <x>: Recipient address rejected: User unknown"),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "Postfix, a reply without any code",
    write: (of) => postfix(of, "failed", "5.0.0", "550 Rejected"),
    means: "soft-bounced",
    status: "5.0.0",
  },
  {
    name: "Postfix, an email that is late",
    write: (of) => postfix(of, "delayed", "4.4.1", "connect to mx.example.com[192.0.2.9]:25: Connection timed out"),
    means: undefined,
  },
  {
    name: "Postfix, an email that was passed on",
    write: (of) => postfix(of, "relayed", "2.1.9", "250 2.0.0 Ok"),
    means: undefined,
  },
  {
    name: "an email that was delivered",
    write: (of) => postfix(of, "delivered", "2.1.5", "250 2.0.0 Ok"),
    means: undefined,
  },
  {
    name: "an address that the email was forwarded to",
    write: (of) => postfix(of, "failed", "5.1.1", "550 5.1.1 No such user", "old-job@elsewhere.example"),
    means: "soft-bounced",
    status: "5.1.1",
  },
  {
    name: "Sendmail, with the header alone",
    write: (of) =>
      statusReport(of, {
        from: "Mail Delivery Subsystem <MAILER-DAEMON@mx.sender.example>",
        subject: "Returned mail: see transcript for details",
        words: ["   ----- The following addresses had permanent fatal errors -----", `<${of.to}>`],
        status: [
          "Reporting-MTA: dns; mx.sender.example",
          "Received-From-MTA: DNS; postroom.example",
          "Arrival-Date: Sat, 21 Nov 2026 12:00:00 GMT",
          "",
          `Final-Recipient: RFC822; ${of.to}`,
          "Action: failed",
          "Status: 5.1.1",
          "Remote-MTA: DNS; mx.example.com",
          "Diagnostic-Code: SMTP; 550 5.1.1 <x>... User unknown",
          "Last-Attempt-Date: Sat, 21 Nov 2026 12:00:02 GMT",
        ],
        copy: "text/rfc822-headers",
      }),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "Exchange Online",
    write: (of) =>
      statusReport(of, {
        from: "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com>",
        subject: "Undeliverable: News",
        top: [`In-Reply-To: <${of.messageId}>`, `References: <${of.messageId}>`],
        words: ["Your message couldn't be delivered.", "The address wasn't found at example.com."],
        status: [
          "Reporting-MTA: dns;AM0PR01MB1234.eurprd01.prod.exchangelabs.com",
          "Received-From-MTA: dns;mx.sender.example",
          "Arrival-Date: Sat, 21 Nov 2026 12:00:02 +0000",
          "",
          `Final-Recipient: rfc822;${of.to}`,
          "Action: failed",
          "Status: 5.1.10",
          "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP",
          " address lookup",
        ],
      }),
    means: "bounced",
    status: "5.1.10",
  },
  {
    name: "Gmail, with a group for each recipient",
    write: (of) =>
      statusReport(of, {
        from: "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
        subject: "Delivery Status Notification (Failure)",
        words: ["** Address not found **", `Your message wasn't delivered to ${of.to}.`],
        status: [
          "Reporting-MTA: dns; googlemail.com",
          "Arrival-Date: Sat, 21 Nov 2026 04:00:01 -0800 (PST)",
          "X-Original-Message-ID: <x@site.example>",
          "",
          "Final-Recipient: rfc822; someone-else@example.com",
          "Action: delayed",
          "Status: 4.2.2",
          "",
          `Final-Recipient: rfc822; ${of.to.toUpperCase()}`,
          "Action: failed",
          "Status: 5.1.1",
          "Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try",
          " 550 5.1.1 double-checking the recipient's email address.",
        ],
      }),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "a report whose first group is missing",
    write: (of) =>
      statusReport(of, {
        from: "postmaster@mx.example.com",
        subject: "Delivery failure",
        words: ["See below."],
        status: [`Final-Recipient: rfc822; ${of.to}`, "Action: failed (bad mailbox)", "Status: 5.1.1 (no such user)"],
      }),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "Exim, in words",
    write: (of) =>
      prose(
        [
          "From: Mail Delivery System <Mailer-Daemon@mx.sender.example>",
          "To: ada@site.example",
          "Subject: Mail delivery failed: returning message to sender",
          `X-Failed-Recipients: ${of.to}`,
          "Auto-Submitted: auto-replied",
        ],
        "This message was created automatically by mail delivery software.",
        "",
        "A message that you sent could not be delivered to one or more of its",
        "recipients. This is a permanent error. The following address(es) failed:",
        "",
        `  ${of.to}`,
        "    host mx.example.com [192.0.2.9]",
        "    SMTP error from remote mail server after RCPT TO:<x>:",
        "    550 5.1.1 User unknown",
        "",
        "------ This is a copy of the message, including all the headers. ------",
        "",
        original(of),
        "",
        "Hello",
      ),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "Exim, a full mailbox without a code",
    write: (of) =>
      prose(
        [
          "From: Mail Delivery System <Mailer-Daemon@mx.sender.example>",
          "Subject: Mail delivery failed: returning message to sender",
          `X-Failed-Recipients: ${of.to}`,
        ],
        "This message was created automatically by mail delivery software.",
        "",
        "A message that you sent could not be delivered to one or more of its",
        "recipients. This is a permanent error. The following address(es) failed:",
        "",
        `  ${of.to}`,
        "    mailbox is full: retry timeout exceeded",
        "",
        "------ This is a copy of the message, including all the headers. ------",
        "",
        original(of),
      ),
    means: "soft-bounced",
  },
  {
    name: "Exim, an email that is late",
    write: (of) =>
      prose(
        [
          "From: Mail Delivery System <Mailer-Daemon@mx.sender.example>",
          "Subject: Warning: message 1pXyZ-0001 delayed 24 hours",
        ],
        "This message was created automatically by mail delivery software.",
        "A message that you sent has not yet been delivered to one or more of its",
        "recipients after more than 24 hours on the queue on mx.sender.example.",
        "",
        "No action is required on your part. Delivery attempts will continue for",
        "some time, and this warning may be repeated at intervals if the message",
        "remains undelivered. 451 4.7.1 Greylisted",
        "",
        original(of),
      ),
    means: undefined,
  },
  {
    name: "qmail, an address that does not exist",
    write: (of) =>
      prose(
        ["From: MAILER-DAEMON@mx.sender.example", "To: ada@site.example", "Subject: failure notice"],
        "Hi. This is the qmail-send program at mx.sender.example.",
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        "",
        `<${of.to}>:`,
        "Sorry, no mailbox here by that name. (#5.1.1)",
        "",
        "--- Below this line is a copy of the message.",
        "",
        "Return-Path: <ada@site.example>",
        original(of),
        "",
        "Hello, the code 5.1.1 is nice",
      ),
    means: "bounced",
    status: "5.1.1",
  },
  {
    name: "qmail, after a week",
    write: (of) =>
      prose(
        ["From: MAILER-DAEMON@mx.sender.example", "Subject: failure notice"],
        "Hi. This is the qmail-send program at mx.sender.example.",
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        "",
        `<${of.to}>:`,
        "192.0.2.9 does not like recipient.",
        "Remote host said: 452 4.2.2 Over quota",
        "Giving up on 192.0.2.9.",
        "I'm not going to try again; this message has been in the queue too long.",
        "",
        "--- Below this line is a copy of the message.",
        "",
        original(of),
      ),
    means: "soft-bounced",
    status: "4.2.2",
  },
  {
    name: "qmail, an address that the email was forwarded to",
    write: (of) =>
      prose(
        ["From: MAILER-DAEMON@mx.example.com", "Subject: failure notice"],
        "Hi. This is the qmail-send program at mx.example.com.",
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "",
        "<old-job@elsewhere.example>:",
        "Sorry, no mailbox here by that name. (#5.1.1)",
        "",
        "--- Below this line is a copy of the message.",
        "",
        original(of),
      ),
    means: "soft-bounced",
    status: "5.1.1",
  },
  {
    name: "Exchange 2003, in words",
    write: (of) =>
      prose(
        ["From: System Administrator <postmaster@example.com>", "Subject: Undeliverable: News"],
        "Your message",
        "",
        "  To:      ada",
        "  Subject: News",
        "  Sent:    Sat, 21 Nov 2026 12:00:00 +0000",
        "",
        "did not reach the following recipient(s):",
        "",
        `'${of.to}' on Sat, 21 Nov 2026 12:00:02 +0000`,
        "    The e-mail account does not exist at the organization this message was sent to.",
        "    <mx.example.com #5.1.1>",
        "",
        "-----Original Message-----",
        original(of),
      ),
    means: "bounced",
    status: "5.1.1",
  },
  { name: "a complaint (ARF)", write: (of) => complaint(of, abuse), means: "complained" },
  {
    name: "a complaint that hides who complains",
    write: (of) => complaint(of, abuse, { hasRecipient: false }),
    means: "complained",
  },
  {
    name: "a report of fraud",
    write: (of) => complaint(of, ["Feedback-Type: fraud", "User-Agent: X", "Version: 1"]),
    means: "complained",
  },
  {
    name: "a complaint taken back",
    write: (of) => complaint(of, ["Feedback-Type: not-spam", "User-Agent: X", "Version: 1"]),
    means: undefined,
  },
  {
    name: "a report on a signature",
    write: (of) => complaint(of, ["Feedback-Type: auth-failure", "Auth-Failure: dkim", "Version: 1"]),
    means: undefined,
  },
  {
    name: "an automatic reply",
    write: (of) =>
      lines(
        `From: <${of.to}>`,
        "Subject: Out of office: News",
        "Auto-Submitted: auto-replied",
        `In-Reply-To: <${of.messageId}>`,
        "",
        "I am away until 5.1.1 and could not be delivered.",
      ),
    means: undefined,
  },
  {
    name: "a person who writes about a bounce",
    write: (of) =>
      lines(
        `From: Ada <${of.to}>`,
        "Subject: Undelivered Mail Returned to Sender",
        `In-Reply-To: <${of.messageId}>`,
        "",
        "I got “550 5.1.1 No such user”, a permanent error. What does it mean?",
      ),
    means: undefined,
  },
];

const breaks = [
  ...[
    "\r\n",
    "\n",
    "\r",
    "\n\n",
    "\r\n\t",
    "\u0000",
    "\u000b",
    "\u000c",
    "\u0085",
    "\u2028",
    "\u2029",
    "\u001b",
    "\u007f",
  ],
  ...["\u202e", "\u2066", "\ufeff", "%0d%0a", "\\r\\n", "\ud800", "\u560a\u560d"],
];
const tails = [
  ...["Bcc: x@y.example", "To: x@y.example", "Subject: pills", "X-A: 1\r\n\r\n<html>", "RCPT TO:<x@y.example>"],
  ...["Content-Type: text/html", "Reply-To: <x@y.example>", "=?utf-8?B?QmNjOiB4QHkuZXhhbXBsZQ==?=", ".\r\nQUIT"],
];
const tricks = [
  ...["a@b.example, x@y.example", "A, B <x@y.example>", "<x@y.example>", '"A" <x@y.example>, "B', "A; B: x@y.example;"],
  ...['\\" <x@y.example>', "(comment) x@y.example", "=?utf-8?Q?=0D=0ABcc:_x@y.example?=", "@", '""', "<>", " ", "\\"],
  ...["x".repeat(5000), "💌".repeat(1000), "n".repeat(60) + "\r\nBcc: x@y.example", "a\r\n b\r\n c", "[x@y.example]"],
  ...["x@y.example\u00a0", "｛x＠y.example｝", "undisclosed-recipients:;", "A <x@y.example", "> x@y.example", "'", "`"],
];
/** Names and subjects that try to become headers, further recipients or encoded words. */
export const headerPayloads = [
  ...breaks.flatMap((mark) => tails.map((tail) => `Eve${mark}${tail}`)),
  ...breaks.flatMap((mark) => [`${mark}Eve`, `Eve${mark}`, `E${mark}v${mark}e`, mark]),
  ...tricks,
  ...tricks.map((trick) => `Eve ${trick}`),
];

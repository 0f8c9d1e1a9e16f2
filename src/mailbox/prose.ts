import { type MailedReport, oneLine, statusIn } from "./failure";
import { field, type Part, partsOf, textOf } from "./mime";

/* Reports without the form of RFC 3464, as programs wrote and write them. */

type Style = {
  /** Whether the email is such a report. */
  isThis: (email: Part, text: string) => boolean;
  /** Where the email begins that could not be delivered: what it says is not about the failure. */
  copy: RegExp;
  /** Whom the report names. */
  addresses: (email: Part, text: string) => string[];
};

const isFromServer = (email: Part) =>
  /\b(mailer-daemon|postmaster|mail delivery|microsoft exchange)\b/i.test(field(email, "from")) ||
  /^<>$/.test(field(email, "return-path"));

const styles: Style[] = [
  {
    // Exim
    isThis: (email, text) =>
      email.fields.has("x-failed-recipients") ||
      /^This message was created automatically by mail delivery software/m.test(text),
    copy: /^-{4,} ?(This is a copy of|The following (text|addresses)|The body of)/im,
    addresses: (email) =>
      field(email, "x-failed-recipients")
        .split(",", 50)
        .map((each) => each.trim())
        .filter(Boolean),
  },
  {
    // qmail: http://cr.yp.to/proto/qsbmf.txt
    isThis: (_, text) => /^Hi\. This is the /m.test(text.slice(0, 2_000)),
    copy: /^-{3,} ?(Below this line is a copy|Undelivered message follows)/im,
    addresses: (_, text) =>
      [...text.matchAll(/^<([^<>\s]{3,320})>:/gm)].slice(0, 50).map(([, address = ""]) => address),
  },
  {
    // Exchange and others, in words
    isThis: (email) => isFromServer(email),
    copy: /^(-{4,} ?(original message|message header|returned message|transcript)|Original message headers:|Diagnostic information for administrators:\s*Original)/im,
    addresses: (_, text) =>
      [
        ...text.matchAll(
          /^[ \t]{0,8}'?<?([^\s<>'"();,]{1,64}@[^\s<>'"();,]{1,255}?)>?'?(?:[ \t]*[<(]|:?[ \t]*$| on )/gm,
        ),
      ]
        .slice(0, 50)
        .map(([, address = ""]) => address),
  },
];

const isFinal =
  /permanent(ly)?\b|could ?n[o']t be delivered|did not reach|undeliver|delivery (has )?failed|fail(ed|ure)|gave? up|given up|rejected|returned/i;
const isLate =
  /\b(delay(ed)?|will (keep|continue)|still being|not yet been delivered|warning|no action is required|do not need to resend)\b/i;
const maxCharacters = 64 * 2 ** 10;

/** Reads a report in words. Undefined if it is none, or only says that an email is late. */
export function proseReport(email: Part): MailedReport | undefined {
  const text = partsOf(email)
    .filter(({ type }) => type === "text/plain" || type === "text/html")
    .slice(0, 2)
    .map((part) => textOf(part, maxCharacters))
    .find((each) => each.trim());
  const style = text === undefined ? undefined : styles.find(({ isThis }) => isThis(email, text));
  if (text === undefined || !style) return;
  const [said = ""] = text.split(style.copy, 1);
  if (isLate.test(field(email, "subject")) || (isLate.test(said) && !/permanent|given up|gave up/i.test(said))) return;
  const status = statusIn(said);
  if (!status && !isFinal.test(`${field(email, "subject")}\n${said}`)) return;
  return {
    kind: "failed",
    failures: [{ addresses: style.addresses(email, said), status, detail: oneLine(reasonIn(said)) }],
  };
}

/** The line with the server's code, or else the whole. */
const reasonIn = (text: string): string =>
  text.split("\n", 500).find((line) => /(?<![\d.])[45](\d\d[ -]|\.[0-7]\.\d{1,3}(?!\.?\d))/.test(line)) ??
  text.slice(0, 1_000);

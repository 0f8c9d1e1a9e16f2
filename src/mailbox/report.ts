import { emailKey } from "../../db/lib/email-key";
import type { Report } from "../../db/provider-reports";
import { isGone } from "../mail/smtp/answers";
import { field, type Part, partsOf, readFields, textOf, words } from "./mime";

const maxCharacters = 64 * 2 ** 10;
const maxGroups = 50;

/**
 * Reads a delivery report (RFC 3464), a complaint (RFC 5965), or one of the common texts without such a form. Returns
 * undefined for everything else, also for what says that an email is late or was passed on.
 */
export function reportIn(email: Part): MailedReport | undefined {
  const parts = partsOf(email);
  const status = parts.find(({ type }) => /^message\/(global-)?delivery-status$/.test(type));
  const complaint = parts.find(({ type }) => type === "message/feedback-report");
  const report = complaint ? complaintIn(complaint) : status ? deliveryStatusIn(status) : proseReport(email);
  return report && { ...report, sentAt: report.sentAt ?? sentAtOf(parts) };
}

const abuses = ["abuse", "fraud", "virus"];

/** RFC 5965. Who takes back a complaint, or reports on signatures, complains of nothing. */
function complaintIn(part: Part): MailedReport | undefined {
  const fields = readFields(textOf(part, maxCharacters));
  const type = field({ fields }, "feedback-type").toLowerCase();
  if (!abuses.includes(type)) return;
  const addresses = (fields.get("original-rcpt-to") ?? []).slice(0, maxGroups).map(bare);
  const detail = [type, field({ fields }, "user-agent")].filter(Boolean).join(", ");
  return { kind: "complained", failures: [{ addresses, status: "", detail: oneLine(detail) }] };
}

/** RFC 3464: a group of fields about the email, and one for each recipient. */
function deliveryStatusIn(part: Part): MailedReport | undefined {
  const [perMessage, ...groups] = textOf(part, maxCharacters)
    .split(/\n[ \t]*\n/, maxGroups + 1)
    .map(readFields);
  // Some programs leave the first group out, or the empty line after it
  const perRecipient = [...(perMessage?.has("action") ? [perMessage] : []), ...groups];
  const failures = perRecipient.flatMap((fields) => failureOf({ fields }) ?? []);
  const sentAt = perMessage && dateOf(field({ fields: perMessage }, "arrival-date"));
  return failures.length ? { kind: "failed", failures, sentAt } : undefined;
}

/** Delayed, relayed, expanded and delivered are no failures. */
function failureOf(group: Pick<Part, "fields">): Failure | undefined {
  if (!/^failed\b/i.test(field(group, "action"))) return;
  const [final, original] = [bare(field(group, "final-recipient")), bare(field(group, "original-recipient"))];
  const diagnostic = words(field(group, "diagnostic-code")).replace(/^[\w-]+\s*;\s*/, "");
  const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(field(group, "status"))?.[0] ?? "";
  return {
    addresses: [final, original].filter(Boolean),
    isForwarded: Boolean(final && original && emailKey(final) !== emailKey(original)),
    status: /^[45]\.0\.0$|^$/.test(status) ? statusIn(diagnostic) || status : status,
    detail: oneLine([status, diagnostic].filter(Boolean).join(" ")),
  };
}

/** "rfc822; ada@example.com" and "<ada@example.com>" as "ada@example.com". */
const bare = (value: string): string =>
  value
    .replace(/^[\w-]+\s*;/, "")
    .replaceAll(/[<>\s]/g, "")
    .slice(0, 320);

/** When the email that the report contains was written. */
function sentAtOf(parts: Part[]): Date | undefined {
  for (const part of parts) {
    const inner = part.type === "message/rfc822" ? part.parts[0] : undefined;
    const fields =
      inner?.fields ?? (part.type === "text/rfc822-headers" ? readFields(textOf(part, maxCharacters)) : undefined);
    const date = fields && dateOf(field({ fields }, "date"));
    if (date) return date;
  }
  return undefined;
}

function dateOf(text: string): Date | undefined {
  const date = new Date(text.slice(0, 60));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * What the report means for the person whose email it was. Undefined if it means nothing for them.
 *
 * An address that the email was forwarded to says little about theirs, so it counts as temporary.
 */
export function meaningFor(
  report: MailedReport,
  email: string,
): Pick<Report, "kind" | "bounceType" | "detail"> | undefined {
  const key = emailKey(email);
  const names = ({ addresses }: Failure) => addresses.some((address) => emailKey(address) === key);
  const failure = report.failures.find(names) ?? report.failures[0];
  if (!failure) return;
  const { detail, status } = failure;
  if (report.kind === "complained") return { kind: "complained", detail };
  const isTheirs = !failure.isForwarded && (names(failure) || failure.addresses.length === 0);
  return { kind: isTheirs && isGone(status) ? "bounced" : "soft-bounced", bounceType: status || undefined, detail };
}

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

/** Reads a report in words. Undefined if it is none, or only says that an email is late. */
function proseReport(email: Part): MailedReport | undefined {
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

/** What a report says of one address. */
type Failure = {
  /** Whom the report names, if it does: the address the email was sent to, or one it was forwarded to. */
  addresses: string[];
  /** Whether the email was first sent to another address than the one that failed. */
  isForwarded?: boolean;
  /** As in RFC 3463: "5.1.1". Empty if it is not said. */
  status: string;
  detail: string;
};

/** What a report is about, whosever email it was. */
export type MailedReport = {
  kind: "failed" | "complained";
  failures: Failure[];
  /** When the email was sent, as far as the report says. */
  sentAt?: Date | undefined;
};

/** The code in a server's reply, as "5.1.1" in "550 5.1.1 No such user". Empty if it has none. */
const statusIn = (text: string): string => /(?<![\d.])([45]\.[0-7]\.\d{1,3})(?!\.?\d)/.exec(text)?.[1] ?? replyIn(text);

/** A reply without such a code says less: 550 may be about anything. */
const replyIn = (text: string): string => {
  const [, first] = /(?<![\d.])([45])\d\d(?=[ -])/.exec(text) ?? [];
  return first ? `${first}.0.0` : "";
};

/** For a page and a log: no control characters, not long. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();

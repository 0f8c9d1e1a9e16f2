import type { Report } from "../../db/provider-reports";
import { emailKey } from "../../db/lib/email-key";
import { field, type Part, partsOf, readFields, textOf, words } from "./mime";
import { type Failure, type MailedReport, oneLine, statusIn } from "./failure";
import { proseReport } from "./prose";
import { isGone } from "../mail/smtp/answers";

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
 * An address that the email was forwarded to says little about theirs, so it counts as temporary (A37).
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

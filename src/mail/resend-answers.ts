import type { Outcome, Reason } from "./provider";
import type { Answer } from "./resend-client";

/**
 * Interprets a response from Resend. Its message is not redacted yet.
 *
 * @param count emails in the request
 */
export function meaningOf({ status, headers, body }: Answer, count: number, now: Date): Outcome {
  const { name, message } = errorIn(body);
  const said = `${status}: ${message ?? "Unexpected response from the provider"}`;
  if (status >= 200 && status < 300) {
    const ids = idsIn(body);
    return ids.length === count ? { kind: "accepted", ids } : { kind: "unknown", message: said };
  }
  if (name === "invalid_idempotent_request") return { kind: "conflict", message: said };
  if (isUnknown(status, name)) return { kind: "unknown", message: said };
  const reason = reasonOf(status, name, message);
  const retryAfterMs = reason === "daily-quota" ? untilQuotaReturns(now) : retryAfter(headers);
  return { kind: "refused", reason, message: said, retryAfterMs };
}

/** Whether the request may have been, or may still be, processed. Redirects are not followed. */
const isUnknown = (status: number, name = "") =>
  status < 400 || status >= 500 || status === 408 || status === 425 || name === "concurrent_idempotent_requests";

function reasonOf(status: number, name = "", message = ""): Reason {
  if (name === "daily_quota_exceeded") return "daily-quota";
  if (name === "monthly_quota_exceeded") return "monthly-quota";
  if (status === 429) return "rate";
  if (status === 401 || status === 403 || name === "invalid_from_address" || /domain is not verified/i.test(message))
    return "credentials";
  return status === 413 ? "too-large" : "invalid";
}

/** Returns the IDs of an accepted email or batch. Empty unless all of them are strings. */
function idsIn(body: unknown): string[] {
  const { id, data } = record(body);
  const rows = Array.isArray(data) ? data.map((row) => record(row).id) : [id];
  return rows.every((each) => typeof each === "string") ? rows : [];
}

function errorIn(body: unknown): { name?: string; message?: string } {
  const { name, message } = record(body);
  return { ...(typeof name === "string" && { name }), ...(typeof message === "string" && { message }) };
}

const record = (value: unknown) => (typeof value === "object" && value ? value : {}) as Record<string, unknown>;

const retryAfter = (headers: Headers) => {
  const seconds = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
};

/** Quotas are counted by UTC day; five minutes are added for clocks that differ. */
const untilQuotaReturns = (now: Date) =>
  Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 0, 5) - now.getTime();

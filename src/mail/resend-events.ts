import { z } from "zod";
import { emailKey } from "../../db/lib/email-key";
import type { Report } from "../../db/provider-reports";
import { emailAddress } from "../platform/text/email-address";

/* Resend's events as reports: https://resend.com/docs/webhooks/event-types */

const maxDetail = 300;
const text = z.string().catch("");
const time = z.coerce.date().optional().catch(undefined);

const Tags = z.union([
  z.record(z.string(), z.string()),
  z
    .array(z.object({ name: z.string(), value: z.string() }))
    .max(75)
    .transform((tags) => Object.fromEntries(tags.map(({ name, value }) => [name, value]))),
]);

const Event = z.object({
  type: z.string().max(100),
  created_at: time,
  data: z
    .object({
      created_at: time,
      from: text,
      to: z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]),
      email: text, // of a suppression
      tags: Tags.catch({}),
      bounce: z.object({ type: text, subType: text, message: text }).optional().catch(undefined),
      failed: z.object({ reason: text }).optional().catch(undefined),
      suppressed: z.object({ message: text, type: text }).optional().catch(undefined),
    })
    .catch({ created_at: undefined, from: "", to: [], email: "", tags: {} }),
});
type Event = z.output<typeof Event>;

const kinds: Record<string, (data: Event["data"]) => Report["kind"]> = {
  "email.delivered": () => "delivered",
  "email.bounced": ({ bounce }) => (bounce?.type === "Permanent" ? "bounced" : "soft-bounced"),
  "email.complained": () => "complained",
  "email.suppressed": () => "suppressed",
  "email.failed": () => "failed",
  "suppression.added": () => "suppressed",
  "suppression.removed": () => "kept",
};

/**
 * Reads an event. Returns undefined if its kind changes nothing, or it is not about one of our emails: other programs
 * may use the same account.
 *
 * @param ownSender the address that our emails are sent from
 */
export function reportOf(id: string, event: unknown, ownSender: string, now: Date): Report | undefined {
  const read = Event.safeParse(event);
  if (!read.success) return;
  const { type, data, created_at: at = now } = read.data;
  const kind = Object.hasOwn(kinds, type) ? kinds[type]?.(data) : undefined;
  const email = emailAddress.safeParse(data.email || (data.to.length === 1 ? data.to[0] : ""));
  if (!kind || !email.success) return;
  const { bounce, failed, suppressed, tags } = data;
  const recipient = recipientOf(tags);
  const outboxId = tags.postroom_m?.slice(0, 100);
  const isOurs =
    recipient || outboxId || type.startsWith("suppression.") || emailKey(addressIn(data.from)) === emailKey(ownSender);
  if (!isOurs) return;
  const said = bounce?.message || failed?.reason || suppressed?.message;
  return {
    id,
    type,
    kind,
    at,
    sentAt: data.created_at,
    email: email.data,
    recipient,
    outboxId,
    bounceType: bounce && [bounce.type, bounce.subType].filter(Boolean).join("/").slice(0, 100),
    detail: said ? said.replaceAll(/\s+/g, " ").slice(0, maxDetail) : undefined,
  };
}

function recipientOf({ postroom_b: broadcastId, postroom_r: row = "" }: Record<string, string>): Report["recipient"] {
  if (!broadcastId || broadcastId.length > 100 || !/^[1-9]\d{0,14}$/.test(row)) return;
  return { broadcastId, row: Number(row) };
}

/** Returns the address in "Name <address>", in lower case. */
export const addressIn = (from: string): string => (/<([^<>]*)>\s*$/.exec(from)?.[1] ?? from).trim().toLowerCase();

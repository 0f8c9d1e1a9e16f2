import { type HourlyLimit, hourlyLimits, maxHourlyLimit, parseHourlyLimit } from "../../../db/limits/hourly-limits";
import { line } from "../../platform/text/schemas";
import type { SettingField, SettingSection } from "./fields";

const count = (n: number) => n.toLocaleString("en-GB");

const limitField = (key: HourlyLimit, label: string, consequence: string): SettingField => ({
  key,
  label,
  hint: `${consequence} ${hourlyLimits[key] ? `Default: ${count(hourlyLimits[key])}. Enter 0 for no limit.` : "Leave empty for no limit."}`,
  inputmode: "numeric",
  schema: line({ max: 6 })
    .transform((text) => text.replace(",", ""))
    .refine(
      (text) => !text || parseHourlyLimit(text) !== undefined,
      `Enter a whole number from 0 to ${count(maxHourlyLimit)}.`,
    ),
});

/**
 * Limits on what strangers can cause in an hour (docs/decisions/limits.md), and on broadcasts. No API key can read
 * them.
 */
export const limits: SettingSection = {
  id: "limits",
  title: "Limits per hour",
  about:
    "How much strangers can cause within an hour, and how fast broadcasts are sent. The limits count for all visitors together and protect others when someone floods your forms.",
  fields: [
    limitField(
      "emailsToStrangersPerHour",
      "Emails to new subscribers",
      "Further emails wait in the outbox and are sent later. Emails to you and your managers never wait.",
    ),
    limitField(
      "messagesPerHourBeforeQuarantine",
      "Messages before quarantine",
      "Further messages are stored in Quarantine, and one summary replaces their notifications.",
    ),
    limitField(
      "newSubscribersPerHour",
      "New subscribers",
      "Further visitors receive an error and are asked to try again later (429).",
    ),
    limitField(
      "storedMessagesPerHour",
      "Stored messages",
      "Further messages are not stored, and their senders are asked to try again later (429).",
    ),
    limitField(
      "broadcastEmailsPerHour",
      "Broadcast emails",
      "For all broadcasts together. Further emails are sent later. Useful for a new sender address, or a mail server with its own limit.",
    ),
  ],
};

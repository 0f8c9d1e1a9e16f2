import { z } from "zod";
import { maxSubject } from "../../db/broadcasts/rules";
import { timeOfMinute } from "../../db/lib/time";
import { againDays, maxSequences } from "../../db/sequences/sequences";
import { optional } from "../http/request-schemas";
import { line } from "../platform/text/schemas";
import { field } from "./field";

const triggerNames = {
  subscribed: "Someone subscribes",
  confirmed: "Someone confirms their address",
  tag: "Someone gets a tag",
  topic: "Someone chooses a topic",
};

/** A new sequence. Which tag or topic counts for these triggers alone. */
export const SequenceFields = z.object({
  name: field(line({ min: 1, max: maxSequences.name }), { label: "Name", hint: "For you: readers do not see it." }),
  trigger: field(z.enum(["subscribed", "confirmed", "tag", "topic"]), {
    label: "Begins when",
    options: Object.entries(triggerNames),
  }),
  tag: field(optional(line({ max: 60 })), { label: "Tag (optional)", hint: "If it begins with a tag." }),
  topic: field(optional(line({ max: 60 })), {
    label: "Topic (optional)",
    hint: "If it begins with a topic.",
    options: [],
  }),
  again: field(
    optional(line({ max: 20 })).transform((text, context) => {
      if (!text) return null;
      const days = /^\d+$/.test(text) ? Number(text) : 0;
      if (days >= againDays.least && days <= againDays.most) return days;
      context.addIssue(`Enter ${againDays.least} to ${againDays.most} days, or nothing.`);
      return z.NEVER;
    }),
    {
      label: "Again after days (optional)",
      hint: "So long after its end, someone who gets the tag or chooses the topic again begins again. Otherwise no one begins twice.",
    },
  ),
  segment: field(optional(line({ max: 60 })), {
    label: "Who begins it",
    hint: "People who are not in the segment at that moment do not begin it.",
    options: [],
  }),
});

const most = { hours: 2_000, days: 365 };
const count = z
  .string()
  .trim()
  .regex(/^\d{1,4}$/, "Enter a whole number, such as 2.")
  .transform(Number);

/** When an email is sent, after the one before. */
export const WaitFields = z.object({
  after: field(count, { label: "Wait", hint: "After the email before, or the beginning. 0 is immediately." }),
  unit: field(z.enum(["days", "hours"]), {
    label: "Days or hours",
    options: [
      ["days", "Days"],
      ["hours", "Hours"],
    ],
  }),
  at: field(
    z
      .string()
      .trim()
      .regex(/^(([01]?\d|2[0-3]):[0-5]\d)?$/, "Enter a time such as 09:00, or nothing."),
    {
      label: "At (optional)",
      hint: "With days: where the person lives if that is known, otherwise where the site is.",
    },
  ),
});

/** An email to be written. */
export const StepFields = z.object({
  subject: field(line({ min: 1, max: maxSubject }), { label: "Subject" }),
  ...WaitFields.shape,
});

type Wait = { waitHours: number; atMinute: number | null };

/** Returns the wait that was entered, or what is wrong with it. */
export function waitOf({ after, unit, at }: z.output<typeof WaitFields>): Wait | { field: string; message: string } {
  if (after > most[unit]) return { field: "after", message: `Enter at most ${most[unit]} ${unit}.` };
  if (at && unit === "hours") return { field: "at", message: "Choose days, or enter no time." };
  const [hour = "0", minute = "0"] = at.split(":");
  return { waitHours: unit === "days" ? 24 * after : after, atMinute: at ? Number(hour) * 60 + Number(minute) : null };
}

/** The same as a form shows it. */
export function waitValues({ waitHours, atMinute }: Wait): Record<string, string> {
  const isDays = atMinute !== null || (waitHours > 0 && waitHours % 24 === 0);
  const at = atMinute === null ? "" : timeOfMinute(atMinute);
  return { after: String(isDays ? waitHours / 24 : waitHours), unit: isDays ? "days" : "hours", at };
}

import type { Mail } from "../../../db/mail/outbox";
import { Badge } from "../../components/badge";

export const mailStates = {
  queued: { label: "Queued", tone: "warn" },
  sent: { label: "Sent", tone: "good" },
  simulated: { label: "Simulated", tone: "off" },
  dead: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "off" },
} as const satisfies Record<Mail["state"], { label: string; tone: "good" | "warn" | "bad" | "off" }>;

export const mailKinds: Record<Mail["kind"], string> = {
  welcome: "Welcome",
  confirm: "Confirmation",
  contact: "Contact notification",
  quarantine: "Quarantine summary",
  test: "Test",
  "sign-in": "New sign-in",
  invitation: "Invitation",
  notice: "Notice",
  "broadcast-test": "Test of a broadcast",
};

export const MailState = ({ state, label }: { state: Mail["state"]; label?: string | undefined }) => (
  <Badge tone={mailStates[state].tone}>{label ?? mailStates[state].label}</Badge>
);

/** Whether only the hourly limit holds it back (P68). */
export const awaitsTurn = ({ state, lane, nextAttemptAt }: Mail, { now }: { now: Date }) =>
  state === "queued" && lane > 0 && nextAttemptAt <= now;

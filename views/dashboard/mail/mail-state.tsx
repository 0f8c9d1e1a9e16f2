import type { Mail, MailOutcome } from "../../../db/mail/outbox";
import { Badge } from "../../components/badge";

export const mailStates = {
  queued: { label: "Queued", tone: "warn" },
  sent: { label: "Sent", tone: "good" },
  simulated: { label: "Simulated", tone: "off" },
  dead: { label: "Failed", tone: "bad" },
  uncertain: { label: "Uncertain", tone: "warn" },
  cancelled: { label: "Cancelled", tone: "off" },
} as const satisfies Record<MailOutcome, { label: string; tone: "good" | "warn" | "bad" | "off" }>;

export const mailKinds: Record<Mail["kind"], string> = {
  welcome: "Welcome",
  confirm: "Confirmation",
  contact: "Contact notification",
  reply: "Reply",
  quarantine: "Quarantine summary",
  test: "Test",
  "sign-in": "New sign-in",
  invitation: "Invitation",
  notice: "Notice",
  record: "Link to stored data",
  "broadcast-test": "Test of a broadcast",
};

type Props = { mail: Pick<Mail, "state" | "inDoubtSince"> };

export const MailState = ({ mail }: Props) => {
  const state = outcomeOf(mail);
  return <Badge tone={mailStates[state].tone}>{mailStates[state].label}</Badge>;
};

/** What became of an email: one that was given up without an answer may have arrived. */
const outcomeOf = ({ state, inDoubtSince }: Props["mail"]): MailOutcome =>
  state === "dead" && inDoubtSince ? "uncertain" : state;

/** Whether only the hourly limit holds it back. */
export const awaitsTurn = ({ state, lane, nextAttemptAt }: Mail, { now }: { now: Date }) =>
  state === "queued" && lane > 0 && nextAttemptAt <= now;

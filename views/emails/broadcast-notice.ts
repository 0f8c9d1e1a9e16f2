import type { Ledger } from "../../db/broadcasts/ledger";
import { plural } from "../components/list";
import type { Notice } from "./notice";

type BroadcastNoticeView = {
  url: string;
  subject: string;
  /** The name of the sequence whose email it is, and which is paused with it. */
  sequence?: string | undefined;
  /** `not-sent`: a rule should have sent its post. */
  about: "paused" | "sent" | "not-sent";
  /** Why it is paused, and what the provider said. */
  reason: string | null;
  detail: string | null;
  ledger: Ledger;
};

const reasons: Record<string, string> = {
  missed: "It was due while Postroom was not running.",
  restored: "It comes from a restored backup.",
  late: "More than 100 people should have got an email three days ago. Decide whether they still get it.",
  post: "Its post, with which it goes out, is not public.",
  segment: "Its audience is not valid.",
  letter: "Its email could not be created.",
  bounces: "Too many addresses do not exist.",
  complaints: "Too many recipients reported it as spam.",
  refused: "The email provider rejected its emails.",
  credentials: "The email provider rejected the API key, the credentials or the sender.",
  quota: "The monthly quota of the email provider is used up.",
};

function sentences(view: BroadcastNoticeView): string[] {
  const { about, reason, detail, ledger, sequence } = view;
  if (about === "not-sent")
    return [
      reason === "late"
        ? "This newsletter was due more than a day ago, while Postroom was not running, so it was not sent automatically."
        : `This newsletter was not sent automatically, because a check failed: ${detail ?? ""}`,
      "It is a draft now. Send it yourself, or delete it.",
    ];
  const { recipients, accepted, simulated, uncertain, refused, left } = ledger;
  if (about === "paused")
    return [
      `${sequence ? `The sequence “${sequence}”` : "The broadcast"} was paused automatically. ${reasons[reason ?? ""] ?? ""}`.trim(),
      ...(detail ? [`The provider’s response: ${detail}`] : []),
      "Nothing else is sent until someone resumes it.",
    ];
  const count = simulated ? `${plural(simulated, "email")} simulated` : `${plural(accepted, "email")} accepted`;
  return [
    `The broadcast was sent. Of ${plural(recipients, "recipient")}: ${count}.`,
    ...(uncertain
      ? [
          `It is uncertain whether ${plural(uncertain, "recipient")} received the email. Decide whether to send it again.`,
        ]
      : []),
    ...(refused ? [`The provider refused ${plural(refused, "email")}.`] : []),
    ...(left ? [`${plural(left, "recipient")} unsubscribed first.`] : []),
  ];
}

const headings = { sent: "Sent", paused: "Paused", "not-sent": "Not sent" };

/** A broadcast was sent, or needs attention. */
export const broadcastNotice = (view: BroadcastNoticeView): Notice => ({
  subject: `${headings[view.about]}: ${view.subject}`,
  paragraphs: sentences(view),
  button: view.sequence ? "Open the sequence" : "Open the broadcast",
  url: view.url,
});

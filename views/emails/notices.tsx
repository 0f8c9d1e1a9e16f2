import type { Ledger } from "../../db/broadcasts/ledger";
import { plural } from "../components/list";
import { Button, EmailLayout, moment, style } from "./email-layout";

/** What an email tells the owner: a few paragraphs, and where to look. */
export type Notice = {
  subject: string;
  paragraphs: string[];
  /** What the button says, and where it leads. */
  button: string;
  url: string;
};

type NoticeView = Notice & { siteTitle: string; siteUrl: string };

/** Tells the owner something. */
export const NoticeEmail = ({ siteTitle, siteUrl, subject, paragraphs, button, url }: NoticeView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title={subject}
    preheader={paragraphs[0] ?? ""}
    footer={
      <p class="quiet" style={style.quiet}>
        {sentBy(siteUrl)}
      </p>
    }
  >
    {paragraphs.map((paragraph) => (
      <p class="ink" style={style.text}>
        {paragraph}
      </p>
    ))}
    <Button href={url}>{button}</Button>
  </EmailLayout>
);

export const noticeText = ({ siteUrl, subject, paragraphs, button, url }: NoticeView) => `${subject}

${paragraphs.join("\n\n")}

${button}:
${url}

--${" "}
${sentBy(siteUrl)}
`;

const sentBy = (siteUrl: string) => `Sent by Postroom at ${new URL(siteUrl).host}.`;

/* What each notice to the owner says. */

type KeyView = { name: string; url: string };

const aboutKey = ({ url }: KeyView, subject: string, ...paragraphs: string[]): Notice => ({
  subject,
  paragraphs,
  button: "Open the key",
  url,
});

/** An API key is about to expire. */
export const keyExpires = (view: KeyView & { expiresAt: Date; lastUsedAt: Date | null }): Notice => {
  const { name, expiresAt, lastUsedAt } = view;
  const day = expiresAt.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return aboutKey(
    view,
    `API key “${name}” expires on ${day}`,
    `The API key “${name}” works until ${moment(expiresAt)}. From then on, requests with it fail (401). ${lastUsedAt ? `It was last used on ${moment(lastUsedAt)}.` : "It has never been used."}`,
    "If a site still needs it, replace it: the new key has the same limits, and both work for a while, so that nothing is interrupted.",
  );
};

/** A key that may name visitors was used from somewhere else. */
export const keyUsedElsewhere = (view: KeyView & { network: string; at: Date }): Notice =>
  aboutKey(
    view,
    `API key “${view.name}” was used from a new network`,
    `On ${moment(view.at)}, the API key “${view.name}” was used from ${view.network}. It was not used from there before. This key may name visitors, so anyone who has it can invent views, subscribers and messages.`,
    "If that is not a server of yours, replace the key and choose “Now”. If your host has changed its addresses, there is nothing to do; a key that is limited to networks works nowhere else. You get at most one such email a week about a key.",
  );

/** A key that may name visitors perhaps invents them. */
export const keyInventsVisitors = (view: KeyView & { at: Date; messages: string }): Notice => ({
  ...aboutKey(
    view,
    `API key “${view.name}” may be inventing visitors`,
    `Within an hour before ${moment(view.at)}, the API key “${view.name}” named visitors from more than 500 networks, and at least half of the messages it sent on their behalf are in quarantine.`,
    `If your site is not that busy, replace the key and choose “Now” (${view.url}), and limit the new one to your server’s networks. Then look at the messages that came by it, and move them to the trash together. The page of the key leads to the subscribers, too. You get at most one such email a day about a key.`,
  ),
  button: "View the messages",
  url: view.messages,
});

/** A key erases people. */
export const keyErases = (view: KeyView & { at: Date }): Notice =>
  aboutKey(
    view,
    `API key “${view.name}” erases people`,
    `On ${moment(view.at)}, a program erased someone with the API key “${view.name}”: what was stored of the subscriber is deleted, and the address gets no more email.`,
    "If no program of yours erases people, turn the key off. It can erase 60 people in an hour, and the audit log has each of them without a name. You get at most one such email a day about a key.",
  );

type EndpointView = {
  name: string;
  /** The URL that is called. */
  endpoint: string;
  /** It said so itself, with 410. */
  isGone: boolean;
  /** What happens to uploads that it would decide about; undefined if it does not. */
  uploads: string | undefined;
  url: string;
};

/** A webhook endpoint was turned off automatically. */
export const webhookOff = ({ name, endpoint, isGone, uploads, url }: EndpointView): Notice => ({
  subject: `Webhook “${name}” turned off`,
  paragraphs: [
    isGone
      ? `${endpoint} said that it no longer exists (410). Postroom has stopped calling it.`
      : `No call to ${endpoint} has succeeded for 5 days. Postroom has stopped calling it.`,
    `Deliveries that are still waiting are kept for 30 days. Once the receiver works again, turn the endpoint on and send the failed deliveries again.${
      uploads ? ` Until then, new uploads wait 15 minutes and are then ${uploads}.` : ""
    }`,
  ],
  button: "Open the endpoint",
  url,
});

type AlertView = {
  /** What is wrong, and what that means. */
  title: string;
  detail: string;
  since: Date;
  /** When it was well again; undefined if it is not. */
  clearedAt: Date | undefined;
  /** What to do. */
  remedy: string;
  page: { url: string; text: string };
};

/** Something is wrong, or no longer is. */
export const alert = ({ title, detail, since, clearedAt, remedy, page }: AlertView): Notice => ({
  subject: clearedAt ? `Resolved: ${title}` : title,
  paragraphs: clearedAt
    ? [`This was resolved on ${moment(clearedAt)}. It was first seen on ${moment(since)}.`]
    : [detail, remedy, `It was first seen on ${moment(since)}. You will get another email when it is resolved.`],
  button: page.text,
  url: page.url,
});

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

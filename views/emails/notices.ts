import { moment } from "./email-layout";
import type { Notice } from "./notice";

/* What each notice to the owner says; views/emails/broadcast-notice.ts has those about broadcasts. */

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
    `If your site is not that busy, replace the key and choose “Now” (${view.url}), and limit the new one to your server’s networks. Then look at the messages that came by it, and move them to the trash together. You get at most one such email a day about a key.`,
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

import type { Db } from "../../db/engine/open";
import * as posts from "../../db/posts/posts";
import { ConfirmEmail, confirmText, type ConfirmView } from "../../views/emails/confirm";
import { WelcomeEmail, welcomeText, type WelcomeView } from "../../views/emails/welcome";
import type { Config } from "../config";
import { document, type Letter } from "./notices";

/* Single emails to subscribers. They name no one: what a visitor typed goes to no stranger's inbox (D33). */

const leaveHeaders = ({ isHttps }: Config, unsubscribeUrl: string) => ({
  "List-Unsubscribe": `<${unsubscribeUrl}>`,
  ...(isHttps && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058 wants https
});

export function confirmation(config: Config, to: string, view: ConfirmView): Letter {
  return {
    to,
    subject: view.t("confirmation.subject", { site: view.siteTitle }),
    headers: leaveHeaders(config, view.unsubscribeUrl),
    html: document(<ConfirmEmail {...view} />),
    text: confirmText(view),
  };
}

export function welcome(config: Config, to: string, view: WelcomeView): Letter {
  return {
    to,
    subject: view.t("welcome.subject", { site: view.siteTitle }),
    headers: leaveHeaders(config, view.unsubscribeUrl),
    html: document(<WelcomeEmail {...view} />),
    text: welcomeText(view),
  };
}

/** The newest three that were out when the mail was queued, so that a mail sent again says the same. */
export async function latestPosts({ config, db }: { config: Config; db: Db }, at: Date): Promise<WelcomeView["posts"]> {
  const page = await posts.listPublished(db, { limit: 3 }, at);
  return page.posts.map(({ slug, title, excerpt }) => ({ title, excerpt, url: `${config.BLOG_URL}/posts/${slug}` }));
}

import { postUrlOf } from "../../db/posts/rules";
import { readPostUrl } from "../content/post-url";
import * as archive from "../../db/broadcasts/archive";
import type { Db } from "../../db/engine/open";
import { confirmedName } from "../../db/newsletter/subscribers";
import * as posts from "../../db/posts/posts";
import type { WelcomeWords } from "../../db/settings/rules";
import {
  ConfirmEmail,
  confirmText,
  type ConfirmView,
  RecordEmail,
  recordText,
  type RecordView,
  WelcomeEmail,
  welcomeText,
  type WelcomeView,
} from "../../views/emails/welcome";
import { brandIn, type Preview, pictureOf } from "../broadcasts/letter/letter";
import { fieldsIn, type FieldValues, filled, greetingName, nobody } from "../broadcasts/letter/merge-fields";
import { oneLine, readPart } from "../broadcasts/letter/resolve";
import { archiveUrl, excerptOf, firstWords, plainText, publicLine } from "../broadcasts/letter/text";
import type { Config } from "../platform/config";
import { headerText } from "../mail/headers";
import type { ComposedEmail } from "../mail/provider";
import { document } from "./notices";
import type { MailSite } from "./site";

type Needs = { config: Config; db: Db };
/** `at`: when it was queued. `preview`: how a draft is previewed. */
type Wanted = {
  words: WelcomeWords;
  site: MailSite;
  unsubscribeUrl: string;
  preferencesUrl: string;
  at: Date;
  preview?: Preview;
};

/** The welcome email: in the managers' own words, or the default in the site's language. */
export async function welcome({ config, db }: Needs, to: string, wanted: Wanted): Promise<ComposedEmail> {
  const { words, site, unsubscribeUrl, preferencesUrl, preview } = wanted;
  const { t, siteTitle } = site;
  const links = { unsubscribe_url: unsubscribeUrl, preferences_url: preferencesUrl };
  const values = { ...nobody, ...links, name: greetingName(await confirmedName(db, to)), email: to };
  const subject = headerText(filled(fieldsIn(oneLine(words.subject), t), values));
  const written = writtenBy(config, wanted, values);
  const view: WelcomeView = {
    ...site,
    brand: preview ? brandIn(site.brand, preview) : site.brand,
    unsubscribeUrl,
    preferencesUrl,
    title: subject || t("confirmed.title"),
    preheader: written?.preheader || t("welcome.preheader", { site: siteTitle }),
    written,
    ...(await linksOf({ config, db }, wanted)),
  };
  return {
    to,
    subject: subject || t("welcome.subject", { site: siteTitle }),
    headers: leaveHeaders(config, unsubscribeUrl),
    html: document(<WelcomeEmail {...view} />),
    text: welcomeText(view),
  };
}

function writtenBy({ BLOG_URL }: Config, { words, site, preview }: Wanted, values: FieldValues) {
  const { t, siteUrl } = site;
  const { nodes } = readPart(words.text, "text", { t, siteUrl, base: BLOG_URL });
  if (!nodes.length) return;
  const mark = (field: Parameters<typeof filled>[0][number]) => filled([field], values);
  return {
    root: site.written?.root,
    nodes,
    mark,
    pictureOf: (src: string) => pictureOf(src, siteUrl, preview),
    plain: plainText(nodes, { t, mark }),
    preheader: firstWords(nodes),
  };
}

const maxLinks = 3;

/** The newest ones that existed when the email was queued, so that a repeated email has the same content. */
async function linksOf(
  { config, db }: Needs,
  { words, site: { t }, at }: Wanted,
): Promise<Pick<WelcomeView, "posts" | "postsTitle">> {
  if (words.links === "newsletters") {
    const after = { sentAt: at, id: "~" }; // after every ID
    const { broadcasts } = await archive.listArchived(db, { limit: maxLinks, after });
    const postOf = ({ slug, ...text }: (typeof broadcasts)[number]) => ({
      title: publicLine(text.subject, t),
      excerpt: excerptOf(text, t),
      url: archiveUrl(config.BASE_URL, slug),
    });
    return { posts: broadcasts.map(postOf), postsTitle: t("welcome.newsletters") };
  }
  const page = words.links === "posts" ? await posts.listPublished(db, { limit: maxLinks }, at) : { posts: [] };
  const { postUrl } = await readPostUrl({ config, db });
  return {
    posts: page.posts.map(({ slug, title, excerpt }) => ({ title, excerpt, url: postUrlOf(postUrl, slug) })),
    postsTitle: t("welcome.posts"),
  };
}

/** The unsubscribe headers (RFC 2369, RFC 8058). */
const leaveHeaders = ({ isHttps }: Config, unsubscribeUrl: string) => ({
  "List-Unsubscribe": `<${unsubscribeUrl}>`,
  ...(isHttps && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }), // RFC 8058 requires https
});

/** The email that asks for a confirmation. It names no one: what a visitor typed must not reach a stranger's inbox (D33). */
export function confirmation(config: Config, to: string, view: ConfirmView): ComposedEmail {
  return {
    to,
    subject: view.t("confirmation.subject", { site: view.siteTitle }),
    headers: leaveHeaders(config, view.unsubscribeUrl),
    html: document(<ConfirmEmail {...view} />),
    text: confirmText(view),
  };
}

/** The email with the link to what is stored, which only its owner may have. */
export const record = (to: string, view: RecordView): ComposedEmail => ({
  to,
  subject: view.t("record.subject", { site: view.siteTitle }),
  headers: {},
  html: document(<RecordEmail {...view} />),
  text: recordText(view),
});

/** The default text in the form in which managers edit it. */
export function defaultWelcome({ t, siteTitle, siteDescription = "" }: MailSite) {
  const thanks = t("welcome.thanks", { site: `**${plain(siteTitle)}**` });
  return {
    subject: t("welcome.subject", { site: siteTitle }),
    text: `${[thanks, plain(siteDescription)].filter(Boolean).join(" ")}\n\n${t("welcome.promise")}`,
  };
}

/** Escapes one line of text, so that it contains no Markdown or MDX. */
const plain = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&]/g, "\\$&");

import type { MailSite } from "./site";

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

import type { MailSite } from "./site";

/** The default words as a manager would write them, to begin with. */
export function defaultWelcome({ t, siteTitle, siteDescription = "" }: MailSite) {
  const thanks = t("welcome.thanks", { site: `**${plain(siteTitle)}**` });
  return {
    subject: t("welcome.subject", { site: siteTitle }),
    text: `${[thanks, plain(siteDescription)].filter(Boolean).join(" ")}\n\n${t("welcome.promise")}`,
  };
}

/** One line of text in which Markdown and MDX find nothing. */
const plain = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]<>#|~&]/g, "\\$&");

import type { Brand } from "../brand";
import type { Translator } from "../languages/translator";
import type { Child } from "../jsx/jsx-runtime";
import { EmailLayout, linkStyle, SenderLines, SiteLink, style } from "./email-layout";

type BroadcastView = {
  t: Translator;
  subject: string;
  preheader: string;
  date?: string | undefined;
  /** The text, which is the same in all languages. */
  prose: Child;
  /** The translator of its language, if that is another one. */
  written?: Translator | undefined;
  siteTitle: string;
  siteUrl: string;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
  browserUrl?: string | undefined;
  unsubscribeUrl: string;
  brand: Brand;
  /** The site's own last line. */
  footerLine?: string | undefined;
  /** Where who got it from a friend can subscribe. */
  subscribeUrl: string;
  readsReplies: boolean;
  preferencesUrl: string;
  topic?: { name: string; leaveUrl: string } | undefined;
};

/** A broadcast for everyone: marks stand in for each recipient's values. */
export const BroadcastEmail = ({
  t,
  subject,
  preheader,
  date,
  siteTitle,
  browserUrl,
  prose,
  written,
  brand,
  ...view
}: BroadcastView) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={subject}
    preheader={preheader}
    date={date}
    browserUrl={browserUrl}
    written={written}
    brand={brand}
    footer={<Footer t={t} siteTitle={siteTitle} brand={brand} {...view} />}
  >
    {prose}
  </EmailLayout>
);

type FooterView = Omit<BroadcastView, "subject" | "preheader" | "date" | "prose" | "written" | "browserUrl">;

const Footer = ({ t, siteTitle, siteUrl, sender, brand, ...view }: FooterView) => {
  const site = <SiteLink url={siteUrl} brand={brand} />;
  return (
    <>
      <p class="quiet" style={style.quiet}>
        {view.topic ? t.rich("email.why.topic", { topic: view.topic.name, site }) : t.rich("email.why", { site })}{" "}
        {t("email.noTracking")} {!view.readsReplies && t("email.noReplies")}
      </p>
      <p class="quiet" style={style.quiet}>
        {footerLinks({ t, ...view }).map(([label, url], at) => (
          <>
            {at > 0 && " · "}
            <a class="link" href={url} style={linkStyle(brand)}>
              {label}
            </a>
          </>
        ))}
      </p>
      <p class="quiet" style={style.quiet}>
        {t.rich("email.forwarded", {
          link: (
            <a class="link" href={view.subscribeUrl} style={linkStyle(brand)}>
              {t("email.forwarded.link")}
            </a>
          ),
        })}
      </p>
      <SenderLines siteTitle={siteTitle} sender={sender} footerLine={view.footerLine} />
    </>
  );
};

type Links = Pick<FooterView, "t" | "unsubscribeUrl" | "preferencesUrl" | "topic">;

/** The ways out, the narrowest first. */
const footerLinks = ({ t, unsubscribeUrl, preferencesUrl, topic }: Links): [label: string, url: string][] => [
  ...(topic ? [[t("email.leave.topic", { topic: topic.name }), topic.leaveUrl] satisfies [string, string]] : []),
  [topic ? t("email.leave.all") : t("unsubscribe"), unsubscribeUrl],
  [t("email.preferences"), preferencesUrl],
];

/** The footer of the plain-text version. */
export function broadcastFooterText({
  t,
  siteTitle,
  siteUrl,
  sender,
  browserUrl,
  ...view
}: Omit<FooterView, "brand"> & { browserUrl?: string | undefined }): string {
  const site = new URL(siteUrl).host;
  return [
    "-- ",
    ...(browserUrl ? [`${t("email.browser")}: ${browserUrl}`] : []),
    view.topic ? t("email.why.topic", { topic: view.topic.name, site }) : t("email.why", { site }),
    ...footerLinks({ t, ...view }).map(([label, url]) => `${label}: ${url}`),
    `${t("email.noTracking")}${view.readsReplies ? "" : ` ${t("email.noReplies")}`}`,
    `${t("email.forwarded.plain")}: ${view.subscribeUrl}`,
    ...(view.footerLine ? [view.footerLine] : []),
    [siteTitle, ...sender].join(" · "),
    "",
  ].join("\n");
}

import type { Brand } from "../brand";
import type { Translator } from "../languages/translator";
import type { Child } from "../jsx/jsx-runtime";
import { EmailLayout, linkStyle, SiteLink, style } from "./email-layout";

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

const Footer = ({ t, siteTitle, siteUrl, sender, unsubscribeUrl, brand, ...view }: FooterView) => (
  <>
    <p class="quiet" style={style.quiet}>
      {t.rich("email.why", { site: <SiteLink url={siteUrl} brand={brand} /> })}{" "}
      <a class="link" href={unsubscribeUrl} style={linkStyle(brand)}>
        {t("unsubscribe")}
      </a>
      . {t("email.noTracking")} {!view.readsReplies && t("email.noReplies")}
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
    {view.footerLine && (
      <p class="quiet" dir="auto" style={style.quiet}>
        {view.footerLine}
      </p>
    )}
    <p class="quiet" style={style.quiet}>
      {[siteTitle, ...sender].join(" · ")}
    </p>
  </>
);

/** The footer of the plain-text version. */
export const broadcastFooterText = ({
  t,
  siteTitle,
  siteUrl,
  sender,
  browserUrl,
  unsubscribeUrl,
  ...view
}: Omit<FooterView, "brand"> & { browserUrl?: string | undefined }) => `--${" "}
${browserUrl ? `${t("email.browser")}: ${browserUrl}\n` : ""}${t("email.why", { site: new URL(siteUrl).host })}
${t("unsubscribe")}: ${unsubscribeUrl}
${t("email.noTracking")}${view.readsReplies ? "" : ` ${t("email.noReplies")}`}
${t("email.forwarded.plain")}: ${view.subscribeUrl}
${view.footerLine ? `${view.footerLine}\n` : ""}${[siteTitle, ...sender].join(" · ")}
`;

import type { Translator } from "../languages/translator";
import type { Child } from "../jsx/jsx-runtime";
import { EmailLayout, SiteLink, style } from "./email-layout";

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
    footer={<Footer t={t} siteTitle={siteTitle} {...view} />}
  >
    {prose}
  </EmailLayout>
);

type FooterView = Pick<BroadcastView, "t" | "siteTitle" | "siteUrl" | "sender" | "unsubscribeUrl">;

const Footer = ({ t, siteTitle, siteUrl, sender, unsubscribeUrl }: FooterView) => (
  <>
    <p class="quiet" style={style.quiet}>
      {t.rich("email.why", { site: <SiteLink url={siteUrl} /> })}{" "}
      <a class="link" href={unsubscribeUrl} style={style.link}>
        {t("unsubscribe")}
      </a>
      . {t("email.noTracking")}
    </p>
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
}: FooterView & { browserUrl?: string | undefined }) => `--${" "}
${browserUrl ? `${t("email.browser")}: ${browserUrl}\n` : ""}${t("email.why", { site: new URL(siteUrl).host })}
${t("unsubscribe")}: ${unsubscribeUrl}
${t("email.noTracking")}
${[siteTitle, ...sender].join(" · ")}
`;

import type { Translator } from "../languages/translator";
import { Button, EmailLayout, SiteLink, style } from "./email-layout";

export type ConfirmView = {
  t: Translator;
  siteTitle: string;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
  siteUrl: string;
  confirmUrl: string;
  unsubscribeUrl: string;
};

const otherwise = (t: Translator) => `${t("confirmation.days")} ${t("confirmation.otherwise")}`;

/** Names no one: what a visitor typed must not reach a stranger's inbox (D33). */
export const ConfirmEmail = ({ t, siteTitle, siteUrl, sender, confirmUrl, unsubscribeUrl }: ConfirmView) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={t("confirm.title")}
    preheader={t("confirmation.otherwise")}
    footer={
      <>
        <p class="quiet" style={style.quiet}>
          {t.rich("confirmation.why", { site: <SiteLink url={siteUrl} /> })}{" "}
          <a class="link" href={unsubscribeUrl} style={style.link}>
            {t("unsubscribe")}
          </a>
        </p>
        <p class="quiet" style={style.quiet}>
          {[siteTitle, ...sender].join(" · ")}
        </p>
      </>
    }
  >
    <p class="ink" style={style.text}>
      {t("confirmation.lead", { site: siteTitle })}
    </p>
    <Button href={confirmUrl}>{t("confirm.button")}</Button>
    <p class="ink" style={style.text}>
      {otherwise(t)}
    </p>
  </EmailLayout>
);

export const confirmText = ({ t, ...view }: ConfirmView) => `${t("confirm.title")}

${t("confirmation.lead", { site: view.siteTitle })}

${view.confirmUrl}

${otherwise(t)}

${t("unsubscribe")}:
${view.unsubscribeUrl}

--${" "}
${t("confirmation.why.plain", { site: view.siteUrl })}
${[view.siteTitle, ...view.sender].join(" · ")}
`;

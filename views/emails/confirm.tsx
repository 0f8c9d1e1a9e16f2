import type { Brand } from "../brand";
import type { Translator } from "../languages/translator";
import { Button, EmailLayout, linkStyle, SenderLines, SiteLink, style } from "./email-layout";

export type ConfirmView = {
  t: Translator;
  siteTitle: string;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
  siteUrl: string;
  brand: Brand;
  /** The site's own last line. */
  footerLine?: string | undefined;
  confirmUrl: string;
  unsubscribeUrl: string;
};

const otherwise = (t: Translator) => `${t("confirmation.days")} ${t("confirmation.otherwise")}`;

/** Names no one: what a visitor typed must not reach a stranger's inbox (D33). */
export const ConfirmEmail = ({ t, siteTitle, siteUrl, sender, brand, ...view }: ConfirmView) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={t("confirm.title")}
    preheader={t("confirmation.otherwise")}
    brand={brand}
    footer={
      <>
        <p class="quiet" style={style.quiet}>
          {t.rich("confirmation.why", { site: <SiteLink url={siteUrl} brand={brand} /> })}{" "}
          <a class="link" href={view.unsubscribeUrl} style={linkStyle(brand)}>
            {t("unsubscribe")}
          </a>
        </p>
        <SenderLines siteTitle={siteTitle} sender={sender} footerLine={view.footerLine} />
      </>
    }
  >
    <p class="ink" style={style.text}>
      {t("confirmation.lead", { site: siteTitle })}
    </p>
    <Button href={view.confirmUrl} brand={brand}>
      {t("confirm.button")}
    </Button>
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
${view.footerLine ? `${view.footerLine}\n` : ""}${[view.siteTitle, ...view.sender].join(" · ")}
`;

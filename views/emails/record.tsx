import type { Brand } from "../brand";
import type { Translator } from "../languages/translator";
import { Button, EmailLayout, SenderLines, SiteLink, style } from "./email-layout";

export type RecordView = {
  t: Translator;
  siteTitle: string;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
  siteUrl: string;
  brand: Brand;
  /** The site's own last line. */
  footerLine?: string | undefined;
  recordUrl: string;
};

/** The link to everything that is stored under an address. Names no one, as the confirmation (D33). */
export const RecordEmail = ({ t, siteTitle, siteUrl, sender, brand, ...view }: RecordView) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={t("prefs.stored")}
    preheader={t("record.hour")}
    brand={brand}
    footer={
      <>
        <p class="quiet" style={style.quiet}>
          {t.rich("record.why", { site: <SiteLink url={siteUrl} brand={brand} /> })}
        </p>
        <SenderLines siteTitle={siteTitle} sender={sender} footerLine={view.footerLine} />
      </>
    }
  >
    <p class="ink" style={style.text}>
      {t("record.lead", { site: siteTitle })}
    </p>
    <Button href={view.recordUrl} brand={brand}>
      {t("record.button")}
    </Button>
    <p class="ink" style={style.text}>
      {`${t("record.hour")} ${t("record.otherwise")}`}
    </p>
  </EmailLayout>
);

export const recordText = ({ t, ...view }: RecordView) => `${t("prefs.stored")}

${t("record.lead", { site: view.siteTitle })}

${view.recordUrl}

${t("record.hour")} ${t("record.otherwise")}

--${" "}
${t("record.why", { site: new URL(view.siteUrl).host })}
${view.footerLine ? `${view.footerLine}\n` : ""}${[view.siteTitle, ...view.sender].join(" · ")}
`;

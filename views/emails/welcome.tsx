import type { Brand } from "../brand";
import type { Translator } from "../languages/translator";
import { Button, EmailLayout, linkStyle, plainTable, sans, SenderLines, serif, SiteLink, style } from "./email-layout";
import { EmailProse } from "./letter-prose";

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

export type WelcomeView = {
  t: Translator;
  siteTitle: string;
  siteDescription?: string | undefined;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
  siteUrl: string;
  brand: Brand;
  /** The site's own last line. */
  footerLine?: string | undefined;
  posts: { title: string; excerpt: string; url: string }[];
  /** The heading above the posts. */
  postsTitle: string;
  title: string;
  preheader: string;
  /** The managers' own text, instead of the default. */
  written?: Written | undefined;
  unsubscribeUrl: string;
  preferencesUrl: string;
};

/** `root`: attributes of its language, if that is not the email's. */
type Written = Pick<ComponentProps, "nodes" | "mark" | "pictureOf"> & {
  plain: string;
  root?: Translator["root"] | undefined;
};
type ComponentProps = Parameters<typeof EmailProse>[0];

/** Does not name the subscriber: what a visitor typed must not reach a stranger's inbox (D33). */
export const WelcomeEmail = ({ t, siteTitle, unsubscribeUrl, brand, ...view }: WelcomeView) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={view.title}
    preheader={view.preheader}
    brand={brand}
    footer={<Footer t={t} brand={brand} siteTitle={siteTitle} unsubscribeUrl={unsubscribeUrl} {...view} />}
  >
    {view.written ? (
      <ManagersText t={t} brand={brand} {...view.written} />
    ) : (
      <DefaultText t={t} siteTitle={siteTitle} siteDescription={view.siteDescription} />
    )}
    {view.posts.length > 0 && <LatestPosts brand={brand} {...view} />}
    <table {...plainTable} width="100%" style="margin:10px 0 0">
      <tr>
        <td class="ink rule" style={`${style.body};padding:20px 0 12px;border-top:1px solid #e3dfd8;${sans}`}>
          {t.rich("welcome.notYou", {
            link: (
              <a class="link" href={unsubscribeUrl} style={linkStyle(brand)}>
                {t("welcome.notYou.link")}
              </a>
            ),
          })}
        </td>
      </tr>
    </table>
  </EmailLayout>
);

const ManagersText = ({ root, plain: _, ...text }: { t: Translator; brand: Brand } & Written) =>
  root ? (
    <div {...root}>
      <EmailProse {...text} />
    </div>
  ) : (
    <EmailProse {...text} />
  );

const DefaultText = ({ t, siteTitle, siteDescription }: Pick<WelcomeView, "t" | "siteTitle" | "siteDescription">) => (
  <>
    <p class="ink" style={style.text}>
      {t.rich("welcome.thanks", { site: <strong>{siteTitle}</strong> })} {siteDescription}
    </p>
    <p class="ink" style={style.text}>
      {t("welcome.promise")}
    </p>
  </>
);

const LatestPosts = ({ postsTitle, posts, brand }: Pick<WelcomeView, "postsTitle" | "posts" | "brand">) => (
  <>
    <h2
      dir="auto"
      class="quiet"
      style="margin:28px 0 8px;font-size:13px;line-height:20px;font-weight:600;color:#585149"
    >
      {postsTitle}
    </h2>
    <table {...plainTable} width="100%">
      {posts.map(({ title, excerpt, url }) => (
        <tr>
          <td class="rule" style={`padding:14px 0;border-top:1px solid #e3dfd8;${sans}`}>
            <a class="link" href={url} style={`${linkStyle(brand)};font-size:19px;line-height:26px;${serif}`}>
              {title}
            </a>
            {excerpt && (
              <p class="quiet" style={`${style.quiet};margin:4px 0 0;font-size:14px;line-height:21px`}>
                {excerpt}
              </p>
            )}
          </td>
        </tr>
      ))}
    </table>
  </>
);

type FooterView = Pick<
  WelcomeView,
  "t" | "siteTitle" | "siteUrl" | "sender" | "unsubscribeUrl" | "preferencesUrl" | "brand" | "footerLine"
>;

const Footer = ({ t, siteTitle, siteUrl, sender, unsubscribeUrl, preferencesUrl, brand, footerLine }: FooterView) => (
  <>
    <p class="quiet" style={style.quiet}>
      {t.rich("welcome.why", { site: <SiteLink url={siteUrl} brand={brand} /> })}{" "}
      <a class="link" href={unsubscribeUrl} style={linkStyle(brand)}>
        {t("unsubscribe")}
      </a>
      {" · "}
      <a class="link" href={preferencesUrl} style={linkStyle(brand)}>
        {t("email.preferences")}
      </a>
    </p>
    <SenderLines siteTitle={siteTitle} sender={sender} footerLine={footerLine} />
  </>
);

const linesOf = ({ postsTitle, posts }: Pick<WelcomeView, "postsTitle" | "posts">) =>
  posts.length ? `\n${postsTitle}:\n${posts.map(({ title, url }) => `\n* ${title}\n  ${url}\n`).join("")}` : "";

const defaultLines = ({ t, siteTitle, siteDescription }: WelcomeView) =>
  `${t("welcome.thanks", { site: siteTitle })}${siteDescription ? ` ${siteDescription}` : ""}\n${t("welcome.promise")}`;

export const welcomeText = (view: WelcomeView) => `${view.title}

${view.written?.plain ?? defaultLines(view)}
${linesOf(view)}
${view.t("welcome.notYou.plain")}
${view.unsubscribeUrl}

--${" "}
${view.t("welcome.why.plain", { site: view.siteUrl })}
${view.t("email.preferences")}: ${view.preferencesUrl}
${view.footerLine ? `${view.footerLine}\n` : ""}${[view.siteTitle, ...view.sender].join(" · ")}
`;

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

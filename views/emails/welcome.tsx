import type { Brand } from "../brand";
import type { Child } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import { Button, EmailLayout, linkStyle, plainTable, sans, SenderLines, serif, SiteLink, style } from "./email-layout";
import { EmailProse } from "./letter-prose";

/** Who sends an email to readers, in whose language, and how it looks. */
type FromSite = {
  t: Translator;
  siteTitle: string;
  /** The lines about the sender: a person's name, a postal address. */
  sender: string[];
  siteUrl: string;
  brand: Brand;
  /** The site's own last line. */
  footerLine?: string | undefined;
};

/** The end of an email as plain text. `why`: why it was sent. */
const closing = ({ siteTitle, sender, footerLine }: FromSite, why: string) => `--${" "}
${why}
${footerLine ? `${footerLine}\n` : ""}${[siteTitle, ...sender].join(" · ")}
`;

/** The words of an email that is about one link. */
type LinkWords = {
  title: string;
  preheader: string;
  lead: string;
  button: string;
  url: string;
  /** How long the link works, and what to do if nobody asked for it. */
  otherwise: string;
  why: Child;
};

/** An email that is about one link. Names no one: what a visitor typed must not reach a stranger's inbox (D33). */
const LinkEmail = ({ t, siteTitle, sender, brand, footerLine, ...words }: FromSite & LinkWords) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={words.title}
    preheader={words.preheader}
    brand={brand}
    footer={
      <>
        <p class="quiet" style={style.quiet}>
          {words.why}
        </p>
        <SenderLines siteTitle={siteTitle} sender={sender} footerLine={footerLine} />
      </>
    }
  >
    <p class="ink" style={style.text}>
      {words.lead}
    </p>
    <Button href={words.url} brand={brand}>
      {words.button}
    </Button>
    <p class="ink" style={style.text}>
      {words.otherwise}
    </p>
  </EmailLayout>
);

/** The same as plain text, in whose last part `why` is text. `more`: another link before it. */
const linkText = (view: FromSite, words: Omit<LinkWords, "why" | "preheader" | "button">, why: string, more = "") =>
  `${words.title}\n\n${words.lead}\n\n${words.url}\n\n${words.otherwise}\n\n${more}${closing(view, why)}`;

export type ConfirmView = FromSite & { confirmUrl: string; unsubscribeUrl: string };

const confirmWords = ({ t, siteTitle, confirmUrl }: ConfirmView) => ({
  title: t("confirm.title"),
  preheader: t("confirmation.otherwise"),
  lead: t("confirmation.lead", { site: siteTitle }),
  button: t("confirm.button"),
  url: confirmUrl,
  otherwise: `${t("confirmation.days")} ${t("confirmation.otherwise")}`,
});

export const ConfirmEmail = (view: ConfirmView) => {
  const { t, siteUrl, brand, unsubscribeUrl } = view;
  const why = (
    <>
      {t.rich("confirmation.why", { site: <SiteLink url={siteUrl} brand={brand} /> })}{" "}
      <a class="link" href={unsubscribeUrl} style={linkStyle(brand)}>
        {t("unsubscribe")}
      </a>
    </>
  );
  return <LinkEmail {...view} {...confirmWords(view)} why={why} />;
};

export const confirmText = (view: ConfirmView) => {
  const { t, siteUrl, unsubscribeUrl } = view;
  const more = `${t("unsubscribe")}:\n${unsubscribeUrl}\n\n`;
  return linkText(view, confirmWords(view), t("confirmation.why.plain", { site: siteUrl }), more);
};

export type RecordView = FromSite & { recordUrl: string };

const recordWords = ({ t, siteTitle, recordUrl }: RecordView) => ({
  title: t("prefs.stored"),
  preheader: t("record.hour"),
  lead: t("record.lead", { site: siteTitle }),
  button: t("record.button"),
  url: recordUrl,
  otherwise: `${t("record.hour")} ${t("record.otherwise")}`,
});

/** The link to everything that is stored under an address. */
export const RecordEmail = (view: RecordView) => {
  const why = view.t.rich("record.why", { site: <SiteLink url={view.siteUrl} brand={view.brand} /> });
  return <LinkEmail {...view} {...recordWords(view)} why={why} />;
};

export const recordText = (view: RecordView) =>
  linkText(view, recordWords(view), view.t("record.why", { site: new URL(view.siteUrl).host }));

export type WelcomeView = FromSite & {
  siteDescription?: string | undefined;
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

type FooterView = FromSite & Pick<WelcomeView, "unsubscribeUrl" | "preferencesUrl">;

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

${closing(view, `${view.t("welcome.why.plain", { site: view.siteUrl })}\n${view.t("email.preferences")}: ${view.preferencesUrl}`)}`;

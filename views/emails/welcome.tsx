import type { Translator } from "../languages/translator";
import { EmailLayout, serif, SiteLink, style } from "./email-layout";

export type WelcomeView = {
  t: Translator;
  siteTitle: string;
  siteDescription?: string | undefined;
  /** Who writes: a person, a postal address. */
  sender: string[];
  siteUrl: string;
  posts: { title: string; excerpt: string; url: string }[];
  unsubscribeUrl: string;
};

/** Does not name the subscriber: what a visitor typed goes to nobody else's inbox (D33). */
export const WelcomeEmail = ({ t, siteTitle, siteDescription, posts, unsubscribeUrl, ...from }: WelcomeView) => (
  <EmailLayout
    t={t}
    siteTitle={siteTitle}
    title={t("confirmed.title")}
    preheader={t("welcome.preheader", { site: siteTitle })}
    footer={<Footer t={t} siteTitle={siteTitle} unsubscribeUrl={unsubscribeUrl} {...from} />}
  >
    <p class="ink" style={style.text}>
      {t.rich("welcome.thanks", { site: <strong>{siteTitle}</strong> })} {siteDescription}
    </p>
    <p class="ink" style={style.text}>
      {t("welcome.promise")}
    </p>
    {posts.length > 0 && <LatestPosts t={t} posts={posts} />}
    <p class="ink rule" style={`${style.text};margin-top:24px;padding-top:20px;border-top:1px solid #e3dfd8`}>
      {t.rich("welcome.notYou", {
        link: (
          <a class="link" href={unsubscribeUrl} style={style.link}>
            {t("welcome.notYou.link")}
          </a>
        ),
      })}
    </p>
  </EmailLayout>
);

const LatestPosts = ({ t, posts }: Pick<WelcomeView, "t" | "posts">) => (
  <>
    <h2 class="quiet" style="margin:28px 0 8px;font-size:13px;line-height:20px;font-weight:600;color:#585149">
      {t("welcome.posts")}
    </h2>
    {posts.map(({ title, excerpt, url }) => (
      <div class="rule" style="padding:14px 0;border-top:1px solid #e3dfd8">
        <a class="link" href={url} style={`${style.link};font-size:19px;line-height:26px;${serif}`}>
          {title}
        </a>
        {excerpt && (
          <p class="quiet" style={`${style.quiet};margin:4px 0 0;font-size:14px;line-height:21px`}>
            {excerpt}
          </p>
        )}
      </div>
    ))}
  </>
);

const Footer = ({ t, siteTitle, siteUrl, sender, unsubscribeUrl }: Omit<WelcomeView, "posts">) => (
  <>
    <p class="quiet" style={style.quiet}>
      {t.rich("welcome.why", { site: <SiteLink url={siteUrl} /> })}{" "}
      <a class="link" href={unsubscribeUrl} style={style.link}>
        {t("unsubscribe")}
      </a>
    </p>
    <p class="quiet" style={style.quiet}>
      {[siteTitle, ...sender].join(" · ")}
    </p>
  </>
);

const lines = ({ t, posts }: Pick<WelcomeView, "t" | "posts">) =>
  posts.length ? `\n${t("welcome.posts")}:\n${posts.map(({ title, url }) => `\n* ${title}\n  ${url}\n`).join("")}` : "";

export const welcomeText = ({ t, ...view }: WelcomeView) => `${t("confirmed.title")}

${t("welcome.thanks", { site: view.siteTitle })}${view.siteDescription ? ` ${view.siteDescription}` : ""}
${t("welcome.promise")}
${lines({ t, posts: view.posts })}
${t("welcome.notYou.plain")}
${view.unsubscribeUrl}

--${" "}
${t("welcome.why.plain", { site: view.siteUrl })}
${[view.siteTitle, ...view.sender].join(" · ")}
`;

import { EmailLayout, serif, style } from "./email-layout";

export type WelcomeView = {
  siteTitle: string;
  siteDescription?: string | undefined;
  /** Who writes: a person, a postal address. */
  sender: string[];
  siteUrl: string;
  posts: { title: string; excerpt: string; url: string }[];
  unsubscribeUrl: string;
};

/** Does not name the subscriber: what a visitor typed goes to nobody else's inbox (D33). */
export const WelcomeEmail = ({ siteTitle, siteDescription, posts, unsubscribeUrl, ...from }: WelcomeView) => (
  <EmailLayout
    siteTitle={siteTitle}
    title="You’re subscribed"
    preheader={`Thank you for subscribing to ${siteTitle}. You can unsubscribe with one click at any time.`}
    footer={<Footer siteTitle={siteTitle} unsubscribeUrl={unsubscribeUrl} {...from} />}
  >
    <p class="ink" style={style.text}>
      Thank you for subscribing to <strong>{siteTitle}</strong>. {siteDescription}
    </p>
    <p class="ink" style={style.text}>
      You’ll hear from us when there is something new to read, and not otherwise.
    </p>
    {posts.length > 0 && <LatestPosts posts={posts} />}
    <p class="ink rule" style={`${style.text};margin-top:24px;padding-top:20px;border-top:1px solid #e3dfd8`}>
      Didn’t sign up?{" "}
      <a class="link" href={unsubscribeUrl} style={style.link}>
        Unsubscribe
      </a>{" "}
      with one click.
    </p>
  </EmailLayout>
);

const LatestPosts = ({ posts }: Pick<WelcomeView, "posts">) => (
  <>
    <h2 class="quiet" style="margin:28px 0 8px;font-size:13px;line-height:20px;font-weight:600;color:#585149">
      Recent posts
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

const Footer = ({ siteTitle, siteUrl, sender, unsubscribeUrl }: Omit<WelcomeView, "posts">) => (
  <>
    <p class="quiet" style={style.quiet}>
      You are receiving this email because this address was subscribed at{" "}
      <a class="link" href={siteUrl} style={style.link}>
        {new URL(siteUrl).host}
      </a>
      .{" "}
      <a class="link" href={unsubscribeUrl} style={style.link}>
        Unsubscribe
      </a>
    </p>
    <p class="quiet" style={style.quiet}>
      {[siteTitle, ...sender].join(" · ")}
    </p>
  </>
);

export const welcomeText = (view: WelcomeView) => `You’re subscribed

Thank you for subscribing to ${view.siteTitle}.${view.siteDescription ? ` ${view.siteDescription}` : ""}
You’ll hear from us when there is something new to read, and not otherwise.
${view.posts.length ? `\nRecent posts:\n${view.posts.map(({ title, url }) => `\n* ${title}\n  ${url}\n`).join("")}` : ""}
Didn’t sign up? Unsubscribe with one click:
${view.unsubscribeUrl}

--${" "}
You are receiving this email because this address was subscribed at ${view.siteUrl}
${[view.siteTitle, ...view.sender].join(" · ")}
`;

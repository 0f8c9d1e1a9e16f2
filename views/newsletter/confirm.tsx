import type { Child } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import { ChangePreferences, InvalidLink, Limited, LinkButton, LinkPage, Masked } from "./link-page";

type Link = { email: string; search: string };
type Post = { title: string; url: string };

/** The states of the page of a confirmation link. Only with a valid token does it show the address, masked. */
export type ConfirmView =
  | ({ outcome: "ask"; siteTitle: string } & Link)
  | ({ outcome: "done"; posts: Post[]; unsubscribeUrl: string } & Link)
  | ({ outcome: "expired" } & Link)
  | ({ outcome: "sent" } & Link)
  | { outcome: "invalid" | "failed" }
  | { outcome: "limited"; seconds: number };

export const ConfirmPage = ({ view, t, home }: { view: ConfirmView; t: Translator; home: string }) => (
  <LinkPage t={t} home={home}>
    {messageOf(view, t)}
  </LinkPage>
);

function messageOf(view: ConfirmView, t: Translator): Child {
  switch (view.outcome) {
    case "ask":
      return <Ask t={t} {...view} />;
    case "done":
      return <Done t={t} {...view} />;
    case "expired":
      return <Expired t={t} {...view} />;
    case "sent":
      return <Sent t={t} {...view} />;
    case "invalid":
      return <InvalidLink t={t} />;
    case "failed":
      return <Refused t={t}>{t("retry.text")}</Refused>;
    case "limited":
      return <Limited t={t} seconds={view.seconds} />;
  }
}

type LinkView = Link & { t: Translator };

const Ask = ({ t, email, search, siteTitle }: LinkView & { siteTitle: string }) => (
  <>
    <h1>{t("confirm.title")}</h1>
    <p>{t.rich("confirm.text", { address: <Masked email={email} />, site: siteTitle })}</p>
    <LinkButton action={`/api/newsletter/confirm${search}`} weight="main-act">
      {t("confirm.button")}
    </LinkButton>
    <p class="muted">{t("confirm.notYou")}</p>
  </>
);

const Done = ({ t, email, posts, unsubscribeUrl }: LinkView & { posts: Post[]; unsubscribeUrl: string }) => (
  <>
    <h1>{t("confirmed.title")}</h1>
    <p>
      {t.rich("confirmed.text", { address: <Masked email={email} /> })}
      {posts.length > 0 && ` ${t("confirmed.posts")}`}
    </p>
    {posts.length > 0 && (
      <ul>
        {posts.map(({ title, url }) => (
          <li>
            <a href={url}>{title}</a>
          </li>
        ))}
      </ul>
    )}
    <ChangePreferences t={t} search={unsubscribeUrl.slice(unsubscribeUrl.indexOf("?"))} />
    <LinkButton action={unsubscribeUrl} weight="quiet-act">
      {t("unsubscribe")}
    </LinkButton>
  </>
);

const Expired = ({ t, search }: LinkView) => (
  <>
    <h1>{t("expired.title")}</h1>
    <p>{t("expired.text")}</p>
    <LinkButton action={`/api/newsletter/confirm-again${search}`}>{t("expired.button")}</LinkButton>
  </>
);

const Sent = ({ t, email }: LinkView) => (
  <>
    <h1>{t("sent.title")}</h1>
    <p>{t.rich("sent.text", { address: <Masked email={email} /> })}</p>
  </>
);

const Refused = ({ t, children }: { t: Translator; children?: Child }) => (
  <>
    <h1>{t("retry.title")}</h1>
    <p>{children}</p>
  </>
);

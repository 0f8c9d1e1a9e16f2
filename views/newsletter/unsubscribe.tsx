import type { Child } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import { ChangePreferences, InvalidLink, Limited, LinkButton, LinkPage, Masked } from "./link-page";

/** `path`: the path of the link, the contract's or that of broadcasts. */
type Link = { email: string; search: string; path: string };
type Topic = { slug: string; name: string };
type Failure = { search: string; path: string; requestId: string };

/** The states of D14 and D15. Only with a valid token does the page show the address, masked. */
export type UnsubscribeView =
  | ({ outcome: "unsubscribed" | "already"; since: Date | null; topics: Topic[] } & Link)
  | ({ outcome: "offer"; topics: Topic[]; isNoneTicked: boolean } & Link)
  | ({ outcome: "topic"; topic: string } & Link)
  | ({ outcome: "ask"; topic?: string | undefined } & Link)
  | ({ outcome: "back" | "stopped" } & Link)
  | { outcome: "unknown" | "invalid" }
  | { outcome: "limited"; seconds: number }
  | ({ outcome: "failed" } & Failure);

const unsubscribePath = "/api/newsletter/unsubscribe";

type PageView = { view: UnsubscribeView; t: Translator; home: string };

export const UnsubscribePage = ({ view, t, home }: PageView) => (
  <LinkPage t={t} home={home} extras={"topics" in view && view.topics.length > 0 ? ["preferences.css"] : []}>
    {messageOf(view, t)}
  </LinkPage>
);

function messageOf(view: UnsubscribeView, t: Translator): Child {
  switch (view.outcome) {
    case "unsubscribed":
      return <Unsubscribed t={t} {...view} />;
    case "already":
      return <AlreadyUnsubscribed t={t} {...view} />;
    case "offer":
      return <NotSubscribed t={t} {...view} />;
    case "topic":
      return <TopicLeft t={t} {...view} />;
    case "ask":
      return <AskFirst t={t} {...view} />;
    case "back":
      return <SubscribedAgain t={t} {...view} />;
    case "stopped":
      return <StillStopped t={t} {...view} />;
    case "unknown":
      return <Unknown t={t} />;
    case "invalid":
      return <InvalidLink t={t} />;
    case "limited":
      return <Limited t={t} {...view} />;
    case "failed":
      return <Failed t={t} {...view} />;
  }
}

type LinkView = Link & { t: Translator };
type LeftView = LinkView & { topics: Topic[] };

const Unsubscribed = ({ t, email, search, topics }: LeftView) => (
  <>
    <h1>{t("left.title")}</h1>
    <p>{t.rich("left.text", { address: <Masked email={email} /> })}</p>
    <p class="muted">{t("left.regret")}</p>
    <SubscribeAgain t={t} search={search} />
    <Fewer t={t} search={search} topics={topics} />
  </>
);

const day: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric" };

const AlreadyUnsubscribed = ({ t, email, search, since, topics }: LeftView & { since: Date | null }) => (
  <>
    <h1>{t("already.title")}</h1>
    <p>
      {since
        ? t.rich("already.since", { address: <Masked email={email} />, date: t.date(since, day) })
        : t.rich("already.text", { address: <Masked email={email} /> })}
    </p>
    <SubscribeAgain t={t} search={search} />
    <Fewer t={t} search={search} topics={topics} />
  </>
);

const NotSubscribed = ({ t, email, search, topics, isNoneTicked }: LeftView & { isNoneTicked: boolean }) => (
  <>
    <h1>{t("absent.title")}</h1>
    <p>{t.rich("already.text", { address: <Masked email={email} /> })}</p>
    <SubscribeAgain t={t} search={search} />
    <Fewer t={t} search={search} topics={topics} isNoneTicked={isNoneTicked} />
  </>
);

/** One topic was left; the others stay, and are one link away. */
const TopicLeft = ({ t, email, search, topic }: LinkView & { topic: string }) => (
  <>
    <h1>{t("left.topic.title", { topic })}</h1>
    <p>{t.rich("left.topic.text", { address: <Masked email={email} /> })}</p>
    <ChangePreferences t={t} search={search} />
  </>
);

const AskFirst = ({ t, email, search, path, topic }: LinkView & { topic?: string | undefined }) => (
  <>
    <h1>{t("leave.title")}</h1>
    <p>
      {topic
        ? t.rich("leave.topic.text", { address: <Masked email={email} />, topic })
        : t.rich("leave.text", { address: <Masked email={email} /> })}
    </p>
    <LinkButton action={`${path}${search}`}>{t("unsubscribe")}</LinkButton>
  </>
);

const SubscribedAgain = ({ t, email, search }: LinkView) => (
  <>
    <h1>{t("again.title")}</h1>
    <p>{t.rich("again.text", { address: <Masked email={email} /> })}</p>
    <ChangePreferences t={t} search={search} />
    <LinkButton action={`${unsubscribePath}${search}`} weight="quiet-act">
      {t("unsubscribe")}
    </LinkButton>
  </>
);

/** Subscribed, but to an address that gets nothing, which its owner alone cannot change. */
const StillStopped = ({ t, email }: LinkView) => (
  <>
    <h1>{t("prefs.title")}</h1>
    <p>{t.rich("prefs.stopped", { address: <Masked email={email} /> })}</p>
  </>
);

const Unknown = ({ t }: { t: Translator }) => (
  <>
    <h1>{t("unknown.title")}</h1>
    <p>{t("unknown.text")}</p>
  </>
);

const Failed = ({ t, search, path, requestId }: Failure & { t: Translator }) => (
  <>
    <h1>{t("failed.title")}</h1>
    <p>{t("failed.text")}</p>
    <p>
      <a class="button" href={`${path}${search}`}>
        {t("failed.retry")}
      </a>
    </p>
    <p class="muted">{t("failed.reference", { reference: requestId })}</p>
  </>
);

const SubscribeAgain = ({ t, search }: { t: Translator; search: string }) => (
  <LinkButton action={`/api/newsletter/subscribe-again${search}`}>{t("subscribe.again")}</LinkButton>
);

type FewerProps = Pick<LeftView, "t" | "search" | "topics"> & { isNoneTicked?: boolean };

/** What someone who left may come back to instead. Nothing is ticked, and nothing comes of it unless they ask for it. */
const Fewer = ({ t, search, topics, isNoneTicked = false }: FewerProps) =>
  topics.length === 0 ? null : (
    <details open={isNoneTicked}>
      <summary class="muted">{t("fewer.title")}</summary>
      <form method="post" action={`/api/newsletter/subscribe-again${search}`} class="reading">
        {isNoneTicked && (
          <p class="notice" id="none-ticked">
            {t("fewer.none")}
          </p>
        )}
        <fieldset aria-describedby={isNoneTicked ? "none-ticked" : undefined}>
          <legend>{t("prefs.topics")}</legend>
          {topics.map(({ slug, name }, at) => (
            <label class="topic">
              <input type="checkbox" name="topics" value={slug} autofocus={isNoneTicked && at === 0} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <p class="muted">{t("fewer.text")}</p>
        <button type="submit" name="do" value="fewer">
          {t("fewer.button")}
        </button>
      </form>
    </details>
  );

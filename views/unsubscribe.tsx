import { PublicLayout } from "./public-layout";

/** `path`: where the link leads, the contract's address or that of broadcasts. */
type Link = { email: string; search: string; path: string };

/** Every state of D14 and D15. Only those behind a valid token know the address, and show it masked. */
export type UnsubscribeView =
  | ({ outcome: "unsubscribed" | "already"; since: Date | null } & Link)
  | ({ outcome: "ask" | "back" | "offer" } & Link)
  | { outcome: "unknown" | "invalid" }
  | { outcome: "failed"; search: string; path: string; requestId: string };

const unsubscribePath = "/api/newsletter/unsubscribe";

export const UnsubscribePage = ({ view, home }: { view: UnsubscribeView; home: string }) => (
  <PublicLayout title="Newsletter">
    <Message view={view} />
    <p class="back">
      <a href={home}>Back to {new URL(home).host}</a>
    </p>
  </PublicLayout>
);

function Message({ view }: { view: UnsubscribeView }) {
  switch (view.outcome) {
    case "unsubscribed":
      return <Unsubscribed {...view} />;
    case "already":
      return <AlreadyUnsubscribed {...view} />;
    case "offer":
      return <NotSubscribed {...view} />;
    case "ask":
      return <AskFirst {...view} />;
    case "back":
      return <SubscribedAgain {...view} />;
    case "unknown":
      return <Unknown />;
    case "invalid":
      return <InvalidLink />;
    case "failed":
      return <Failed {...view} />;
  }
}

const Unsubscribed = ({ email, search }: Link) => (
  <>
    <h1>You’re unsubscribed</h1>
    <p>
      <strong>{masked(email)}</strong> will not get the newsletter any more.
    </p>
    <p class="muted">Changed your mind, or was this a mistake?</p>
    <SubscribeAgain search={search} />
  </>
);

const AlreadyUnsubscribed = ({ email, search, since }: Link & { since: Date | null }) => (
  <>
    <h1>You were already unsubscribed</h1>
    <p>
      <strong>{masked(email)}</strong> does not get the newsletter{since && ` since ${day(since)}`}.
    </p>
    <SubscribeAgain search={search} />
  </>
);

const NotSubscribed = ({ email, search }: Link) => (
  <>
    <h1>You’re not subscribed</h1>
    <p>
      <strong>{masked(email)}</strong> does not get the newsletter.
    </p>
    <SubscribeAgain search={search} />
  </>
);

const AskFirst = ({ email, search, path }: Link) => (
  <>
    <h1>Unsubscribe?</h1>
    <p>
      <strong>{masked(email)}</strong> gets the newsletter. Nothing has been changed yet.
    </p>
    <Unsubscribe search={search} path={path} />
  </>
);

const SubscribedAgain = ({ email, search }: Link) => (
  <>
    <h1>You’re subscribed again</h1>
    <p>
      <strong>{masked(email)}</strong> will get the newsletter.
    </p>
    <Unsubscribe search={search} />
  </>
);

const Unknown = () => (
  <>
    <h1>You’re not on the list</h1>
    <p>This address is no longer stored here. You will not get the newsletter.</p>
  </>
);

const InvalidLink = () => (
  <>
    <h1>This link doesn’t work</h1>
    <p>
      It may have been cut in two by your e-mail program. Copy all of it, from the beginning to the end, into the
      address bar. Nothing has been changed.
    </p>
  </>
);

const Failed = ({ search, path, requestId }: { search: string; path: string; requestId: string }) => (
  <>
    <h1>That did not work</h1>
    <p>The problem is on our side, and you are still on the list. Please try again in a moment.</p>
    <p>
      <a class="button" href={`${path}${search}`}>
        Try again
      </a>
    </p>
    <p class="muted">If it keeps failing, tell us this number: {requestId}</p>
  </>
);

const SubscribeAgain = ({ search }: { search: string }) => (
  <form method="post" action={`/api/newsletter/subscribe-again${search}`}>
    <button type="submit">Subscribe again</button>
  </form>
);

const Unsubscribe = ({ search, path = unsubscribePath }: { search: string; path?: string }) => (
  <form method="post" action={`${path}${search}`}>
    <button type="submit">Unsubscribe</button>
  </form>
);

/** ha•••@example.com: enough to recognise your own address, not enough to read somebody else's over a shoulder. */
function masked(email: string): string {
  const cut = email.lastIndexOf("@");
  const local = [...email.slice(0, cut)];
  return `${local.slice(0, local.length > 3 ? 2 : 1).join("")}•••${email.slice(cut)}`;
}

const day = (date: Date) =>
  date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

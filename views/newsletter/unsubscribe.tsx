import { PublicLayout } from "../public-layout";

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
      <strong>{masked(email)}</strong> will no longer receive the newsletter.
    </p>
    <p class="muted">Changed your mind, or unsubscribed by mistake?</p>
    <SubscribeAgain search={search} />
  </>
);

const AlreadyUnsubscribed = ({ email, search, since }: Link & { since: Date | null }) => (
  <>
    <h1>You were already unsubscribed</h1>
    <p>
      <strong>{masked(email)}</strong>{" "}
      {since ? `has not received the newsletter since ${day(since)}` : "is not subscribed to the newsletter"}.
    </p>
    <SubscribeAgain search={search} />
  </>
);

const NotSubscribed = ({ email, search }: Link) => (
  <>
    <h1>You’re not subscribed</h1>
    <p>
      <strong>{masked(email)}</strong> is not subscribed to the newsletter.
    </p>
    <SubscribeAgain search={search} />
  </>
);

const AskFirst = ({ email, search, path }: Link) => (
  <>
    <h1>Unsubscribe?</h1>
    <p>
      <strong>{masked(email)}</strong> is subscribed to the newsletter. Nothing has been changed yet.
    </p>
    <Unsubscribe search={search} path={path} />
  </>
);

const SubscribedAgain = ({ email, search }: Link) => (
  <>
    <h1>You’re subscribed again</h1>
    <p>
      <strong>{masked(email)}</strong> will receive the newsletter.
    </p>
    <Unsubscribe search={search} />
  </>
);

const Unknown = () => (
  <>
    <h1>You’re not on the list</h1>
    <p>We no longer have this address. You will not receive the newsletter.</p>
  </>
);

const InvalidLink = () => (
  <>
    <h1>This link doesn’t work</h1>
    <p>
      Your email app may have split it. Copy the whole link into your browser’s address bar. Nothing has been changed.
    </p>
  </>
);

const Failed = ({ search, path, requestId }: { search: string; path: string; requestId: string }) => (
  <>
    <h1>Something went wrong</h1>
    <p>The problem is on our side. You are still subscribed. Please try again in a moment.</p>
    <p>
      <a class="button" href={`${path}${search}`}>
        Try again
      </a>
    </p>
    <p class="muted">If this keeps happening, contact us and quote this reference: {requestId}</p>
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
export function masked(email: string): string {
  const cut = email.lastIndexOf("@");
  const local = [...email.slice(0, cut)];
  return `${local.slice(0, local.length > 3 ? 2 : 1).join("")}•••${email.slice(cut)}`;
}

const day = (date: Date) =>
  date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

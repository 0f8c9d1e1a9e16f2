import { PublicLayout } from "../public-layout";
import { masked } from "./unsubscribe";

type Link = { email: string; search: string };
type Post = { title: string; url: string };

/** What the page of a confirmation link says. Only those behind a valid token know the address, and show it masked. */
export type ConfirmView =
  | ({ outcome: "ask"; siteTitle: string } & Link)
  | ({ outcome: "done"; posts: Post[]; unsubscribeUrl: string } & Link)
  | ({ outcome: "expired" } & Link)
  | ({ outcome: "sent" } & Link)
  | { outcome: "invalid" }
  | { outcome: "failed" | "limited"; message: string };

export const ConfirmPage = ({ view, home }: { view: ConfirmView; home: string }) => (
  <PublicLayout title="Newsletter">
    <Message view={view} />
    <p class="back">
      <a href={home}>Back to {new URL(home).host}</a>
    </p>
  </PublicLayout>
);

function Message({ view }: { view: ConfirmView }) {
  switch (view.outcome) {
    case "ask":
      return <Ask {...view} />;
    case "done":
      return <Done {...view} />;
    case "expired":
      return <Expired {...view} />;
    case "sent":
      return <Sent {...view} />;
    case "invalid":
      return <Invalid />;
    default:
      return <Refused message={view.message} />;
  }
}

const Ask = ({ email, search, siteTitle }: Link & { siteTitle: string }) => (
  <>
    <h1>Confirm your subscription</h1>
    <p>
      <strong>{masked(email)}</strong> will receive the newsletter of {siteTitle}.
    </p>
    <form method="post" action={`/api/newsletter/confirm${search}`}>
      <button type="submit" class="main-act">
        Confirm subscription
      </button>
    </form>
    <p class="muted">You did not ask for this? Close the page. Without the button, no newsletter is sent.</p>
  </>
);

const Done = ({ email, posts, unsubscribeUrl }: Link & { posts: Post[]; unsubscribeUrl: string }) => (
  <>
    <h1>You’re subscribed</h1>
    <p>
      The next newsletter goes to <strong>{masked(email)}</strong>.{posts.length > 0 && " Until then:"}
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
    <form method="post" action={unsubscribeUrl}>
      <button type="submit">Unsubscribe</button>
    </form>
  </>
);

const Expired = ({ search }: Link) => (
  <>
    <h1>This link has expired</h1>
    <p>It worked for seven days. Nothing has been changed.</p>
    <form method="post" action={`/api/newsletter/confirm-again${search}`}>
      <button type="submit">Send a new link</button>
    </form>
  </>
);

const Sent = ({ email }: Link) => (
  <>
    <h1>Check your inbox</h1>
    <p>
      A new link is on its way to <strong>{masked(email)}</strong>. If it does not arrive, look in your spam folder, or
      try again later.
    </p>
  </>
);

const Invalid = () => (
  <>
    <h1>This link doesn’t work</h1>
    <p>
      Your email app may have split it. Copy the whole link into your browser’s address bar. Nothing has been changed.
    </p>
  </>
);

const Refused = ({ message }: { message: string }) => (
  <>
    <h1>Please try again</h1>
    <p>{message}</p>
  </>
);

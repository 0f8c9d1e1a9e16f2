import type { Mail } from "../../../db/mail/outbox";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import type { SubscriberEvent } from "../../../db/newsletter/events";
import { Badge } from "../../components/badge";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Time } from "../../components/time";
import { State } from "./row";
import type { Suppression } from "../../../db/suppressions";
import { suppressionReasons } from "../suppressions/reasons";
import { Crumb, Head } from "../shell";
import { paths } from "../../paths";
import { timeline } from "./timeline";
import { CopyButton } from "../../components/copy-button";

type SubscriberView = {
  frame: Frame;
  subscriber: Subscriber;
  suppression?: Suppression | undefined;
  events: SubscriberEvent[];
  mails: Mail[];
  unsubscribeLink: string;
};

/** One person: who, since when, and everything that happened. */
export const SubscriberPage = ({ frame, subscriber, suppression, events, mails, unsubscribeLink }: SubscriberView) => (
  <>
    <Crumb href={paths.newsletter}>Newsletter</Crumb>
    <Head title={subscriber.email} lead={subscriber.name ?? "No name"}>
      <Actions frame={frame} subscriber={subscriber} />
    </Head>
    <div class="columns">
      <section class="card" aria-labelledby="facts-title">
        <header>
          <h2 id="facts-title">Details</h2>
        </header>
        <div class="body">
          <Details frame={frame} subscriber={subscriber} suppression={suppression} />
          <UnsubscribeLink url={unsubscribeLink} />
        </div>
      </section>
      <section class="card" aria-labelledby="events-title">
        <header>
          <h2 id="events-title">Activity</h2>
        </header>
        <div class="body">
          <ol class="timeline">
            {timeline(events, mails, frame.names).map(({ at, text, warning, actor }) => (
              <li>
                <span title={actor}>{text}</span>
                {warning && <Badge tone="warn">{warning}</Badge>}
                <Time at={at} clock={frame} />
              </li>
            ))}
          </ol>
        </div>
      </section>
    </div>
  </>
);

type SubscriberProps = Pick<SubscriberView, "frame" | "subscriber">;

const Actions = ({ frame, subscriber: { id, state, pendingAt } }: SubscriberProps) => (
  <>
    {state === "active" && pendingAt && <PendingActions frame={frame} id={id} />}
    <a
      class="btn"
      id="edit"
      href={`${paths.newsletter}/${id}/edit`}
      hx-get={`${paths.newsletter}/${id}/edit`}
      hx-target="#dialog"
    >
      <Icon name="pencil" />
      Edit
    </a>
    {state === "unsubscribed" ? (
      <Form action={`${paths.newsletter}/${id}/reactivate`} token={frame.token} plain>
        <button type="submit" class="btn" title="Only if they asked you to">
          Reactivate
        </button>
      </Form>
    ) : (
      <Form action={`${paths.newsletter}/${id}/unsubscribe`} token={frame.token} plain>
        <button type="submit" class="btn">
          Unsubscribe
        </button>
      </Form>
    )}
    <a
      class="btn"
      id="delete"
      href={`${paths.newsletter}/${id}/delete`}
      hx-get={`${paths.newsletter}/${id}/delete`}
      hx-target="#dialog"
      data-hotkey="#"
    >
      <Icon name="trash-2" />
      Delete
    </a>
  </>
);

/** What managers do about someone who has not confirmed yet. */
const PendingActions = ({ frame, id }: { frame: Frame; id: string }) => (
  <Form action={`${paths.newsletter}/bulk`} token={frame.token} class="row" label="Pending">
    <input type="hidden" name="ids" value={id} />
    <button type="submit" class="btn" name="do" value="remind">
      Send link again
    </button>
    <button type="submit" class="btn" name="do" value="confirm">
      Confirm…
    </button>
  </Form>
);

const Details = ({ frame, subscriber, suppression }: SubscriberProps & Pick<SubscriberView, "suppression">) => (
  <dl class="facts">
    <dt>Status</dt>
    <dd>
      <State subscriber={subscriber} />
    </dd>
    {suppression && (
      <>
        <dt>Suppressed</dt>
        <dd>
          {suppressionReasons[suppression.reason]}
          {suppression.detail && `: ${suppression.detail}`} ·{" "}
          <a href={`${paths.suppressions}?q=${encodeURIComponent(subscriber.email)}`}>Open suppression</a>
        </dd>
      </>
    )}
    {subscriber.consentNote && (
      <>
        <dt>Consent</dt>
        <dd>{subscriber.consentNote}</dd>
      </>
    )}
    <dt>Source</dt>
    <dd>{subscriber.source ? <span class="mono">{subscriber.source}</span> : <span class="none">None</span>}</dd>
    {subscriber.confirmedAt && (
      <>
        <dt>Confirmed</dt>
        <dd>
          <Time at={subscriber.confirmedAt} clock={frame} />
        </dd>
      </>
    )}
    <dt>Joined</dt>
    <dd>
      <Time at={subscriber.createdAt} clock={frame} />
    </dd>
    {subscriber.state === "unsubscribed" && subscriber.unsubscribedAt && (
      <>
        <dt>Unsubscribed</dt>
        <dd>
          <Time at={subscriber.unsubscribedAt} clock={frame} />
        </dd>
      </>
    )}
  </dl>
);

const UnsubscribeLink = ({ url }: { url: string }) => (
  <div class="field">
    <label for="unsubscribe-link">Unsubscribe link</label>
    <div class="secret">
      <input class="input" id="unsubscribe-link" value={url} readonly />
      <CopyButton from="unsubscribe-link" />
    </div>
    <p class="hint">Anyone with this link can unsubscribe this person. Do not share it.</p>
  </div>
);

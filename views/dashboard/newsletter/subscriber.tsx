import type { Mail } from "../../../db/mail/outbox";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import type { SubscriberEvent } from "../../../db/newsletter/events";
import { Badge } from "../../components/badge";
import { Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Time } from "../../components/time";
import { State } from "./row";
import { Crumb, Head } from "../shell";
import { paths } from "../../paths";

type SubscriberView = {
  frame: Frame;
  subscriber: Subscriber;
  events: SubscriberEvent[];
  mails: Mail[];
  unsubscribeLink: string;
};

/** One person: who, since when, and everything that happened. */
export const SubscriberPage = ({ frame, subscriber, events, mails, unsubscribeLink }: SubscriberView) => (
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
          <Details frame={frame} subscriber={subscriber} />
          <UnsubscribeLink url={unsubscribeLink} />
        </div>
      </section>
      <section class="card" aria-labelledby="events-title">
        <header>
          <h2 id="events-title">What happened</h2>
        </header>
        <div class="body">
          <ol class="timeline">
            {timeline(events, mails).map(({ at, text, warning }) => (
              <li>
                <span>{text}</span>
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

const Actions = ({ frame, subscriber: { id, state } }: SubscriberProps) => (
  <>
    {state === "unsubscribed" && (
      <Form action={`${paths.newsletter}/${id}/reactivate`} token={frame.token} plain>
        <button type="submit" class="btn" title="Only if they asked you to">
          Reactivate
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

const Details = ({ frame, subscriber }: SubscriberProps) => (
  <dl class="facts">
    <dt>Status</dt>
    <dd>
      <State state={subscriber.state} />
      {subscriber.suppressedAt && <Badge tone="bad">No mail: it bounced</Badge>}
    </dd>
    <dt>Source</dt>
    <dd class="mono">{subscriber.source ?? "none"}</dd>
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
      <button type="button" class="btn with-script" data-copy="#unsubscribe-link">
        <Icon name="copy" />
        <span data-label>Copy</span>
      </button>
    </div>
    <p class="hint">Whoever opens it unsubscribes this address. Give it to nobody else.</p>
  </div>
);

type Entry = { at: Date; text: string; warning?: string | undefined };

const timeline = (events: SubscriberEvent[], mails: Mail[]): Entry[] =>
  [
    ...events.map((event) => ({
      at: event.createdAt,
      text: textOf(event),
      warning: event.probableScanner ? "Probably a mail scanner" : undefined,
    })),
    ...mails.map(({ createdAt, sentAt, state }) => ({
      at: sentAt ?? createdAt,
      text: `Welcome e-mail ${mailStates[state]}`,
    })),
  ].sort((a, b) => b.at.getTime() - a.at.getTime());

const mailStates: Record<Mail["state"], string> = {
  queued: "waits to be sent",
  sent: "sent",
  simulated: "logged only: no mail provider is set",
  dead: "could not be sent",
  cancelled: "not sent",
};

function textOf({ kind, via, actor, source }: SubscriberEvent): string {
  const by = actor ? ` by ${actor}` : "";
  if (kind === "subscribed")
    return via === "manager" ? `Added${by}` : source ? `Subscribed on ${source}` : "Subscribed";
  if (kind === "unsubscribed") return `Unsubscribed ${ways[via]}`;
  if (kind === "reactivated") return via === "manager" ? `Reactivated${by}` : "Subscribed again";
  if (kind === "restored") return `Restored${by} after a mail scanner`;
  if (kind === "imported") return `Imported${by}`;
  if (kind === "deleted") return `Deleted${by}`;
  return events[kind];
}

const events = {
  suppressed: "Mail to this address bounced",
  "confirm-sent": "Confirmation email sent",
  confirmed: "Confirmed",
  lifted: "Suppression lifted",
  expired: "Not confirmed in time",
  erased: "Erased",
};

const ways: Record<SubscriberEvent["via"], string> = {
  link: "by the link in a mail",
  "one-click": "with the mail program’s button",
  page: "on the unsubscribe page",
  form: "by a form",
  manager: "by a manager",
  import: "by an import",
  cli: "on the command line",
  provider: "by the email provider",
  confirm: "by the link in the confirmation email",
};

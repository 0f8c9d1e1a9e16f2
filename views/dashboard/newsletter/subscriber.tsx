import type { Mail } from "../../../db/mail/outbox";
import type { Subscriber, SubscriberEvent } from "../../../db/newsletter/subscribers";
import { Badge } from "../../components/badge";
import { DialogFooter } from "../../components/dialog";
import { Check, ErrorSummary, Field, type FieldError, Form } from "../../components/form";
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
      {subscriber.state === "unsubscribed" && (
        <Form action={`${paths.newsletter}/${subscriber.id}/reactivate`} token={frame.token} plain>
          <button type="submit" class="btn" title="Only if they asked you to">
            Reactivate
          </button>
        </Form>
      )}
      <a
        class="btn"
        id="delete"
        href={`${paths.newsletter}/${subscriber.id}/delete`}
        hx-get={`${paths.newsletter}/${subscriber.id}/delete`}
        hx-target="#dialog"
      >
        <Icon name="trash-2" />
        Delete
      </a>
    </Head>
    <div class="columns">
      <section class="card" aria-labelledby="facts-title">
        <header>
          <h2 id="facts-title">Details</h2>
        </header>
        <div class="body">
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
          <div class="field">
            <label for="unsubscribe-link">Unsubscribe link</label>
            <div class="secret">
              <input class="input" id="unsubscribe-link" value={unsubscribeLink} readonly />
              <button type="button" class="btn with-script" data-copy="#unsubscribe-link">
                <Icon name="copy" />
                <span data-label>Copy</span>
              </button>
            </div>
            <p class="hint">Whoever opens it unsubscribes this address. Give it to nobody else.</p>
          </div>
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

type Entry = { at: Date; text: string; warning?: string | undefined };

const timeline = (events: SubscriberEvent[], mails: Mail[]): Entry[] =>
  [
    ...events.map((event) => ({
      at: event.createdAt,
      text: told(event),
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

function told({ kind, via, actor, source }: SubscriberEvent): string {
  const by = actor ? ` by ${actor}` : "";
  if (kind === "subscribed")
    return via === "manager" ? `Added${by}` : source ? `Subscribed on ${source}` : "Subscribed";
  if (kind === "unsubscribed") return `Unsubscribed ${ways[via]}`;
  if (kind === "reactivated") return via === "manager" ? `Reactivated${by}` : "Subscribed again";
  if (kind === "restored") return `Restored${by} after a mail scanner`;
  if (kind === "imported") return `Imported${by}`;
  return kind === "suppressed" ? "Mail to this address bounced" : `Deleted${by}`;
}

const ways: Record<SubscriberEvent["via"], string> = {
  link: "by the link in a mail",
  "one-click": "with the mail program’s button",
  page: "on the unsubscribe page",
  form: "by a form",
  manager: "by a manager",
  import: "by an import",
  cli: "on the command line",
};

type NewSubscriberProps = {
  frame: Frame;
  values?: Record<string, string | undefined>;
  errors?: FieldError[];
};

export const NewSubscriberForm = ({ frame, values = {}, errors = [] }: NewSubscriberProps) => (
  <Form action={paths.newsletter} token={frame.token} class="stack">
    <ErrorSummary errors={errors} scope="new" />
    <Field
      scope="new"
      name="email"
      label="E-mail address"
      type="email"
      value={values.email}
      errors={errors}
      required
      maxlength={200}
      autocomplete="off"
      autofocus
    />
    <Field
      scope="new"
      name="name"
      label="Name (optional)"
      value={values.name}
      errors={errors}
      maxlength={100}
      autocomplete="off"
    />
    <Field
      scope="new"
      name="source"
      label="Source"
      value={values.source ?? "dashboard"}
      errors={errors}
      maxlength={100}
      hint="Where this person comes from, for your own statistics."
    />
    <Check
      scope="new"
      name="welcome"
      label="Send the welcome e-mail"
      checked={values.welcome === "yes"}
      hint="Only add people who asked you to."
    />
    <DialogFooter cancel={paths.newsletter}>Add subscriber</DialogFooter>
  </Form>
);

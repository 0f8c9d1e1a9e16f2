import type { Message } from "../../../db/contact/messages";
import type { Erasure } from "../../../db/people/erase";
import type { Overview } from "../../../db/people/overview";
import { Badge } from "../../components/badge";
import { Fact } from "../../components/fact";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field, type Input, labelsOf } from "../../components/forms/fields";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number } from "../../components/list";
import { exact, Time } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { By } from "../../components/who";
import { languageLabel } from "../../languages/names";
import { paths } from "../../paths";
import { outcomeOf } from "../broadcasts/report/recipients";
import { mailKinds, MailState } from "../mail/mail-state";
import { State } from "../newsletter/subscribers";
import { timeline, written } from "../newsletter/timeline";
import { Crumb, Head } from "../shell";
import { suppressionReasons } from "../suppressions/suppressions";
import { countsOf, personPath, StoredData } from "./stored";

const Box = ({ message: { deletedAt, spamReason, quarantined } }: { message: Message }) =>
  deletedAt ? (
    <Badge tone="off">Trash</Badge>
  ) : spamReason ? (
    <Badge tone="off">Spam</Badge>
  ) : quarantined ? (
    <Badge tone="warn">Quarantine</Badge>
  ) : null;

type Entry = {
  at: Date;
  icon: string;
  text: Child;
  /** The address of the manager named in the text. */
  actor?: string | undefined;
  /** What is not as usual. */
  badge?: Child;
  /** Further details, or how it ended. */
  words?: Child;
};

type PersonProps = { frame: Frame; overview: Overview };

/** The broadcasts someone got, and their outcomes. */
const receivedBroadcasts = ({ received }: Overview): Entry[] =>
  received.rows.map((row) => {
    const { name, tone, at } = outcomeOf({ ...row, subscriberId: null, email: null });
    const text = (
      <>
        {row.kind === "step" ? "Email of a sequence:" : "Broadcast"}{" "}
        <a href={`${paths.broadcasts}/${row.broadcastId}`}>{row.subject || "No subject"}</a>
      </>
    );
    const isUsual = tone === "good";
    const badge = !isUsual && <Badge tone={tone}>{name}</Badge>;
    const words = row.error ?? (isUsual && name);
    return { at: at ?? row.startedAt ?? new Date(0), icon: "megaphone", text, badge, words };
  });

/** The emails sent to this person alone. */
const singleEmails = ({ emails }: Overview): Entry[] =>
  emails.rows.map(({ id, kind, state, inDoubtSince, sentAt, createdAt, lastError }) => ({
    at: sentAt ?? createdAt,
    icon: "mail",
    text: (
      <>
        Email: <a href={`${paths.mails}/${id}`}>{mailKinds[kind]}</a>
      </>
    ),
    badge: state !== "sent" && <MailState mail={{ state, inDoubtSince }} />,
    words: lastError ?? (state === "sent" && "Sent"),
  }));

/** What someone wrote, from every box. */
const writtenMessages = ({ messages }: Overview): Entry[] =>
  messages.rows.map((message) => ({
    at: message.createdAt,
    icon: "inbox",
    text: (
      <>
        Wrote <a href={`${paths.contact}/${message.id}`}>a message</a> as {message.name}
      </>
    ),
    badge: <Box message={message} />,
    words: message.message.slice(0, 200),
  }));

/** The history of the subscription, and what managers and the person wrote to each other. */
const activity = ({ events, conversation }: Overview, { names }: Frame): Entry[] =>
  [...timeline(events, names), ...written(conversation, names)].map(({ warning, text, href, ...entry }) => ({
    ...entry,
    text: href ? <a href={href}>{text}</a> : text,
    badge: warning && <Badge tone="warn">{warning}</Badge>,
  }));

const entriesOf = (overview: Overview, frame: Frame): Entry[] =>
  [
    ...receivedBroadcasts(overview),
    ...singleEmails(overview),
    ...writtenMessages(overview),
    ...activity(overview, frame),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime());

/** How many of each kind are shown, if there are more. */
function restOf({ received, emails, messages }: Overview): string[] {
  const kinds = [
    { ...received, name: "broadcasts and emails of sequences" },
    { ...emails, name: "emails" },
    { ...messages, name: "messages" },
  ];
  return kinds
    .filter(({ rows, total }) => rows.length < total)
    .map(({ rows, total, name }) => `${number(rows.length)} of ${number(total)} ${name}`);
}

/** Everything that happened, newest first. @param more the URL that shows all of it */
export function Happened({ frame, overview, more }: PersonProps & { more: string }) {
  const [entries, rest] = [entriesOf(overview, frame), restOf(overview)];
  return (
    <section class="card" aria-labelledby="events-title">
      <header>
        <h2 id="events-title">Timeline</h2>
        {rest.length > 0 && (
          <span class="hint">
            {rest.join(", ")} · <a href={`${more}#events-title`}>Show all</a>
          </span>
        )}
      </header>
      <div class="body">
        {entries.length === 0 && <p class="muted">Nothing yet</p>}
        <ol class="timeline">
          {entries.map(({ at, icon, text, actor, badge, words }) => (
            <li>
              <span class="mark">
                <Icon name={icon} />
              </span>
              <div>
                <span title={actor}>{text}</span>
                {badge}
              </div>
              <Time at={at} clock={frame} />
              {words && <span class="sub">{words}</span>}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

/** Someone who is not on the list, by the address. */
export const PersonPage = ({ frame, overview }: PersonProps) => (
  <>
    <Crumb href={paths.people}>People</Crumb>
    <Head title={overview.email} lead="Not a subscriber" />
    <div class="mail">
      <Happened frame={frame} overview={overview} more={personPath(overview.email, "/print")} />
      <div class="stack">
        <section class="card" aria-labelledby="facts-title">
          <header>
            <h2 id="facts-title">Address</h2>
          </header>
          <div class="body">
            <Address frame={frame} overview={overview} />
          </div>
        </section>
        <StoredData frame={frame} overview={overview} />
      </div>
    </div>
  </>
);

/** What people chose, and what the site keeps of them. */
export const Known = ({ profile: { topics, fields } }: Pick<Overview, "profile">) => (
  <>
    {topics.length > 0 && (
      <Fact name="Topics">{topics.map(({ name, chosen }) => (chosen ? name : `${name} (left)`)).join(", ")}</Fact>
    )}
    {fields.map(({ field, value }) => (
      <Fact name={field.name}>{typeof value === "boolean" ? (value ? "Yes" : "No") : String(value)}</Fact>
    ))}
  </>
);

const Address = ({ frame, overview: { suppression, erased } }: PersonProps) => (
  <dl class="facts">
    <dt>Suppressed</dt>
    <dd>{suppression ? suppressionReasons[suppression.reason] : "No"}</dd>
    {erased.map(({ id, at }) => (
      <>
        <dt>Erased</dt>
        <dd>
          <a href={`${paths.people}/erasures/${id}`}>
            <Time at={at} clock={frame} />
          </a>
        </dd>
      </>
    ))}
  </dl>
);

type PrintProps = { frame: Frame; overview: Overview };

/** Everything about a person on one page, for printing. */
export const PrintPage = ({ frame, overview }: PrintProps) => {
  const { email, subscriber, profile, suppression, messages } = overview;
  return (
    <>
      <Crumb href={personPath(email)}>{email}</Crumb>
      <Head title={email} lead={`${countsOf(overview)}. As of ${exact(frame.now, "UTC")} UTC.`} />
      <div class="stack">
        {subscriber && (
          <section class="card" aria-labelledby="subscription-title">
            <header>
              <h2 id="subscription-title">Subscription</h2>
            </header>
            <dl class="body facts">
              <Fact name="Name">{subscriber.name ?? <span class="none">None</span>}</Fact>
              <Fact name="Status">
                <State subscriber={subscriber} />
              </Fact>
              <Fact name="Source">{subscriber.source ?? <span class="none">None</span>}</Fact>
              <Fact name="Language">{languageLabel(subscriber.language)}</Fact>
              <Fact name="Tags">{profile.tags.length ? profile.tags.join(", ") : <span class="none">None</span>}</Fact>
              <Known profile={profile} />
              {subscriber.pausedUntil && <Fact name="Paused until">{exact(subscriber.pausedUntil, "UTC")} UTC</Fact>}
              <Fact name="Joined">{exact(subscriber.createdAt, "UTC")} UTC</Fact>
              {subscriber.confirmedAt && <Fact name="Confirmed">{exact(subscriber.confirmedAt, "UTC")} UTC</Fact>}
              {subscriber.consentNote && <Fact name="Consent">{subscriber.consentNote}</Fact>}
              <Fact name="Suppressed">{suppression ? suppressionReasons[suppression.reason] : "No"}</Fact>
            </dl>
          </section>
        )}
        <Happened frame={frame} overview={overview} more={personPath(email, "/export.json")} />
        {messages.rows.length > 0 && (
          <section class="card" aria-labelledby="texts-title">
            <header>
              <h2 id="texts-title">Texts of the messages</h2>
            </header>
            <dl class="body facts">
              {messages.rows.map(({ createdAt, message }) => (
                <Fact name={`${exact(createdAt, "UTC")} UTC`}>
                  <span class="words">{message}</span>
                </Fact>
              ))}
            </dl>
          </section>
        )}
      </div>
    </>
  );
};

type FindProps = { frame: Frame; erasures: Erasure[]; input: Input; value?: string; errors?: FieldError[] };

/** Asks for an address, and leads to the page with everything under it. Beside it, the proofs of the latest erasures. */
export const FindPerson = ({ frame, erasures, input, value, errors = [] }: FindProps) => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head
      title="Find a person"
      lead="Everything that is stored under an email address, to show, export or erase it. Also for people who never subscribed."
    />
    <div class="columns">
      <section class="card" aria-label="Find a person">
        <form method="get" action={paths.people} class="body stack">
          <ErrorSummary errors={errors} labels={labelsOf({ input })} scope="find" />
          <Field scope="find" {...input} value={value} errors={errors} autocomplete="off" autofocus />
          <div class="row">
            <button type="submit" class="btn primary">
              Show
            </button>
          </div>
        </form>
      </section>
      <Erasures frame={frame} erasures={erasures} />
    </div>
  </>
);

const Erasures = ({ frame, erasures }: Pick<FindProps, "frame" | "erasures">) => (
  <section class="card" aria-labelledby="erasures-title">
    <header>
      <h2 id="erasures-title">Latest erasures</h2>
    </header>
    {erasures.length === 0 ? (
      <p class="body muted">
        When someone’s data is erased, the proof is kept here. It says when and why, and not whose data it was.
      </p>
    ) : (
      <ul class="latest">
        {erasures.map(({ id, at, by, request }) => (
          <li>
            <span class="wrap">
              <a href={`${paths.people}/erasures/${id}`}>Proof {id.slice(-8)}</a> <By actor={by} names={frame.names} />
              {request && <span class="sub">{request}</span>}
            </span>
            <Time at={at} clock={frame} />
          </li>
        ))}
      </ul>
    )}
  </section>
);

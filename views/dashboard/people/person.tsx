import type { Message } from "../../../db/contact/messages";
import type { Overview } from "../../../db/people/overview";
import { Badge } from "../../components/badge";
import { Fact } from "../../components/fact";
import { Field } from "../../components/forms/field";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { type Input, labelsOf } from "../../components/forms/fields";
import type { Frame } from "../../components/frame";
import { number } from "../../components/list";
import { exact, Time } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { languageLabel } from "../../languages/names";
import { paths } from "../../paths";
import { outcomeOf } from "../broadcasts/report/recipients";
import { mailKinds, MailState } from "../mail/mail-state";
import { State } from "../newsletter/subscribers";
import { timeline, written } from "../newsletter/timeline";
import { Crumb, Head } from "../shell";
import { suppressionReasons } from "../suppressions/suppressions";
import { countsOf, personPath, StoredData } from "./stored";

type SectionProps = {
  id: string;
  title: string;
  count: number;
  total: number;
  /** The URL that shows all of them. */
  more: string;
  children?: Child;
};

/** A card with the newest rows of a kind. */
const Section = ({ id, title, count, total, more, children }: SectionProps) => (
  <section class="card" aria-labelledby={`${id}-title`}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      {count < total && (
        <span class="hint">
          {number(count)} of {number(total)} · <a href={`${more}#${id}-title`}>Show all</a>
        </span>
      )}
    </header>
    {total === 0 ? <p class="body muted">None</p> : <ul class="latest">{children}</ul>}
  </section>
);

type EntryProps = {
  href: string;
  title: string;
  state?: Child;
  at: Date | null;
  frame: Frame;
  /** Further details. */
  children?: Child;
};

/** One of these rows. */
const Entry = ({ href, title, state, at, frame, children }: EntryProps) => (
  <li>
    <a class="who" href={href}>
      {title}
    </a>
    <span class="row">
      {state} {at && <Time at={at} clock={frame} />}
    </span>
    {children && <p>{children}</p>}
  </li>
);

type ReceivedProps = { frame: Frame; overview: Overview; more: string };

/** The broadcasts someone got, and their outcomes. */
const ReceivedBroadcasts = ({ frame, overview: { received }, more }: ReceivedProps) => (
  <Section id="broadcasts" title="Broadcasts" count={received.rows.length} total={received.total} more={more}>
    {received.rows.map((row) => {
      const { name, tone, at } = outcomeOf({ ...row, subscriberId: null, email: null });
      return (
        <Entry
          href={`${paths.broadcasts}/${row.broadcastId}`}
          title={row.subject || "No subject"}
          state={<Badge tone={tone}>{name}</Badge>}
          at={at ?? row.startedAt}
          frame={frame}
        >
          {row.error}
        </Entry>
      );
    })}
  </Section>
);

/** The emails sent to this person alone. */
const SingleEmails = ({ frame, overview: { emails }, more }: ReceivedProps) => (
  <Section id="emails" title="Single emails" count={emails.rows.length} total={emails.total} more={more}>
    {emails.rows.map(({ id, kind, state, inDoubtSince, sentAt, createdAt, lastError }) => (
      <Entry
        href={`${paths.mails}/${id}`}
        title={mailKinds[kind]}
        state={<MailState mail={{ state, inDoubtSince }} />}
        at={sentAt ?? createdAt}
        frame={frame}
      >
        {lastError}
      </Entry>
    ))}
  </Section>
);

type WroteProps = { frame: Frame; overview: Overview; more: string };

/** What someone wrote, from every box. */
const WrittenMessages = ({ frame, overview: { messages }, more }: WroteProps) => (
  <Section id="messages" title="Messages" count={messages.rows.length} total={messages.total} more={more}>
    {messages.rows.map((message) => (
      <Entry
        href={`${paths.contact}/${message.id}`}
        title={message.name}
        state={<Box message={message} />}
        at={message.createdAt}
        frame={frame}
      >
        {message.message.slice(0, 200)}
      </Entry>
    ))}
  </Section>
);

const Box = ({ message: { deletedAt, spamReason, quarantined } }: { message: Message }) =>
  deletedAt ? (
    <Badge tone="off">Trash</Badge>
  ) : spamReason ? (
    <Badge tone="off">Spam</Badge>
  ) : quarantined ? (
    <Badge tone="warn">Quarantine</Badge>
  ) : null;

/** The history of the subscription, with what was written to them and what they answered. */
const Activity = ({ frame, overview }: Omit<WroteProps, "more">) => (
  <section class="card" aria-labelledby="events-title">
    <header>
      <h2 id="events-title">Activity</h2>
    </header>
    <div class="body">
      {entriesOf(overview, frame).length === 0 && <p class="muted">None</p>}
      <ol class="timeline">
        {entriesOf(overview, frame).map(({ at, text, warning, actor, href, words }) => (
          <li>
            <span title={actor}>{href ? <a href={href}>{text}</a> : text}</span>
            {warning && <Badge tone="warn">{warning}</Badge>}
            <Time at={at} clock={frame} />
            {words && <span class="sub">{words}</span>}
          </li>
        ))}
      </ol>
    </div>
  </section>
);

const entriesOf = ({ events, conversation }: Overview, { names }: Frame) =>
  [...timeline(events, names), ...written(conversation, names)].toSorted((a, b) => b.at.getTime() - a.at.getTime());

type PersonProps = { frame: Frame; overview: Overview };

/** What happened, newest first. @param more the URL that shows all of it */
export const Happened = ({ frame, overview, more }: PersonProps & { more: string }) => (
  <div class="stack">
    <ReceivedBroadcasts frame={frame} overview={overview} more={more} />
    <SingleEmails frame={frame} overview={overview} more={more} />
    <WrittenMessages frame={frame} overview={overview} more={more} />
    <Activity frame={frame} overview={overview} />
  </div>
);

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
            <Known frame={frame} overview={overview} />
          </div>
        </section>
        <StoredData frame={frame} overview={overview} />
      </div>
    </div>
  </>
);

const Known = ({ frame, overview: { suppression, erased } }: PersonProps) => (
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
  const { email, subscriber, tags, suppression, messages } = overview;
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
              <Fact name="Tags">{tags.length ? tags.join(", ") : <span class="none">None</span>}</Fact>
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

type FindProps = { input: Input; value?: string; errors?: FieldError[] };

/** Asks for an address, and leads to the page with everything under it. */
export const FindPerson = ({ input, value, errors = [] }: FindProps) => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head
      title="Find a person"
      lead="Everything that is stored under an email address, to show, export or erase it. Also for people who never subscribed."
    />
    <section class="card narrow" aria-label="Find a person">
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
  </>
);

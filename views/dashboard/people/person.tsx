import type { Message } from "../../../db/contact/messages";
import { detailNames } from "../../../db/newsletter/details";
import type { Erasure } from "../../../db/people/erase";
import type { Overview } from "../../../db/people/overview";
import { Badge } from "../../components/badge";
import { Fact } from "../../components/fact";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field, type Input, labelsOf } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { capitalized, number } from "../../components/list";
import { exact, inBands, Time, TimeInBand } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { By } from "../../components/who";
import { paths } from "../../paths";
import { outcomeOf } from "../broadcasts/report/recipients";
import { mailKinds, MailState } from "../mail/mail-state";
import { DetailFacts, State } from "../newsletter/subscribers";
import { beginning, timeline, written } from "../newsletter/timeline";
import { Crumb, Head } from "../shell";
import { suppressionReasons } from "../suppressions/suppressions";
import { countsOf, mailAddress, peoplesData, personPath, StoredData } from "./stored";

const Box = ({ message: { deletedAt, spamReason, quarantined } }: { message: Message }) =>
  deletedAt ? (
    <Badge tone="off">Trash</Badge>
  ) : spamReason ? (
    <Badge tone="off">Spam</Badge>
  ) : quarantined ? (
    <Badge tone="warn">Quarantine</Badge>
  ) : null;

export const shows = ["everything", "emails", "messages", "changes"] as const;
/** What a timeline shows. */
export type Show = (typeof shows)[number];

type Entry = {
  kind: Exclude<Show, "everything">;
  at: Date;
  icon: string;
  text: Child;
  /** The address of the manager named in the text. */
  actor?: string | undefined;
  /** What is not as usual. */
  badge?: Child;
  /** Further details, or how it ended. */
  words?: Child;
  /** How the words are set apart: what someone wrote, or a note of managers. */
  quote?: "said" | "noted" | undefined;
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
    return { kind: "emails", at: at ?? row.startedAt ?? new Date(0), icon: "megaphone", text, badge, words };
  });

/** The emails sent to this person alone. */
const singleEmails = ({ emails }: Overview): Entry[] =>
  emails.rows.map(({ id, kind, state, inDoubtSince, sentAt, createdAt, lastError }) => ({
    kind: "emails",
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
    kind: "messages",
    at: message.createdAt,
    icon: "inbox",
    text: (
      <>
        Wrote <a href={`${paths.contact}/${message.id}`}>a message</a> as {message.name}
      </>
    ),
    badge: <Box message={message} />,
    words: beginning(message.message),
    quote: "said",
  }));

/** The history of the subscription, and what managers and the person wrote to each other. */
const activity = ({ events, conversation }: Overview, { names }: Frame): Entry[] =>
  [...timeline(events, names), ...written(conversation, names)].map(({ warning, text, href, ...entry }) => ({
    ...entry,
    kind: href ? "messages" : "changes",
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

type HappenedProps = PersonProps & {
  /** The URL that shows all of it. */
  more: string;
  /** What is shown of it, and the URL of the page where that is chosen; without it, the dates stand in full. */
  tabs?: { show: Show; href: string };
  /** Above what happened. */
  children?: Child;
};

/** Everything that happened, newest first. */
function Happened({ frame, overview, more, tabs, children }: HappenedProps) {
  const { show = "everything", href = "" } = tabs ?? {};
  const entries = entriesOf(overview, frame).filter(({ kind }) => show === "everything" || show === kind);
  const rest = show === "changes" ? [] : restOf(overview);
  return (
    <section class="happened" aria-labelledby="events-title">
      <header>
        <h2 id="events-title" class={tabs && "sr"}>
          Timeline
        </h2>
        {tabs && <Tabs show={show} href={href} />}
        {rest.length > 0 && (
          <span class="hint">
            {rest.join(", ")} · <a href={`${more}#events-title`}>Show all</a>
          </span>
        )}
      </header>
      {children}
      {entries.length === 0 && <p class="muted">{show === "everything" ? "Nothing yet" : `No ${show} yet`}</p>}
      {tabs ? (
        inBands(entries, ({ at }) => at, frame).map((band) => (
          <>
            <h3 class="day">{band.band}</h3>
            <Entries frame={frame} entries={band.rows} isInBand />
          </>
        ))
      ) : (
        <Entries frame={frame} entries={entries} />
      )}
    </section>
  );
}

const Tabs = ({ show, href }: { show: Show; href: string }) => (
  <nav class="segments" aria-label="Show">
    {shows.map((name) => (
      <a
        href={name === "everything" ? href : `${href}${href.includes("?") ? "&" : "?"}show=${name}`}
        id={`show-${name}`}
        aria-current={name === show ? "true" : undefined}
      >
        {capitalized(name)}
      </a>
    ))}
  </nav>
);

const Entries = ({ frame, entries, isInBand }: { frame: Frame; entries: Entry[]; isInBand?: boolean }) => (
  <ol class="timeline">
    {entries.map(({ at, icon, text, actor, badge, words, quote }) => (
      <li>
        <span class="mark">
          <Icon name={icon} />
        </span>
        <div>
          <span title={actor}>{text}</span>
          {badge}
        </div>
        {isInBand ? <TimeInBand at={at} clock={frame} /> : <Time at={at} clock={frame} />}
        {words && <span class={quote ? `sub ${quote}` : "sub"}>{words}</span>}
      </li>
    ))}
  </ol>
);

/** Leads to the conversation in which one can answer, else to the manager's email app. */
export const Write = ({ overview, isFirst = true }: Pick<PersonProps, "overview"> & { isFirst?: boolean }) => {
  const message = conversationWith(overview);
  return (
    <a
      class={isFirst ? "btn primary" : "btn"}
      id="write"
      href={message ? `${paths.contact}/${message.id}#reply-text` : `mailto:${mailAddress(overview.email)}`}
      title={message ? "In your conversation" : "In your email app"}
    >
      <Icon name="mail" />
      Write
    </a>
  );
};

/** The newest message of someone that can be answered. */
const conversationWith = ({ messages }: Overview) =>
  messages.rows.find(({ deletedAt, spamReason, quarantined }) => !deletedAt && !spamReason && !quarantined);

/** A note for managers, which stands in the newest conversation. Nothing is shown for who never wrote. */
const NoteField = ({ frame, overview, longest }: PersonProps & { longest: number }) => {
  const message = conversationWith(overview);
  if (!message) return null;
  return (
    <Form action={`${paths.contact}/${message.id}/reply`} token={frame.token} class="note-field" label="Note" plain>
      <input type="hidden" name="key" value={crypto.randomUUID()} />
      <input
        class="input"
        name="text"
        id="note-text"
        aria-label="Note"
        placeholder="Write a note. Only managers see it."
        maxlength={longest}
        autocomplete="off"
        required
      />
      <button type="submit" class="btn" name="do" value="note">
        Add note
      </button>
    </Form>
  );
};

/** What the timeline shows, and the most characters of a note. */
export type TimelineView = { show: Show; longest: number };

/** What happened, and a field for a note. @param href the URL of the page, where one chooses what is shown */
export const Timeline = ({ show, longest, href, ...person }: PersonProps & TimelineView & { href: string }) => (
  <Happened {...person} more={personPath(person.overview.email, "/print")} tabs={{ show, href }}>
    <NoteField {...person} longest={longest} />
  </Happened>
);

/** Someone who is not on the list, by the address. */
export const PersonPage = ({ frame, overview, ...timeline }: PersonProps & TimelineView) => (
  <>
    <Crumb href={paths.people}>{peoplesData}</Crumb>
    <Head title={overview.email} lead="Not a subscriber">
      <Write overview={overview} />
    </Head>
    <div class="with-known">
      <div class="known first">
        <section aria-labelledby="facts-title">
          <h2 id="facts-title">Address</h2>
          <Address frame={frame} overview={overview} />
        </section>
      </div>
      <Timeline frame={frame} overview={overview} {...timeline} href={personPath(overview.email)} />
      <div class="known">
        <StoredData frame={frame} overview={overview} />
      </div>
    </div>
  </>
);

/** What people chose, and what the site keeps of them. */
export const Known = ({ profile }: Pick<Overview, "profile">) => (
  <>
    <Topics profile={profile} />
    <FieldValues profile={profile} />
  </>
);

export const Topics = ({ profile: { topics } }: Pick<Overview, "profile">) =>
  topics.length > 0 ? (
    <Fact name="Topics">{topics.map(({ name, chosen }) => (chosen ? name : `${name} (left)`)).join(", ")}</Fact>
  ) : null;

export const FieldValues = ({ profile: { fields } }: Pick<Overview, "profile">) => (
  <>
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
          <Time at={at} clock={frame} />, <a href={`${paths.people}/erasures/${id}`}>Proof</a>
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
              <DetailFacts subscriber={subscriber} names={detailNames.filter((name) => name !== "name")} />
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
    <Head
      title={peoplesData}
      lead="Everything that is stored under an email address, to show, export or erase it. Also for people who never subscribed."
    />
    <div class="columns">
      <section class="card" aria-label="Find a person">
        <form method="get" action={`${paths.people}#data-title`} class="body stack">
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

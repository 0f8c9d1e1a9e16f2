import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { Fact } from "../../components/fact";
import { errorOf, type FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import { Time, zoneInWords } from "../../components/time";
import { type CheckView, linesBelow, postEditor, Verdicts } from "./composer/checks";
import { path, titleOf, webPageOf } from "./state";
import type { Child } from "../../jsx/jsx-runtime";

export type InboxWords = { from: { name: string; address: string }; subject: string; preheader: string };

type LineProps = InboxWords & { id?: string; isFramed?: boolean };

/** A preview of the line in an inbox. */
export const InboxLine = ({ from, subject, preheader, id, isFramed = false }: LineProps) => (
  <p class={isFramed ? "inbox-line framed" : "inbox-line"} id={id}>
    <strong>{from.name}</strong>
    <span class="hint">{from.address}</span>
    <span class="gist">
      <b>{subject || "Untitled"}</b>
      {preheader && ` – ${preheader}`}
    </span>
  </p>
);

export type QuestionView = {
  frame: Frame;
  broadcast: Broadcast;
  inbox: InboxWords;
  audience: number;
  audienceWords: string;
  /** "About 41 minutes, at 5 a second". */
  duration: string;
  checks: CheckView[];
  isSimulated: boolean;
  /** What was typed. */
  sent: { when: "now" | "at"; day: string; time: string; typed: string; fine: string[] };
  errors: FieldError[];
  /** Above this number of people, it must be typed. */
  maxUntyped: number;
};

export const questionTitle = ({ audience, checks, isSimulated }: QuestionView) => {
  if (checks.some(({ kind }) => kind === "block")) return "This cannot be sent yet";
  return `${isSimulated ? "Simulate for" : "Send to"} ${plural(audience, "person", "people")}?`;
};

/** The question before a broadcast is sent. */
export const Question = (view: QuestionView) =>
  view.checks.some(({ kind }) => kind === "block") ? <Blocked {...view} /> : <Ask {...view} />;

const Blocked = ({ broadcast, checks }: QuestionView) => (
  <div class="stack">
    <Verdicts checks={checks.filter(({ kind }) => kind === "block")} editors={editorsOf(broadcast)} />
    <footer>
      <a class="btn primary" href={`${path}/${broadcast.id}`} data-close data-focus>
        Back to the draft
      </a>
    </footer>
  </div>
);

const editorsOf = (broadcast: Broadcast) => {
  const below = `${path}/${broadcast.id}`;
  return { text: { below }, post: postEditor(broadcast), line: linesBelow(below) };
};

const Ask = (view: QuestionView) => {
  const { frame, broadcast, audience, checks, sent, errors, maxUntyped, isSimulated } = view;
  const people = plural(audience, "person", "people");
  return (
    <Form action={`${path}/${broadcast.id}/send`} token={frame.token} class="stack" label="Send">
      <input type="hidden" name="version" value={String(broadcast.version)} />
      <input type="hidden" name="zone" value={frame.preferences.timeZone} />
      <Refused {...view} />
      <InboxLine {...view.inbox} isFramed />
      <Facts {...view} />
      {checks.length > 0 && <Verdicts checks={checks} canAccept accepted={sent.fine} editors={editorsOf(broadcast)} />}
      <Times {...view} />
      <footer>
        {audience > maxUntyped && <Number audience={audience} typed={sent.typed} errors={errors} />}
        <a class="btn" href={`${path}/${broadcast.id}`} data-close>
          Cancel
        </a>
        <button type="submit" class="btn primary" id="send-now">
          <Icon name="send" />
          {isSimulated ? `Simulate for ${people}` : `Send to ${people}`}
        </button>
      </footer>
    </Form>
  );
};

const Refused = ({ errors }: QuestionView) =>
  errors.length === 0 ? null : (
    <div class="errors" role="alert" tabindex="-1" data-focus>
      <p>
        <strong>Not sent yet</strong>
      </p>
      {errors.map(({ message }) => (
        <p>{message}</p>
      ))}
    </div>
  );

/** Who can read it besides those who get the email, and from when on (db/broadcasts/archive.ts). */
export const onTheWeb = {
  listed: {
    name: "Listed in the public archive",
    about:
      "Anyone can read it: by its link as soon as sending starts, and in the list at /newsletter and its feed once it has been sent.",
  },
  unlisted: {
    name: "Shown only by its link",
    about: "Anyone who has the link can read it as soon as sending starts. It is not listed anywhere.",
  },
  none: { name: "Not on the web", about: "Only those who get the email can read it." },
};

type WebChoicesProps = { value: Broadcast["archive"]; form?: string; children?: Child };

/** Where it can be read on the web. @param form the ID of the form, if that is elsewhere */
export const WebChoices = ({ value, form, children }: WebChoicesProps) => (
  <fieldset class="stack">
    <legend>On the web</legend>
    <div class="choices">
      {Object.entries(onTheWeb).map(([archive, { name, about }]) => (
        <label>
          <input
            type="radio"
            name="archive"
            value={archive}
            id={`archive-${archive}`}
            form={form}
            checked={archive === value}
          />
          <strong>{name}</strong>
          <span class="hint">{about}</span>
        </label>
      ))}
    </div>
    {children}
  </fieldset>
);

const Facts = ({ broadcast, audience, audienceWords, duration }: QuestionView) => (
  <dl class="facts">
    <Fact name="To">
      <strong>{plural(audience, "person", "people")}</strong>
      <br />
      {audienceWords}
    </Fact>
    <Fact name="Duration">{duration}</Fact>
    <Fact name="On the web">
      <strong>{onTheWeb[broadcast.archive].name}</strong>
      <br />
      {onTheWeb[broadcast.archive].about}
    </Fact>
  </dl>
);

const Times = ({ frame, sent, errors }: QuestionView) => {
  const error = errorOf(errors, "day", "The time");
  return (
    <fieldset class="stack">
      <legend>When</legend>
      <div class="choices">
        <label>
          <input type="radio" name="when" value="now" id="when-now" checked={sent.when === "now"} />
          <strong>Now</strong>
          <span class="hint">It starts in 60 seconds. Until then you can stop it.</span>
        </label>
        <div>
          <input type="radio" name="when" value="at" id="when-at" checked={sent.when === "at"} />
          <label for="when-at">
            <strong>At a time</strong>
          </label>
          <div class="row">
            <input
              class="input"
              type="date"
              name="day"
              value={sent.day}
              aria-label="Day"
              aria-invalid={error ? "true" : undefined}
              data-chooses="when-at"
            />
            <input class="input" type="time" name="time" value={sent.time} aria-label="Time" data-chooses="when-at" />
            <span class="hint">{zoneInWords(frame.preferences.timeZone, frame.now)}</span>
          </div>
        </div>
      </div>
    </fieldset>
  );
};

export const Number = ({ audience, typed, errors }: { audience: number; typed: string; errors: FieldError[] }) => {
  const isWrong = errors.some(({ field }) => field === "typed");
  return (
    <div class="field">
      <label for="send-number">Enter {number(audience)} to confirm</label>
      <input
        class="input"
        id="send-number"
        name="typed"
        inputmode="numeric"
        autocomplete="off"
        required
        value={typed || undefined}
        aria-invalid={isWrong ? "true" : undefined}
      />
    </div>
  );
};

type CardProps = {
  frame: Frame;
  broadcast: Broadcast;
  audienceWords: string;
  from: { address: string; name: string };
};

/** Changes whether it can be read on the web. */
const OnTheWeb = ({ frame, broadcast: { id, version, archive } }: Pick<CardProps, "frame" | "broadcast">) => (
  <Form action={`${path}/${id}/archive`} token={frame.token} label="On the web" class="stack">
    <input type="hidden" name="version" value={String(version)} />
    <WebChoices value={archive}>
      <div>
        <button type="submit" class="btn" id="save-archive">
          Save
        </button>
      </div>
    </WebChoices>
  </Form>
);

/** What was confirmed, by whom, and where it can be read. */
export const EmailCard = ({ frame, broadcast, audienceWords, from }: CardProps) => {
  const { id, confirmedAt, confirmedBy, kind } = broadcast;
  const webPage = webPageOf(broadcast);
  const sender = { ...from, name: broadcast.fromName || from.name };
  return (
    <section class="card" aria-labelledby="email-title">
      <header>
        <h2 id="email-title">The email</h2>
        <a href={`${path}/${id}/preview?as=html`} target="_blank" rel="noopener" id="read-it">
          Read it
        </a>
      </header>
      <div class="body">
        <InboxLine from={sender} subject={titleOf(broadcast)} preheader={broadcast.preheader} isFramed />
        <dl class="facts">
          {kind !== "step" && <Fact name="To">{audienceWords}</Fact>}
          {webPage && (
            <Fact name="Web page">
              <a href={webPage} target="_blank" rel="noopener">
                {webPage}
              </a>
            </Fact>
          )}
          {confirmedAt && (
            <Fact name="Confirmed">
              <Time at={confirmedAt} clock={frame} />
              {confirmedBy && ` by ${confirmedBy}`}
            </Fact>
          )}
        </dl>
        {kind !== "step" && <OnTheWeb frame={frame} broadcast={broadcast} />}
      </div>
    </section>
  );
};

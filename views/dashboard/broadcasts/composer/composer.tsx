import { Help } from "../../../components/help";
import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { errorOf, ErrorSummary, type FieldError } from "../../../components/forms/field-errors";
import { Choice, type Input } from "../../../components/forms/fields";
import { EnterButton, Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Time, timeOfDay } from "../../../components/time";
import type { JSX } from "../../../jsx/jsx-runtime";
import { paths } from "../../../paths";
import { BodyField, CopyOffer, type MergeNames, ViewButtons } from "../../posts/editor/tools";
import { Crumb, Head } from "../../shell";
import { InboxLine, type InboxWords } from "../question";
import { BroadcastBadge, path, titleOf } from "../state";
import { Checks, type CheckView, Tally } from "./checks";
import { Envelope, type EnvelopeView, labels, Recipients } from "./envelope";

const views = [
  ["wide", "Wide", "html"],
  ["narrow", "Narrow", "html"],
  ["dark", "Dark", "html&night=1"],
  ["text", "Plain text", "text"],
  ["page", "Web page", "page"],
] as const;

type Previewed = {
  id: string;
  title: string;
  /** What an inbox shows. */ inbox: JSX.Element;
  /** The field for a subscriber. */ input: Input;
};

/**
 * The email as recipients will see it. A radio button chooses which frame is shown, so this works without scripts and
 * with arrow keys. A hidden frame does not load.
 */
const Stage = ({ id, title, inbox, input }: Previewed) => (
  <section class="stage" aria-label="Preview">
    <header>
      <fieldset class="segments">
        <legend class="sr">Preview</legend>
        {views.map(([view, label]) => (
          <label>
            <input type="radio" name="view" id={`view-${view}`} value={view} checked={view === "wide"} />
            {label}
          </label>
        ))}
      </fieldset>
      <AsReader id={id} input={input} />
    </header>
    {inbox}
    {views.map(([view, label, query]) => (
      <iframe
        class={view}
        name={`preview-${view}`}
        src={`${path}/${id}/preview?as=${query}`}
        sandbox={view === "page" ? "allow-same-origin" : ""}
        loading="lazy"
        title={`${label}: ${title}`}
        tabindex="0"
      />
    ))}
  </section>
);

/** The wide view with a subscriber's values, instead of the fallbacks. */
const AsReader = ({ id, input }: Pick<Previewed, "id" | "input">) => (
  <form class="filter" method="get" action={`${path}/${id}/preview`} target="preview-wide">
    <label class="sr" for="preview-as">
      Preview as this subscriber
    </label>
    <input class="input" id="preview-as" name="for" type="email" maxlength={input.maxlength} placeholder="As anyone" />
  </form>
);

const onTheWeb = [
  ["listed", "In the public archive"],
  ["unlisted", "Only by its link"],
  ["none", "Not at all"],
] as const;

type DetailsProps = Pick<ComposerView, "archive" | "replyTo" | "sequence">;

/** Where else it can be read, and where replies go. */
const Details = ({ archive, replyTo, sequence }: DetailsProps) => (
  <section class="card" aria-labelledby="details-title">
    <header>
      <h2 id="details-title">Details</h2>
    </header>
    <div class="body">
      {!sequence && (
        <Choice
          name="archive"
          form="broadcast-form"
          label={labels.archive}
          value={archive}
          options={onTheWeb}
          hint="Who can read this email on the web."
        />
      )}
      <dl class="facts">
        <dt>Replies go to</dt>
        <dd>{replyTo ?? "the sender’s address"}</dd>
      </dl>
    </div>
  </section>
);

type TestProps = { to: string; input: Input; errors?: FieldError[] | undefined };

/** Sends a test to oneself, or to a few others. The text is saved first. */
const TestCard = ({ to, input, errors = [] }: TestProps) => {
  const error = errorOf(errors, "testTo", "The list of addresses");
  return (
    <section class="card" id="test" aria-labelledby="test-title">
      <header>
        <h2 id="test-title">Send a test</h2>
      </header>
      <div class="body">
        <div class="field">
          <label for="testTo">To</label>
          <div class="joined">
            <input
              class="input"
              id="testTo"
              name="testTo"
              form="broadcast-form"
              value={to}
              maxlength={input.maxlength}
              autocomplete="off"
              aria-describedby={error ? "test-hint testTo-error" : "test-hint"}
              aria-invalid={error ? "true" : undefined}
              {...(error && { "data-focus": true })}
            />
            <button type="submit" form="broadcast-form" class="btn" id="send-test" name="do" value="test">
              Send test
            </button>
          </div>
          <p class="hint" id="test-hint">
            Up to five addresses, separated by commas. The subject starts with [Test].
          </p>
          {error && (
            <p class="error" id="testTo-error">
              <Icon name="circle-alert" />
              {error}
            </p>
          )}
        </div>
      </div>
    </section>
  );
};

export type ComposerView = EnvelopeView & {
  frame: Frame;
  broadcast: Broadcast;
  content: string;
  archive: Broadcast["archive"];
  /** The version that is being edited. */
  version: number;
  checks: CheckView[];
  /** The checks that passed. */
  passed: string[];
  /** What an inbox shows of the saved text. */
  inbox: InboxWords;
  /** The recipients of the test. */
  testTo: string;
  /** The post below the text. */
  post?: { id: string; title: string } | undefined;
  replyTo: string | undefined;
  /** The fields and topics that the text may name. */
  merge: MergeNames;
  errors?: FieldError[] | undefined;
};

/** A draft: the email, its preview, the checks, and the button to the question. */
export const ComposerPage = (view: ComposerView) => (
  <div id="editor" class="editor composer">
    {view.sequence ? <SequenceCrumb {...view.sequence} /> : <Crumb href={path}>Broadcasts</Crumb>}
    <Head title={titleOf(view.broadcast)} lead={<DraftLine {...view} />}>
      {!view.sequence && <Actions {...view} />}
    </Head>
    {view.post && <PostNote {...view.post} />}
    <CopyOffer />
    <div class="write" data-beside={errorsBeside(view) ? "details" : undefined}>
      <ViewSwitch />
      <TextForm {...view} />
      <BesideSwitch isDetails={errorsBeside(view)} />
      <Stage
        input={view.inputs.for}
        id={view.broadcast.id}
        title={titleOf(view.broadcast)}
        inbox={<InboxLine {...view.inbox} id="inbox-line" />}
      />
      <div class="columns">
        <Checks {...view} />
        <div class="stack">
          <TestCard to={view.testTo} input={view.inputs.testTo} errors={view.errors} />
          <Details {...view} />
        </div>
      </div>
    </div>
    <div class="save-bar">
      <Tally checks={view.checks} />
      <p id="saved" role="status" class="hint" />
      <div class="row">
        <button type="submit" form="broadcast-form" class="btn" id="save" name="do" value="save">
          Save draft
        </button>
        {view.sequence ? (
          <a class="btn primary" id="back" href={`${paths.sequences}/${view.sequence.id}`}>
            Back to the sequence
          </a>
        ) : (
          <button type="submit" form="broadcast-form" class="btn primary" id="review" name="do" value="review">
            Review and send…
          </button>
        )}
      </div>
    </div>
  </div>
);

const SequenceCrumb = ({ id, name }: NonNullable<ComposerView["sequence"]>) => (
  <Crumb href={`${paths.sequences}/${id}`}>{name}</Crumb>
);

/** Switches between text and preview, on a screen too narrow for both. */
const ViewSwitch = () => <ViewButtons id="view" label="Show" views={["write", "preview"]} current="write" />;

const errorsBeside = ({ errors = [] }: ComposerView) => errors.some(({ field }) => field === "testTo");

/** What is beside the text on a wide screen: the checks at first, then what was chosen last in this browser. */
const BesideSwitch = ({ isDetails }: { isDetails: boolean }) => (
  <ViewButtons
    id="beside"
    label="Beside the text"
    views={["checks", "preview", "details"]}
    current={isDetails ? "details" : "checks"}
  />
);

const DraftLine = ({ broadcast, frame }: Pick<ComposerView, "broadcast" | "frame">) => (
  <span id="draft-line" class="post-line">
    <BroadcastBadge state={broadcast.state} />
    <span>
      Saved <Time at={broadcast.updatedAt} clock={frame} />
    </span>
  </span>
);

const Actions = ({ frame, broadcast: { id } }: ComposerView) => (
  <Form action={`${path}/${id}/copy`} token={frame.token} class="row" label="This broadcast" plain>
    <button type="submit" class="btn quiet" id="copy">
      <Icon name="copy" />
      Copy
    </button>
    <button type="submit" class="btn quiet" id="trash" formaction={`${path}/${id}/trash`}>
      <Icon name="trash-2" />
      Delete
    </button>
  </Form>
);

const PostNote = ({ id, title }: { id: string; title: string }) => (
  <div class="note info">
    <Icon name="file-text" />
    <p>
      The post <a href={`${paths.posts}/${id}`}>“{title}”</a> follows your text, as it is saved when you confirm.
    </p>
  </div>
);

/** Saved soon after typing stops. */
const TextForm = (view: ComposerView) => {
  const { broadcast, frame, version, content, errors = [] } = view;
  return (
    <Form
      action={`${path}/${broadcast.id}`}
      token={frame.token}
      id="broadcast-form"
      class="post-form words"
      label="Broadcast"
      guard
      autosave="soon"
    >
      <EnterButton name="do" value="save" />
      <VersionField version={version} />
      <input type="hidden" name="zone" value={frame.preferences.timeZone} />
      <ErrorSummary errors={errors} labels={{ ...labels, testTo: "Test recipients" }} idOf={(field) => field} />
      <Envelope {...view} />
      <BodyField
        label={labels.content}
        content={content}
        errors={errors}
        merge={view.merge}
        back={`${path}/${broadcast.id}`}
        hint={
          <>
            Markdown. <code>{'{name, "friend"}'}</code> is the reader’s name, or “friend”. <Help of="mergeFields" />
          </>
        }
      />
    </Form>
  );
};

const VersionField = ({ version }: { version: number }) => (
  <input type="hidden" name="version" id="broadcast-version" value={String(version)} />
);

/** The parts of the page that change when the text is saved. What is being typed stays untouched. */
export const SavedPieces = (view: ComposerView) => (
  <>
    <Piece id="broadcast-version">
      <VersionField version={view.version} />
    </Piece>
    <Piece id="draft-line">
      <DraftLine {...view} />
    </Piece>
    <hx-partial hx-target="#saved" hx-swap="innerHTML">
      Saved {timeOfDay(view.frame.now, view.frame.preferences)}
    </hx-partial>
    <Verdict {...view} />
  </>
);

/** The heading; and the recipients and the checks, both of which change with the text and the list of subscribers. */
export const Verdict = (view: ComposerView) => (
  <>
    <hx-partial hx-target="#editor h1" hx-swap="innerHTML">
      {titleOf(view.broadcast)}
    </hx-partial>
    {!view.sequence && (
      <Piece id="recipients">
        <Recipients {...view} />
      </Piece>
    )}
    <Piece id="checks">
      <Checks {...view} />
    </Piece>
    <Piece id="inbox-line">
      <InboxLine {...view.inbox} id="inbox-line" />
    </Piece>
    <Piece id="tally">
      <Tally checks={view.checks} />
    </Piece>
  </>
);

const Piece = ({ id, children }: { id: string; children: JSX.Element }) => (
  <hx-partial hx-target={`#${id}`} hx-swap="outerHTML">
    {children}
  </hx-partial>
);

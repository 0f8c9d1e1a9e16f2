import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { ErrorSummary, type FieldError } from "../../../components/forms/field-errors";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { timeOfDay, Time } from "../../../components/time";
import type { JSX } from "../../../jsx/jsx-runtime";
import { paths } from "../../../paths";
import { BodyField, CopyOffer } from "../../posts/editor/tools";
import { Crumb, Head } from "../../shell";
import { BroadcastBadge, path, titleOf } from "../state";
import { type CheckView, Checks, Tally } from "./checks";
import { Envelope, type EnvelopeView, labels, Recipients } from "./envelope";
import { InboxLine, type InboxWords } from "../inbox-line";
import { Stage } from "./stage";
import { Details } from "./details";
import { TestCard } from "./test-card";

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
  errors?: FieldError[] | undefined;
};

/** A draft: the email, its preview, the checks, and the button to the question. */
export const ComposerPage = (view: ComposerView) => (
  <div id="editor" class="editor composer">
    <Crumb href={path}>Broadcasts</Crumb>
    <Head title={titleOf(view.broadcast)} lead={<DraftLine {...view} />}>
      <Actions {...view} />
    </Head>
    {view.post && <PostNote {...view.post} />}
    <CopyOffer />
    <div class="write">
      <ViewSwitch />
      <TextForm {...view} />
      <Stage
        id={view.broadcast.id}
        title={titleOf(view.broadcast)}
        inbox={<InboxLine {...view.inbox} id="inbox-line" />}
      />
    </div>
    <div class="columns">
      <Checks {...view} />
      <div class="stack">
        <TestCard to={view.testTo} errors={view.errors} />
        <Details {...view} />
      </div>
    </div>
    <div class="save-bar">
      <Tally checks={view.checks} />
      <p id="saved" role="status" class="hint" />
      <div class="row">
        <button type="submit" form="broadcast-form" class="btn" id="save" name="do" value="save">
          Save draft
        </button>
        <button type="submit" form="broadcast-form" class="btn primary" id="review" name="do" value="review">
          Review and send…
        </button>
      </div>
    </div>
  </div>
);

/** Switches between text and preview, if there is no room for both. */
const ViewSwitch = () => (
  <div class="segments with-script" role="group" aria-label="Show" id="view">
    <button type="button" id="view-write" data-view="write" aria-pressed="true">
      Write
    </button>
    <button type="button" id="view-preview" data-view="preview" aria-pressed="false">
      Preview
    </button>
  </div>
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
      <VersionField version={version} />
      <input type="hidden" name="zone" value={frame.preferences.timeZone} />
      <ErrorSummary errors={errors} labels={{ ...labels, testTo: "Test recipients" }} idOf={(field) => field} />
      <Envelope {...view} />
      <BodyField
        label={labels.content}
        content={content}
        errors={errors}
        withFields
        hint={
          <>
            Markdown. <code>{'{name, "friend"}'}</code> is the reader’s name, or “friend”.
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
    <hx-partial hx-target="#editor h1" hx-swap="innerHTML">
      {titleOf(view.broadcast)}
    </hx-partial>
    <hx-partial hx-target="#saved" hx-swap="innerHTML">
      Saved {timeOfDay(view.frame.now, view.frame.preferences)}
    </hx-partial>
    <Verdict {...view} />
  </>
);

/** The recipients and the checks, both of which change with the text and the list of subscribers. */
export const Verdict = (view: ComposerView) => (
  <>
    <Piece id="recipients">
      <Recipients {...view} />
    </Piece>
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

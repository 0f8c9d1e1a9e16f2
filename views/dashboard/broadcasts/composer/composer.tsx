import { Help } from "../../../components/help";
import { ErrorSummary } from "../../../components/forms/field-errors";
import { EnterButton, Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Menu } from "../../../components/lists/row-actions";
import { Time } from "../../../components/time";
import { paths } from "../../../paths";
import {
  BodyField,
  CopyOffer,
  type MergeNames,
  Piece,
  SaveButton,
  SavedNow,
  type TextLength,
  ViewButtons,
  WritingBar,
} from "../../posts/editor/tools";
import { Crumb, Head } from "../../shell";
import { InboxLine } from "../question";
import { BroadcastBadge, path, titleOf } from "../state";
import { Checks, Tally } from "./checks";
import { Envelope, labels, Recipients } from "./envelope";
import { Beside, firstView, panes, type PanelView } from "./panel";

export type ComposerView = PanelView & {
  frame: Frame;
  content: string;
  length: TextLength;
  /** The version that is being edited. */
  version: number;
  /** The post below the text. */
  post?: { id: string; title: string } | undefined;
  /** The fields and topics that the text may name. */
  merge: MergeNames;
};

const formId = "broadcast-form";

/** A draft: the email, what is beside it, and the button to the question. */
export const ComposerPage = (view: ComposerView) => {
  const current = firstView(view);
  return (
    <div id="editor" class="editor writing composer">
      <EnterButton form={formId} name="do" value="save" />
      <div class="write-bar">
        {view.sequence ? <SequenceCrumb {...view.sequence} /> : <Crumb href={path}>Broadcasts</Crumb>}
        <Head title={titleOf(view.broadcast)} isTitleUnseen lead={<DraftLine {...view} />}>
          {!view.sequence && <Actions {...view} />}
        </Head>
        <SaveButtons {...view} />
      </div>
      {view.post && <PostNote {...view.post} />}
      <CopyOffer />
      <div class="write" data-shown={current} data-beside={current === "details" ? current : undefined}>
        <ViewButtons id="view" label="Show" views={["write", ...panes]} current={current} />
        <TextForm {...view} />
        <WritingBar length={view.length} merge={view.merge} help={<Help of="mergeFields" />}>
          <Tally checks={view.checks} />
        </WritingBar>
        <Beside {...view} current={current} />
      </div>
    </div>
  );
};

const SequenceCrumb = ({ id, name }: NonNullable<ComposerView["sequence"]>) => (
  <Crumb href={paths.sequence(id)}>{name}</Crumb>
);

const DraftLine = ({ broadcast, frame }: Pick<ComposerView, "broadcast" | "frame">) => (
  <span id="draft-line" class="post-line">
    <BroadcastBadge broadcast={broadcast} />
    <span>
      Saved <Time at={broadcast.updatedAt} clock={frame} />
    </span>
  </span>
);

const Actions = ({ frame, broadcast: { id } }: ComposerView) => (
  <Form action={`${path}/${id}/copy`} token={frame.token} class="row" label="This broadcast" plain>
    <Menu id="broadcast" label="More actions for this broadcast">
      <button type="submit" class="btn quiet" id="copy">
        <Icon name="copy" />
        Copy
      </button>
      <button type="submit" class="btn quiet" id="trash" formaction={`${path}/${id}/trash`}>
        <Icon name="trash-2" />
        Delete
      </button>
    </Menu>
  </Form>
);

/** The form's buttons. They are beside the way back, above the form. */
const SaveButtons = ({ sequence }: ComposerView) => (
  <div class="row" id="save-buttons">
    <SaveButton form={formId}>draft</SaveButton>
    {sequence ? (
      <a class="btn primary" id="back" href={paths.sequence(sequence.id)}>
        <span>
          Back<span class="on-wide"> to the sequence</span>
        </span>
      </a>
    ) : (
      <button type="submit" form={formId} class="btn primary" id="review" name="do" value="review">
        <span>
          Review<span class="on-wide"> and send</span>…
        </span>
      </button>
    )}
  </div>
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
      id={formId}
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
        merge={view.merge}
        back={`${path}/${broadcast.id}`}
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
    <SavedNow frame={view.frame} />
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

import { statusOf, postUrlOf } from "../../../../db/posts/rules";
import { DialogLink } from "../../../components/buttons";
import { Field } from "../../../components/forms/fields";
import { ErrorSummary } from "../../../components/forms/field-errors";
import { EnterButton, Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Menu } from "../../../components/lists/row-actions";
import { exact } from "../../../components/time";
import { paths } from "../../../paths";
import { Crumb, Head, Title } from "../../shell";
import { path, PostLine, type PostState } from "../state";
import { About, fieldIn, type FormView, idOf, labels, SlugField } from "./fields";
import { PreviewLink } from "./preview";
import { BodyField, CopyOffer, CoverAbove, Piece, SaveButton, SavedNow, WritingPanes } from "./tools";

type ReadProps = { frame: Frame; post: PostState; postUrl: string; class: string; prefix?: string };

/** Leads to the post as visitors read it, or to a link that shows it to them before. */
const ReadLink = ({ frame, post, postUrl, class: classes, prefix = "" }: ReadProps) =>
  statusOf(post, frame.now) === "published" ? (
    <a class={classes} id={`${prefix}view-live`} href={postUrlOf(postUrl, post.slug)} target="_blank" rel="noopener">
      <Icon name="external-link" />
      View live
    </a>
  ) : (
    <PreviewLink post={post} id={`${prefix}preview-link`} class={classes} />
  );

/** What can be done with a post besides writing it: a link to read it as visitors do, and a menu for the rest. */
const PostActions = ({ frame, post, postUrl }: { frame: Frame; post: PostState; postUrl: string }) => (
  <Form action={`${path}/${post.id}/duplicate`} token={frame.token} id={actionsId} class="row" label="This post" plain>
    <ReadLink frame={frame} post={post} postUrl={postUrl} class="btn quiet on-wide" />
    <Menu id="post" label="More actions for this post">
      <ReadLink frame={frame} post={post} postUrl={postUrl} class="btn quiet on-phone" prefix="menu-" />
      <a class="btn quiet" id="revisions" href={`${path}/${post.id}/revisions`}>
        <Icon name="history" />
        Revisions
      </a>
      {frame.may(`${paths.broadcasts}/from-post/${post.id}`, "POST") && (
        <button
          type="submit"
          class="btn quiet"
          id="send-as-newsletter"
          formaction={`${paths.broadcasts}/from-post/${post.id}`}
        >
          <Icon name="megaphone" />
          Send as newsletter
        </button>
      )}
      <button type="submit" class="btn quiet" id="duplicate">
        <Icon name="copy" />
        Duplicate
      </button>
      {post.published && <LiveInMenu id={post.id} isScheduled={statusOf(post, frame.now) === "scheduled"} />}
      <button type="submit" class="btn quiet" id="trash" formaction={`${path}/${post.id}/trash`}>
        <Icon name="trash-2" />
        Delete
      </button>
    </Menu>
  </Form>
);

const actionsId = "post-actions";

/** Their place in a new post. Once a draft has made a post of it, the page has its URL, and they are asked for there. */
const ActionsToCome = () => <div id={actionsId} hidden hx-get="" hx-trigger="kept from:body" hx-swap="outerHTML" />;

/** What they are asked for gets, and the name of the page. */
export const ActionsThatCame = ({
  frame,
  post,
  postUrl,
}: Pick<FormView, "frame" | "postUrl"> & { post: PostState }) => (
  <>
    <Title frame={frame} title={post.title} />
    <PostActions frame={frame} post={post} postUrl={postUrl} />
  </>
);

const formId = "post-form";

/** The form's buttons, which depend on the post's status. They are beside the way back, above the form. */
const SaveButtons = ({ post, frame: { now } }: FormView) => (
  <div class="row" id="save-buttons">
    <button type="submit" form={formId} class="btn without-script" formaction={`${path}/preview`} formtarget="_blank">
      Preview
    </button>
    {post?.published ? (
      <Live id={post.id} isScheduled={statusOf(post, now) === "scheduled"} />
    ) : (
      <>
        <SaveButton form={formId}>draft</SaveButton>
        <button type="submit" form={formId} class="btn primary" id="publish" name="do" value="publish">
          Publish…
        </button>
      </>
    )}
  </div>
);

type LiveProps = { id: string; isScheduled: boolean };

const Live = (props: LiveProps) => (
  <>
    <DialogLink class="btn on-wide" id="publish-date" href={`${path}/${props.id}/publish`}>
      {dateWords(props)}
    </DialogLink>
    <DialogLink class="btn on-wide" id="unpublish" href={`${path}/${props.id}/unpublish`}>
      {unpublishWords(props)}
    </DialogLink>
    <SaveButton form={formId} isPrimary>
      changes
    </SaveButton>
  </>
);

/** The same in the menu of a phone, where the bar has no room for them. */
const LiveInMenu = (props: LiveProps) => (
  <>
    <DialogLink class="btn quiet on-phone" id="menu-publish-date" href={`${path}/${props.id}/publish`} icon="calendar">
      {dateWords(props)}
    </DialogLink>
    <DialogLink class="btn quiet on-phone" id="menu-unpublish" href={`${path}/${props.id}/unpublish`} icon="archive">
      {unpublishWords(props)}
    </DialogLink>
  </>
);

const dateWords = ({ isScheduled }: LiveProps) => (isScheduled ? "Change schedule…" : "Change date…");
const unpublishWords = ({ isScheduled }: LiveProps) => (isScheduled ? "Unschedule…" : "Unpublish…");

/**
 * The form. editor.ts saves what is typed to `action` + "/draft" as long as `data-autosave` is present. It is absent
 * while older unsaved changes wait for a decision, because they would be lost.
 */
export const PostForm = (view: FormView & { isPaused?: boolean | undefined }) => {
  const { frame, post, content, version, errors = [], isPaused } = view;
  const action = post ? `${path}/${post.id}` : `${path}/new`;
  const zone = frame.preferences.timeZone;
  return (
    <Form action={action} token={frame.token} id={formId} class="post-form" label="Post" guard autosave={!isPaused}>
      <Hidden version={version} zone={zone} isPaused={isPaused} isNew={!post} />
      <ErrorSummary errors={errors} labels={labels} idOf={idOf} />
      <WritingPanes
        errors={errors}
        withText={["title", "content"]}
        words={
          <div class="words">
            <CoverAbove src={view.fields.coverImage ?? ""} focus={view.coverFocus} back={action} />
            <Field {...fieldIn(view)("title")} isLabelUnseen lines={1} placeholder="Title" autofocus={!post} />
            <BodyField
              label={labels.content}
              content={content}
              errors={errors}
              back={action}
              pictures={view.pictures}
            />
          </div>
        }
        bar={{ length: view.length }}
        preview={{ path, form: formId }}
        details={<About view={view} back={action} />}
      />
    </Form>
  );
};

type HiddenProps = { version: number; zone: string; isPaused: boolean | undefined; isNew: boolean };

/**
 * @param isPaused saving leaves the older unsaved changes alone
 * @param isNew the page around the form knows nothing of a post yet, so saving changes more of it
 */
const Hidden = ({ version, zone, isPaused, isNew }: HiddenProps) => (
  <>
    <VersionField version={version} />
    <input type="hidden" name="zone" value={zone} />
    {isPaused && <input type="hidden" name="keepDraft" value="yes" />}
    {isNew && <input type="hidden" name="isNew" id="post-new" value="yes" />}
  </>
);

/** Updated when the post is saved, so that the next save is based on this version. */
const VersionField = ({ version }: { version: number }) => (
  <input type="hidden" name="version" id="post-version" value={String(version)} />
);

export type EditorView = FormView & {
  /** What this manager typed earlier and did not save. */
  offer?: { savedAt: Date } | undefined;
  /** When it was typed, if the form shows it. */
  continued?: Date | undefined;
  /** Whether older unsaved changes wait for a decision although they are not offered here. */
  isPaused?: boolean | undefined;
};

/** The page of one post: the form, its preview, and links to its revisions. */
export const EditorPage = (view: EditorView) => (
  <div id="editor" class="editor writing">
    <EnterButton form={formId} name="do" value="save" />
    <div class="write-bar">
      <Crumb href={path}>Posts</Crumb>
      <PostHead {...view} />
      <SaveButtons {...view} />
    </div>
    {view.offer && view.post && <DraftOffer {...view} savedAt={view.offer.savedAt} id={view.post.id} />}
    {view.continued && view.post && <Continued frame={view.frame} savedAt={view.continued} id={view.post.id} />}
    <CopyOffer />
    <PostForm {...view} isPaused={view.isPaused ?? Boolean(view.offer)} />
    <p class="sr" role="status" id="problems-said" />
  </div>
);

const PostHead = (view: FormView) => (
  <Head title={view.post ? view.post.title : "New post"} isTitleUnseen lead={<PostLine {...view} />}>
    {view.post ? <PostActions frame={view.frame} post={view.post} postUrl={view.postUrl} /> : <ActionsToCome />}
  </Head>
);

const DraftOffer = ({ frame, savedAt, id }: { frame: Frame; savedAt: Date; id: string }) => (
  <div class="note info" id="draft-offer">
    <Icon name="history" />
    <p>You have unsaved changes from {exact(savedAt, frame.preferences)}.</p>
    <Form action={`${path}/${id}/draft/discard`} token={frame.token} class="row" label="Unsaved changes" plain>
      <a class="btn sm" href={`${path}/${id}?draft=continue`} id="continue-draft">
        Continue editing
      </a>
      <button type="submit" class="btn sm quiet" id="discard-draft">
        Discard changes
      </button>
    </Form>
  </div>
);

const Continued = ({ frame, savedAt, id }: { frame: Frame; savedAt: Date; id: string }) => (
  <div class="note info" id="draft-continued">
    <Icon name="history" />
    <p>Showing your unsaved changes from {exact(savedAt, frame.preferences)}. Save to keep them.</p>
    <a class="btn sm" href={`${path}/${id}`}>
      View saved version
    </a>
  </div>
);

/** The parts of the page that change when the post is saved. What is being typed stays untouched. */
export const SavedPieces = ({
  view,
  typedSlug,
  isNew,
}: {
  view: FormView & { post: PostState };
  typedSlug: string;
  isNew: boolean;
}) => (
  <>
    <Piece id="post-version">
      <VersionField version={view.version} />
    </Piece>
    {isNew ? (
      <>
        <Title frame={view.frame} title={view.post.title} />
        <Piece id="post-new" />
        <Piece id="head">
          <PostHead {...view} />
        </Piece>
      </>
    ) : (
      <>
        <Piece id="post-line">
          <PostLine {...view} />
        </Piece>
        <hx-partial hx-target="#editor h1" hx-swap="innerHTML">
          {view.post.title}
        </hx-partial>
      </>
    )}
    <SavedNow frame={view.frame} />
    {typedSlug !== view.fields.slug && (
      <Piece id="slug-field">
        <SlugField view={view} />
      </Piece>
    )}
  </>
);

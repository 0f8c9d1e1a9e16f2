import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact } from "../../../components/time";
import { Crumb, Head } from "../../shell";
import { path, PostLine } from "../state";
import { PostActions } from "./actions";
import { PostForm } from "./form";
import { CopyOffer } from "./tools";
import type { FormView } from "./fields";

export type EditorView = FormView & {
  /** What this manager typed earlier and did not save. */
  offer?: { savedAt: Date } | undefined;
  /** When it was typed, if the form shows it. */
  continued?: Date | undefined;
};

/** The page of one post: the form, its preview, and links to its revisions. */
export const EditorPage = (view: EditorView) => (
  <div id="editor" class="editor writing">
    <Crumb href={path}>Posts</Crumb>
    <Head title={view.post ? view.post.title : "New post"} lead={<PostLine {...view} />}>
      {view.post && <PostActions frame={view.frame} post={view.post} blogUrl={view.blogUrl} />}
    </Head>
    {view.offer && view.post && <DraftOffer {...view} savedAt={view.offer.savedAt} id={view.post.id} />}
    {view.continued && view.post && <Continued frame={view.frame} savedAt={view.continued} id={view.post.id} />}
    <CopyOffer />
    <PostForm {...view} isPaused={Boolean(view.offer)} />
    <p class="sr" role="status" id="problems-said" />
  </div>
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

import type { Revision } from "../../../db/posts/revisions";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Time } from "../../components/time";
import { PostDiff } from "./post-diff";
import { path } from "./state";

export type RevisionsView = {
  frame: Frame;
  post: { id: string; title: string; version: number; deletedAt: Date | null };
  /** The latest first. That is the current post, unless a bulk action has changed it since. */
  revisions: Revision[];
  /** The shown revision, and the previous one if it is still kept. */
  shown: { revision: Revision; before: Revision | undefined; isCurrent: boolean } | undefined;
};

type ShownProps = {
  frame: Frame;
  post: RevisionsView["post"];
  revision: Revision;
  before: Revision | undefined;
  isCurrent: boolean;
};

export const Shown = ({ frame, post, revision, before, isCurrent }: ShownProps) => (
  <section class="card" aria-labelledby="shown-title">
    <header>
      <h2 id="shown-title">
        {before ? "Changes" : "First saved version"} <Time at={revision.savedAt} clock={frame} />
      </h2>
      {!isCurrent && !post.deletedAt && (
        <Form action={`${path}/${post.id}/revisions/${revision.id}/restore`} token={frame.token} label="Restore" plain>
          <button type="submit" class="btn" id="restore-revision">
            <Icon name="archive-restore" />
            Restore this revision
          </button>
        </Form>
      )}
    </header>
    <div class="body">
      {!isCurrent && (
        <p class="hint">
          {post.deletedAt
            ? "This post is in the trash. Restore the post first, then this revision."
            : "Restores the title, excerpt, text, cover image, author and tags. The slug and publish date stay as they are."}
        </p>
      )}
      {before ? (
        <PostDiff before={before} after={revision} old="Before" new="After" />
      ) : (
        <PostDiff before={{ fields: {}, content: "" }} after={revision} old="Empty" new="First version" />
      )}
    </div>
  </section>
);

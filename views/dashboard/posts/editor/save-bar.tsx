import { path, type PostState, statusOf } from "../state";

/** The buttons, which depend on the post's status and are updated when it is saved. */
export const SaveBar = ({ post, now }: { post: PostState | undefined; now: Date }) => (
  <div class="save-bar">
    <p id="saved" role="status" class="hint" />
    <div class="row" id="save-buttons">
      <button type="submit" class="btn without-script" formaction={`${path}/preview`} formtarget="_blank">
        Preview
      </button>
      {post?.published ? (
        <Live id={post.id} isScheduled={statusOf(post, now) === "scheduled"} />
      ) : (
        <>
          <button type="submit" class="btn" id="save" name="do" value="save">
            Save draft
          </button>
          <button type="submit" class="btn primary" id="publish" name="do" value="publish">
            Publish…
          </button>
        </>
      )}
    </div>
  </div>
);

const Live = ({ id, isScheduled }: { id: string; isScheduled: boolean }) => (
  <>
    <a
      class="btn"
      id="unpublish"
      href={`${path}/${id}/unpublish`}
      hx-get={`${path}/${id}/unpublish`}
      hx-target="#dialog"
    >
      {isScheduled ? "Unschedule…" : "Unpublish…"}
    </a>
    <button type="submit" class="btn primary" id="save" name="do" value="save">
      Save changes
    </button>
  </>
);

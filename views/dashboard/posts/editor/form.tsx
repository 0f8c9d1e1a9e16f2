import { ErrorSummary } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import { plural } from "../../../components/list";
import { Beside, firstView, ViewSwitch } from "./beside";
import { path, type PostState, statusOf } from "../state";
import { BodyField } from "./tools";
import { idOf, fieldIn, labels, type FormView } from "./fields";

/**
 * The form. editor.ts saves what is typed in it to `action` + "/draft" while `data-autosave` is there: not while older
 * unsaved changes wait for a decision, because they would be lost.
 */
export const PostForm = (view: FormView & { isPaused?: boolean | undefined }) => {
  const { frame, post, content, version, errors = [], isPaused } = view;
  const action = post ? `${path}/${post.id}` : `${path}/new`;
  const zone = frame.preferences.timeZone;
  const shown = firstView(view);
  return (
    <Form action={action} token={frame.token} id="post-form" class="post-form" label="Post" guard autosave={!isPaused}>
      <Hidden version={version} zone={zone} isPaused={isPaused} isNew={!post} />
      <ErrorSummary errors={errors} labels={labels} idOf={idOf} />
      <div class="write" data-shown={shown} data-beside={shown === "details" ? shown : undefined}>
        <ViewSwitch shown={shown} />
        <div class="words">
          <Field {...fieldIn(view)("title")} required maxlength={200} autofocus={!post} />
          <BodyField
            label={labels.content}
            content={content}
            errors={errors}
            hint={
              <>
                <span id="word-count">{plural(view.words, "word")}</span> · Markdown with components (MDX)
              </>
            }
          />
        </div>
        <Beside view={view} shown={shown} />
      </div>
      <SaveBar post={post} now={frame.now} />
    </Form>
  );
};

type HiddenProps = { version: number; zone: string; isPaused: boolean | undefined; isNew: boolean };

/**
 * @param isPaused saving leaves the unsaved changes of before alone
 * @param isNew the page around the form knows nothing of a post yet: saving shows the whole page anew
 */
const Hidden = ({ version, zone, isPaused, isNew }: HiddenProps) => (
  <>
    <VersionField version={version} />
    <input type="hidden" name="zone" value={zone} />
    {isPaused && <input type="hidden" name="keepDraft" value="yes" />}
    {isNew && <input type="hidden" name="isNew" value="yes" />}
  </>
);

/** It follows when the post is saved: the next save begins with the version of this one. */
export const VersionField = ({ version }: { version: number }) => (
  <input type="hidden" name="version" id="post-version" value={String(version)} />
);

/** The buttons, which depend on where the post stands; they follow when it is saved. */
const SaveBar = ({ post, now }: { post: PostState | undefined; now: Date }) => (
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

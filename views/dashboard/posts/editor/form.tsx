import { ErrorSummary } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import { plural } from "../../../components/list";
import { path } from "../state";
import { Beside, firstView, ViewSwitch } from "./beside";
import { BodyField } from "./tools";
import { fieldIn, type FormView, idOf, labels } from "./fields";
import { SaveBar } from "./save-bar";

/**
 * The form. editor.ts saves what is typed to `action` + "/draft" as long as `data-autosave` is present. It is absent
 * while older unsaved changes wait for a decision, because they would be lost.
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
 * @param isPaused saving leaves the older unsaved changes alone
 * @param isNew the page around the form knows nothing of a post yet, so saving reloads the whole page
 */
const Hidden = ({ version, zone, isPaused, isNew }: HiddenProps) => (
  <>
    <VersionField version={version} />
    <input type="hidden" name="zone" value={zone} />
    {isPaused && <input type="hidden" name="keepDraft" value="yes" />}
    {isNew && <input type="hidden" name="isNew" value="yes" />}
  </>
);

/** Updated when the post is saved, so that the next save is based on this version. */
export const VersionField = ({ version }: { version: number }) => (
  <input type="hidden" name="version" id="post-version" value={String(version)} />
);

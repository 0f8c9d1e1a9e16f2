import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Time } from "../../../components/time";
import { BothVersions } from "../../posts/editor/both-versions";
import { Carried, type Typed } from "../../posts/editor/conflict";
import { PostDiff } from "../../posts/post-diff";
import { Head } from "../../shell";
import { onTheWeb } from "../question";
import { path, titleOf } from "../state";
import { labels } from "./envelope";

type ConflictProps = { frame: Frame; broadcast: Broadcast; typed: Typed; theirs: Typed };

export const conflictTitle = ({ state }: Broadcast) =>
  state === "draft" ? "Someone else saved this broadcast" : "This broadcast was already confirmed";

/** Both versions, and the ways on. A broadcast that was confirmed in the meantime can no longer be edited. */
export const ConflictView = ({ frame, broadcast, typed, theirs }: ConflictProps) => (
  <div id="editor" class="editor">
    <Head title={conflictTitle(broadcast)} lead={titleOf(broadcast)} />
    <div class="note" role="alert" id="conflict" tabindex="-1" data-focus>
      <Icon name="triangle-alert" />
      <p>
        {broadcast.state === "draft" ? "This broadcast was changed " : "This broadcast was confirmed "}
        <Time at={broadcast.updatedAt} clock={frame} />, while you were editing. Your changes are not saved yet. Choose
        how to continue.
      </p>
    </div>
    <Carried frame={frame} typed={typed} version={broadcast.version} action={`${path}/${broadcast.id}`}>
      <div class="row">
        {broadcast.state === "draft" && (
          <button type="submit" class="btn primary" id="save-mine" name="do" value="save">
            Overwrite with mine
          </button>
        )}
        <button type="submit" class="btn" id="save-copy" formaction={`${path}/new`} name="do" value="save">
          Save mine as a copy
        </button>
        <a class="btn" id="keep-theirs" href={`${path}/${broadcast.id}`}>
          View theirs
        </a>
      </div>
    </Carried>
    <div class="card">
      <div class="body">
        <h2>Differences</h2>
        <PostDiff
          before={inWords(theirs)}
          after={inWords(typed)}
          old="Their version"
          new="Your version"
          fields={labels}
        />
      </div>
    </div>
    <BothVersions theirs={inWords(theirs)} yours={inWords(typed)} fields={labels} />
  </div>
);

/** As people read it, not as the form sends it. */
const inWords = ({ fields, content }: Typed): Typed => {
  const [, archive = ""] = Object.entries(onTheWeb).find(([value]) => value === fields.archive) ?? [];
  return { fields: { ...fields, archive }, content };
};

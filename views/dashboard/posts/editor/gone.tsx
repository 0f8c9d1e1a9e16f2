import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact } from "../../../components/time";
import { path, type PostState } from "../state";
import { Crumb, Head } from "../../shell";
import { type Typed, Carried } from "./conflict-page";

type GoneProps = {
  frame: Frame;
  typed: Typed;
  /** The post in the trash; undefined if it was permanently deleted. */
  trashed: PostState | undefined;
  /** Nothing was to be saved. */
  isQuiet?: boolean;
};

/** The post is in the trash or permanently deleted: what was typed can still become a new one. */
export const GoneView = ({ frame, typed, trashed, isQuiet }: GoneProps) => (
  <div id="editor" class="editor">
    <Crumb href={trashed ? `${path}?status=trash` : path}>{trashed ? "Trash" : "Posts"}</Crumb>
    <Head title={typed.fields.title || "Untitled"} />
    <div
      class="note"
      role={isQuiet ? undefined : "alert"}
      id="gone"
      tabindex="-1"
      {...(!isQuiet && { "data-focus": true })}
    >
      <Icon name="trash-2" />
      <p>
        {trashed?.deletedAt
          ? `This post was moved to the trash ${exact(trashed.deletedAt, frame.preferences)} and will be permanently deleted after 30 days.`
          : "This post was permanently deleted."}{" "}
        {!isQuiet && "Your changes were not saved, but they are kept here."}
      </p>
    </div>
    <div class="row">
      {trashed && <FromTrash frame={frame} id={trashed.id} />}
      {!isQuiet && (
        <Carried frame={frame} typed={typed} version={0} action={`${path}/new`}>
          <button type="submit" class="btn primary" id="save-copy" name="copy" value="yes">
            Save mine as a new draft
          </button>
        </Carried>
      )}
    </div>
    {isQuiet && (
      <pre class="source" tabindex="0">
        {typed.content || "No text"}
      </pre>
    )}
  </div>
);

const FromTrash = ({ frame, id }: { frame: Frame; id: string }) => (
  <Form action={`${path}/${id}/restore`} token={frame.token} class="row" label="In the trash" plain>
    <button type="submit" class="btn" id="restore">
      <Icon name="archive-restore" />
      Restore
    </button>
    <a class="btn quiet" id="delete" href={`${path}/${id}/delete`} hx-get={`${path}/${id}/delete`} hx-target="#dialog">
      Delete permanently…
    </a>
  </Form>
);

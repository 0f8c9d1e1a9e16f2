import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Frame } from "../../../components/frame";
import { Time } from "../../../components/time";
import { ConflictPage, type Typed } from "../../posts/editor/conflict";
import { onTheWeb } from "../question";
import { path, titleOf } from "../state";
import { labels } from "./envelope";

type ConflictProps = { frame: Frame; broadcast: Broadcast; typed: Typed; theirs: Typed };

export const conflictTitle = ({ state }: Broadcast) =>
  state === "draft" ? "Someone else saved this broadcast" : "This broadcast was already confirmed";

/** A broadcast that was confirmed in the meantime can no longer be edited. */
export const ConflictView = ({ frame, broadcast, typed, theirs }: ConflictProps) => (
  <ConflictPage
    frame={frame}
    title={conflictTitle(broadcast)}
    lead={titleOf(broadcast)}
    note={
      <>
        {broadcast.state === "draft" ? "This broadcast was changed " : "This broadcast was confirmed "}
        <Time at={broadcast.updatedAt} clock={frame} />, while you were editing. Your changes are not saved yet. Choose
        how to continue.
      </>
    }
    typed={typed}
    version={broadcast.version}
    action={`${path}/${broadcast.id}`}
    overwrite={broadcast.state === "draft"}
    copy={{ action: `${path}/new`, name: "do", value: "save" }}
    shown={{ theirs: inWords(theirs), yours: inWords(typed), fields: labels }}
  />
);

/** The values as people read them, not as the form sends them. */
const inWords = ({ fields, content }: Typed): Typed => {
  const [, archive = ""] = Object.entries(onTheWeb).find(([value]) => value === fields.archive) ?? [];
  return { fields: { ...fields, archive }, content };
};

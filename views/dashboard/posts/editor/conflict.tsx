import type { Frame } from "../../../components/frame";
import { Time } from "../../../components/time";
import { Who } from "../../../components/who";
import { path, type PostState } from "../state";
import { ConflictPage, type Typed } from "./conflict-page";

type ConflictProps = {
  frame: Frame;
  /** What this manager wanted to save. */
  typed: Typed;
  /** What someone else saved in the meantime, as its form shows it. */
  theirs: Typed;
  post: PostState;
  last: { savedBy: string; savedAt: Date } | undefined;
};

/** Nothing is lost, whatever is chosen: the manager's version has been saved as a draft. */
export const ConflictView = ({ frame, typed, theirs, post, last }: ConflictProps) => (
  <ConflictPage
    frame={frame}
    title="Someone else saved this post"
    lead={post.title}
    note={
      <>
        {last ? <Who actor={last.savedBy} names={frame.names} /> : "This post"}
        {last ? " saved this post " : " was changed "}
        <Time at={last?.savedAt ?? post.updatedAt} clock={frame} />, while you were editing. Your changes are kept but
        not saved yet. Choose how to continue.
      </>
    }
    typed={typed}
    version={post.version}
    action={`${path}/${post.id}`}
    overwrite
    copy={{ action: `${path}/new`, name: "copy", value: "yes" }}
    shown={{ theirs, yours: typed }}
  />
);

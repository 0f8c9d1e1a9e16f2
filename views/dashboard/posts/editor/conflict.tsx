import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Time } from "../../../components/time";
import { Who } from "../../../components/who";
import { BothVersions } from "./both-versions";
import { PostDiff } from "../post-diff";
import { path, type PostState } from "../state";
import type { JSX } from "../../../jsx/jsx-runtime";
import { Head } from "../../shell";

export type Typed = { fields: Record<string, string>; content: string };

type ConflictProps = {
  frame: Frame;
  /** What this manager wanted to save. */
  typed: Typed;
  /** What somebody else saved meanwhile, as its form shows it. */
  theirs: Typed;
  post: PostState;
  last: { savedBy: string; savedAt: Date } | undefined;
};

/** Both versions, and the ways on. Nothing is lost on any of them: mine is kept as a draft by now. */
export const ConflictView = ({ frame, typed, theirs, post, last }: ConflictProps) => (
  <div id="editor" class="editor">
    <Head title="Someone else saved this post" lead={post.title} />
    <div class="note" role="alert" id="conflict" tabindex="-1" data-focus>
      <Icon name="triangle-alert" />
      <p>
        {last ? <Who actor={last.savedBy} names={frame.names} /> : "This post"}
        {last ? " saved this post " : " was changed "}
        <Time at={last?.savedAt ?? post.updatedAt} clock={frame} />, while you were editing. Your changes are kept but
        not saved yet. Choose how to continue.
      </p>
    </div>
    <Carried frame={frame} typed={typed} version={post.version} action={`${path}/${post.id}`}>
      <div class="row">
        <button type="submit" class="btn primary" id="save-mine" name="do" value="save">
          Overwrite with mine
        </button>
        <button type="submit" class="btn" id="save-copy" formaction={`${path}/new`} name="copy" value="yes">
          Save mine as a copy
        </button>
        <a class="btn" id="keep-theirs" href={`${path}/${post.id}`}>
          View theirs
        </a>
      </div>
    </Carried>
    <div class="card">
      <div class="body">
        <h2>Differences</h2>
        <PostDiff before={theirs} after={typed} old="Their version" new="Your version" />
      </div>
    </div>
    <BothVersions theirs={theirs} yours={typed} />
  </div>
);

type CarriedProps = { frame: Frame; typed: Typed; version: number; action: string; children: JSX.Element };

/** A form that carries what was typed, unseen. */
export const Carried = ({ frame, typed, version, action, children }: CarriedProps) => (
  <Form action={action} token={frame.token} label="Your version" plain>
    <input type="hidden" name="version" value={String(version)} />
    {Object.entries(typed.fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <textarea name="content" hidden>
      {typed.content}
    </textarea>
    {children}
  </Form>
);

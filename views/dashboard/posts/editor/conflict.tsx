import { DialogLink } from "../../../components/buttons";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact, Time } from "../../../components/time";
import { Who } from "../../../components/who";
import type { Child, JSX } from "../../../jsx/jsx-runtime";
import { Crumb, Head } from "../../shell";
import { labels, PostDiff } from "../diff";
import { path, type PostState } from "../state";

type Text = { fields: Record<string, string>; content: string };

/** `fields`: labels by name, if it is not a post. */
type VersionsProps = { theirs: Text; yours: Text; fields?: Record<string, string> };

/** Two versions side by side, complete, to be read and copied from. */
const BothVersions = ({ theirs, yours, fields = labels }: VersionsProps) => (
  <div class="both">
    <Version id="theirs" name="Their version" text={theirs} labels={fields} />
    <Version id="yours" name="Your version" text={yours} labels={fields} />
  </div>
);

type VersionProps = { id: string; name: string; text: Text; labels: Record<string, string> };

const Version = ({ id, name, text: { fields, content }, labels }: VersionProps) => (
  <section class="card" aria-labelledby={`${id}-name`}>
    <div class="body">
      <h2 id={`${id}-name`}>{name}</h2>
      <dl class="facts">
        {Object.entries(labels)
          .filter(([field]) => fields[field])
          .map(([field, label]) => (
            <>
              <dt>{label}</dt>
              <dd>{fields[field]}</dd>
            </>
          ))}
      </dl>
      <div class="field">
        <label for={`${id}-text`}>Text</label>
        <textarea class="input mono" id={`${id}-text`} rows="16" readonly>
          {content}
        </textarea>
      </div>
    </div>
  </section>
);

export type Typed = { fields: Record<string, string>; content: string };

type CarriedProps = { frame: Frame; typed: Typed; version: number; action: string; children: JSX.Element };

/** A hidden form with everything that was typed. */
const Carried = ({ frame, typed, version, action, children }: CarriedProps) => (
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

type PageProps = Omit<CarriedProps, "children"> & {
  title: string;
  lead: string;
  /** Who saved it, when, and what happened to the manager's own version. */
  note: Child;
  /** Whether the manager's version may still be saved in its place. */
  overwrite: boolean;
  copy: { action: string; name: string; value: string };
  /** Both versions as people read them, and the fields' labels unless it is a post. */
  versions: { theirs: Typed; yours: Typed; fields?: Record<string, string> };
};

/** Both versions, and the choices. */
export const ConflictPage = ({ title, lead, note, overwrite, copy, versions, ...carried }: PageProps) => (
  <div id="editor" class="editor">
    <Head title={title} lead={lead} />
    <div class="note" role="alert" id="conflict" tabindex="-1" data-focus>
      <Icon name="triangle-alert" />
      <p>{note}</p>
    </div>
    <Carried {...carried}>
      <div class="row">
        {overwrite && (
          <button type="submit" class="btn primary" id="save-mine" name="do" value="save">
            Overwrite with mine
          </button>
        )}
        <button type="submit" class="btn" id="save-copy" formaction={copy.action} name={copy.name} value={copy.value}>
          Save mine as a copy
        </button>
        <a class="btn" id="keep-theirs" href={carried.action}>
          View theirs
        </a>
      </div>
    </Carried>
    <div class="card">
      <div class="body">
        <h2>Differences</h2>
        <PostDiff
          before={versions.theirs}
          after={versions.yours}
          old="Their version"
          new="Your version"
          {...(versions.fields && { fields: versions.fields })}
        />
      </div>
    </div>
    <BothVersions {...versions} />
  </div>
);

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
    versions={{ theirs, yours: typed }}
  />
);

type GoneProps = {
  frame: Frame;
  typed: Typed;
  /** The post in the trash; undefined if it was permanently deleted. */
  trashed: PostState | undefined;
  /** The request was not a save, so there are no unsaved changes to mention. */
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
    <DialogLink class="btn quiet" id="delete" href={`${path}/${id}/delete`}>
      Delete permanently…
    </DialogLink>
  </Form>
);

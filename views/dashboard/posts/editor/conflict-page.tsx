import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import type { Child, JSX } from "../../../jsx/jsx-runtime";
import { Head } from "../../shell";
import { PostDiff } from "../post-diff";
import { BothVersions } from "./both-versions";

export type Typed = { fields: Record<string, string>; content: string };

type CarriedProps = { frame: Frame; typed: Typed; version: number; action: string; children: JSX.Element };

/** A hidden form with everything that was typed. */
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

type PageProps = Omit<CarriedProps, "children"> & {
  title: string;
  lead: string;
  /** Who saved it, when, and what happened to the manager's own version. */
  note: Child;
  /** Whether the manager's version may still be saved in its place. */
  overwrite: boolean;
  copy: { action: string; name: string; value: string };
  /** Both versions as people read them, and the fields' labels unless it is a post. */
  shown: { theirs: Typed; yours: Typed; fields?: Record<string, string> };
};

/** Both versions, and the choices. */
export const ConflictPage = ({ title, lead, note, overwrite, copy, shown, ...carried }: PageProps) => (
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
          before={shown.theirs}
          after={shown.yours}
          old="Their version"
          new="Your version"
          {...(shown.fields && { fields: shown.fields })}
        />
      </div>
    </div>
    <BothVersions {...shown} />
  </div>
);

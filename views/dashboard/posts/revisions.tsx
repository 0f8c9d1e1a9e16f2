import type { Revision } from "../../../db/posts/revisions";
import { Empty } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { exact, inOneMinute, Moment, Time } from "../../components/time";
import { Who } from "../../components/who";
import { Crumb, Head } from "../shell";
import { labels, PostDiff } from "./diff";
import { path } from "./state";

type RevisionsView = {
  frame: Frame;
  post: { id: string; title: string; version: number; deletedAt: Date | null };
  /** The latest first. That is the current post, unless a bulk action has changed it since. */
  revisions: Revision[];
  current: Pick<Revision, "fields" | "content">;
  /** The revision that is shown, and the previous one if it is still kept. */
  selected: { revision: Revision; before: Revision | undefined; isCurrent: boolean } | undefined;
};

type ShownProps = Pick<RevisionsView, "frame" | "post" | "current"> & {
  revision: Revision;
  before: Revision | undefined;
  isCurrent: boolean;
};

/** A revision, with its publish date as the manager reads dates. */
const readable = ({ fields, content }: RevisionsView["current"], { preferences }: Frame) => ({
  fields: { ...fields, publishedAt: fields.publishedAt ? exact(new Date(fields.publishedAt), preferences) : "" },
  content,
});

const kept = ["slug", "publishedAt", "published"];
const restored = Object.fromEntries(Object.entries(labels).filter(([name]) => !kept.includes(name)));

/** What restoring would change: the changes of the revision itself may be others. */
const Compared = ({ current, revision }: Pick<ShownProps, "current" | "revision">) => (
  <details>
    <summary>Compare with the current version</summary>
    <PostDiff before={current} after={revision} old="Current version" new="This revision" fields={restored} />
  </details>
);

const Shown = ({ frame, post, current, revision, before, isCurrent }: ShownProps) => (
  <section class="card" aria-labelledby="shown-title">
    <header>
      <h2 id="shown-title">
        {before ? (isCurrent ? "Current" : "Earlier") : "First"} version, saved{" "}
        <Time at={revision.savedAt} clock={frame} />
      </h2>
      {!isCurrent && !post.deletedAt && (
        <Form action={`${path}/${post.id}/revisions/${revision.id}/restore`} token={frame.token} label="Restore" plain>
          <button type="submit" class="btn" id="restore-revision">
            <Icon name="archive-restore" />
            Restore this revision
          </button>
        </Form>
      )}
    </header>
    <div class="body">
      {!isCurrent && (
        <p class="hint">
          {post.deletedAt
            ? "This post is in the trash. Restore the post first, then this revision."
            : "Restores the title, excerpt, text, cover picture, author and tags. The slug and publish date stay as they are."}
        </p>
      )}
      {!isCurrent && !post.deletedAt && <Compared current={current} revision={revision} />}
      {before ? (
        <PostDiff before={readable(before, frame)} after={readable(revision, frame)} old="Before" new="After" />
      ) : (
        <PostDiff
          before={{ fields: {}, content: "" }}
          after={readable(revision, frame)}
          old="Empty"
          new="First version"
        />
      )}
    </div>
  </section>
);

/** The revisions of a post, and what each of them changed. */
export const RevisionsPage = ({ frame, post, revisions, current, selected }: RevisionsView) => (
  <>
    <Crumb href={`${path}/${post.id}`} id="back-to-post">
      {post.title}
    </Crumb>
    <Head title="Revisions" lead="What was saved of this post, the newest first. Up to 50 versions are kept." />
    {selected ? (
      <div class="history">
        <nav class="card" aria-label="Revisions">
          <ol class="history-list">
            {revisions.map((revision, at) => (
              <li>
                <a
                  href={`${path}/${post.id}/revisions/${revision.id}`}
                  aria-current={revision.id === selected.revision.id ? "true" : undefined}
                >
                  <Moment
                    at={revision.savedAt}
                    clock={frame}
                    toTheSecond={[at - 1, at + 1].some((near) =>
                      inOneMinute(revision.savedAt, revisions[near]?.savedAt),
                    )}
                  />
                  <span class="sub">
                    {ways[revision.savedBy] ?? <Who actor={revision.savedBy} names={frame.names} />}
                    {revision.version === post.version && " · current version"}
                  </span>
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <Shown frame={frame} post={post} current={current} {...selected} />
      </div>
    ) : (
      <div class="card">
        <Empty icon="history" title="No revisions yet">
          <p>This post was imported. Revisions are kept from the next time it is saved.</p>
        </Empty>
      </div>
    )}
  </>
);

/** Who saved it, if it was not a person. */
const ways: Record<string, string> = { import: "imported", cli: "imported", bulk: "changed in a bulk action" };

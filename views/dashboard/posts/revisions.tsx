import { Empty } from "../../components/empty";
import { Time } from "../../components/time";
import { Who } from "../../components/who";
import { Crumb, Head } from "../shell";
import { path } from "./state";
import { type RevisionsView, Shown } from "./shown-revision";

/** The revisions of a post, and what each of them changed. */
export const RevisionsPage = ({ frame, post, revisions, shown }: RevisionsView) => (
  <>
    <Crumb href={`${path}/${post.id}`} id="back-to-post">
      {post.title}
    </Crumb>
    <Head title="Revisions" lead="The last 50 saved versions of this post." />
    {shown ? (
      <div class="history">
        <nav class="card" aria-label="Revisions">
          <ol class="history-list">
            {revisions.map((revision) => (
              <li>
                <a
                  href={`${path}/${post.id}/revisions/${revision.id}`}
                  aria-current={revision.id === shown.revision.id ? "true" : undefined}
                >
                  <Time at={revision.savedAt} clock={frame} />
                  <span class="sub">
                    {ways[revision.savedBy] ?? <Who actor={revision.savedBy} names={frame.names} />}
                    {revision.version === post.version && " · current version"}
                  </span>
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <Shown frame={frame} post={post} {...shown} />
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

import * as postEdits from "../../../db/posts/edit";
import * as revisions from "../../../db/posts/revisions";
import { path } from "../../../views/dashboard/posts/state";
import { RevisionsPage } from "../../../views/dashboard/posts/revisions";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session";
import { notThere, seeOther, show } from "../responses";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { extras } from "./editor/editor";

/** The revisions of a post, and restoring them. */
export const postRevisions = (deps: Deps) => {
  const { db, now } = deps;

  /** @param revisionId the one to show; if absent, the latest */
  async function showRevision(request: Request, id: string, revisionId?: string) {
    const [frame, post, all] = await Promise.all([
      frameOf(deps, request),
      postEdits.byId(db, id),
      revisions.list(db, id),
    ]);
    if (!post) return notThere(frame, "This post was permanently deleted.", path);
    const at = revisionId ? all.findIndex((each) => each.id === revisionId) : 0;
    const revision = all[at];
    if (revisionId && !revision) return notThere(frame, "This revision is no longer kept.", `${path}/${id}/revisions`);
    const selected = revision && { revision, before: all[at + 1], isCurrent: revision.version === post.version };
    const current = { fields: revisions.fieldsOf(post, post.tags), content: post.content };
    return show(
      { frame, title: `Revisions of “${post.title}”`, extras },
      <RevisionsPage frame={frame} post={post} revisions={all} current={current} selected={selected} />,
    );
  }

  return pages(path, deps, forEditors)
    .get("/:id/revisions", ({ request, params: { id } }) => showRevision(request, id))
    .get("/:id/revisions/:revision", ({ request, params: { id, revision } }) => showRevision(request, id, revision))
    .post("/:id/revisions/:revision/restore", async ({ request, params: { id, revision } }) => {
      const post = await postEdits.revert(db, { id, revisionId: revision }, actorOf(request), now());
      if (post) return seeOther(request, `${path}/${id}`, { kind: "good", text: "Revision restored." });
      return seeOther(request, `${path}/${id}`, {
        kind: "bad",
        text: "This revision or its post has been deleted.",
      });
    });
};

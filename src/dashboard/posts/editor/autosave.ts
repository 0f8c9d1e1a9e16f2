import * as postEdits from "../../../../db/posts/edit";
import * as drafts from "../../../../db/posts/drafts";
import { slugOf } from "../../../../db/lib/slug";
import { path } from "../../../../views/dashboard/posts/state";
import type { Deps } from "../../deps";
import { actorOf } from "../../../security/session/session";
import { seeOther } from "../../responses";
import { pages } from "../../pages";
import { slugTaken } from "./view";
import { Begun, typedIn } from "../form";

/** What editor.ts requests while someone types: saving the draft, and the slug for the title. */
export const postAutosave = (deps: Deps) => {
  const { db, now } = deps;

  /** Returns the slug that a title or slug yields, and the post that has it already. */
  async function slugFor(of: string, post: string) {
    const slug = slugOf(of.slice(0, 200));
    const owner = slug ? await postEdits.ownerOfSlug(db, slug) : undefined;
    const isTaken = owner && owner.id !== post;
    return Response.json({ slug, problem: isTaken ? slugTaken(owner).message : null }, noStore);
  }

  /** The response to an autosave: the time, and where the form is sent from now on. */
  const kept = (id: string, begunWith: number, version: number) =>
    Response.json(
      { savedAt: now().toISOString(), action: `${path}/${id}`, version: begunWith, isBehind: begunWith !== version },
      noStore,
    );

  return pages(path, deps)
    .post("/new/draft", async ({ request, body }) => {
      const { id, version } = await postEdits.createDraft(db, typedIn(body), actorOf(request), now());
      return kept(id, version, version);
    })
    .get("/slug", ({ query }) => slugFor(query.of ?? "", query.post ?? ""))
    .post("/:id/draft", async ({ request, params: { id }, body }) => {
      const { version } = Begun.parse(body);
      const post = await drafts.autosave(db, { postId: id, version, typed: typedIn(body) }, actorOf(request), now());
      return post ? kept(id, version, post.version) : Response.json({ isGone: true }, { ...noStore, status: 404 });
    })
    .post("/:id/draft/discard", async ({ request, params: { id } }) => {
      await drafts.discardDraft(db, id, actorOf(request));
      return seeOther(request, `${path}/${id}`, { kind: "good", text: "Unsaved changes discarded." });
    });
};

const noStore = { headers: { "cache-control": "no-store" } };

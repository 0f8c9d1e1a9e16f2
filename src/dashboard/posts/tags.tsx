import { z } from "zod";
import { slugOf } from "../../../db/lib/slug";
import * as tags from "../../../db/posts/tags";
import { Confirm } from "../../../views/components/dialog";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl, plural } from "../../../views/components/list";
import { path, TagList, TagsHead } from "../../../views/dashboard/posts/tags";
import type { Deps } from "../../boot/deps";
import { line } from "../../http/request-schemas";
import { actorOf } from "../../security/session";
import { ask, done, queryBefore, showList } from "../responses";
import { readForm } from "../form-input";
import { pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { MergeForm, RenameForm } from "../../../views/dashboard/posts/tag-forms";

const Query = z.object({
  q: search,
  sort: z.enum(["name", "-name", "posts", "-posts"]).catch("name").default("name"),
  page: pageNumber,
  per: perPage,
});
const Fields = z.record(z.string(), z.string()).catch({});
const hasSlug = (text: string) => slugOf(text) !== "";
const needsSlug = "must contain a letter or digit";

/** An empty slug follows the name. */
const Rename = z
  .object({
    name: line({ min: 1, max: 50 }).refine(hasSlug, needsSlug),
    slug: line({ max: 100 }).refine((slug) => slug === "" || hasSlug(slug), needsSlug),
  })
  .transform(({ name, slug }) => ({ name, slug: slugOf(slug || name) }));

const title = "Tags";

/** The tags of all posts: renamed, merged, taken away. */
export const tagsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      return showList(request, {
        frame,
        title,
        extras: ["posts.css"],
        head: <TagsHead />,
        list: (await listFor(deps, frame, query)).list,
      });
    })
    .get("/:slug/rename", async ({ request, params: { slug } }) => {
      const [frame, tag] = await Promise.all([frameOf(deps, request), tags.bySlug(deps.db, slug)]);
      if (!tag) return gone(deps, request);
      return ask(request, { frame, title: "Rename tag", children: <RenameForm frame={frame} tag={tag} /> });
    })
    .post("/:slug/rename", ({ request, params: { slug }, body }) => rename(deps, request, slug, body))
    .get("/:slug/merge", async ({ request, params: { slug }, query }) => {
      const tag = await tags.bySlug(deps.db, slug);
      return tag ? askToMerge(deps, request, tag, query.into ?? "") : gone(deps, request);
    })
    .post("/:slug/merge", ({ request, params: { slug }, body }) =>
      merge(deps, request, slug, Fields.parse(body).into ?? ""),
    )
    .get("/:slug/delete", ({ request, params: { slug } }) => confirmDelete(deps, request, slug))
    .post("/:slug/delete", async ({ request, params: { slug } }) => {
      const removed = await tags.remove(deps.db, slug, actorOf(request), deps.now());
      return removed
        ? doneWith(deps, request, { kind: "good", text: `The tag ${removed.name} is deleted.` })
        : gone(deps, request);
    });

async function listFor(deps: Deps, frame: Frame, given: Record<string, unknown>) {
  const query = Query.parse(given);
  const state = stateOf(path, Query, query);
  return { state, list: <TagList {...{ frame, state }} {...await tags.list(deps.db, query.q, query.sort, query)} /> };
}

async function doneWith(deps: Deps, request: Request, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, queryBefore(request, path));
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}

const gone = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "That tag is gone already." });

async function rename(deps: Deps, request: Request, slug: string, body: unknown) {
  const tag = await tags.bySlug(deps.db, slug);
  if (!tag) return gone(deps, request);
  const typed = Fields.parse(body);
  const { input, errors } = readForm(Rename, typed);
  const renamed = input && (await tags.rename(deps.db, slug, input, actorOf(request), deps.now()));
  if (renamed?.outcome === "gone") return gone(deps, request);
  if (renamed?.outcome === "renamed")
    return doneWith(deps, request, { kind: "good", text: `The tag is called ${renamed.tag.name}.` });
  const taken = renamed?.by;
  const problems = errors ?? [{ field: "slug", message: `This slug is already used by the tag “${taken?.name}”.` }];
  const frame = await frameOf(deps, request);
  const form = <RenameForm {...{ frame, tag, typed, taken }} errors={problems} />;
  return ask(request, { frame, title: "Rename tag", status: 422, children: form });
}

async function askToMerge(deps: Deps, request: Request, tag: tags.CountedTag, into: string, message?: string) {
  const [frame, others] = await Promise.all([frameOf(deps, request), tags.mostUsed(deps.db)]);
  const names = others.filter(({ slug }) => slug !== tag.slug).map(({ name }) => name);
  const errors = message ? [{ field: "into", message }] : [];
  return ask(request, {
    frame,
    title: `Merge “${tag.name}” into another tag`,
    status: message ? 422 : 200,
    children: <MergeForm {...{ frame, tag, names, errors }} typed={{ into }} />,
  });
}

async function merge(deps: Deps, request: Request, slug: string, into: string) {
  const tag = await tags.bySlug(deps.db, slug);
  if (!tag) return gone(deps, request);
  const other = await tags.byName(deps.db, into);
  if (!other) return askToMerge(deps, request, tag, into, "There is no tag with this name.");
  if (other.slug === slug) return askToMerge(deps, request, tag, into, "Choose a different tag.");
  const merged = await tags.merge(deps.db, slug, other.slug, actorOf(request), deps.now());
  if (!merged) return gone(deps, request);
  return doneWith(deps, request, { kind: "good", text: `${tag.name} is merged into ${other.name}.` });
}

async function confirmDelete(deps: Deps, request: Request, slug: string) {
  const [frame, tag] = await Promise.all([frameOf(deps, request), tags.bySlug(deps.db, slug)]);
  if (!tag) return gone(deps, request);
  return ask(request, {
    frame,
    title: `Delete the tag “${tag.name}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${encodeURIComponent(slug)}/delete`} verb="Delete tag" cancel={path}>
        <p>
          {tag.posts === 0
            ? "No post carries it. "
            : `${plural(tag.posts, "post loses", "posts lose")} it, and nothing else. `}
          This cannot be undone.
        </p>
      </Confirm>
    ),
  });
}

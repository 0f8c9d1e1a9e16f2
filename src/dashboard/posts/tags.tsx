import { z } from "zod";
import { slugOf } from "../../../db/lib/text";
import * as tags from "../../../db/posts/tags";
import { Confirm } from "../../../views/components/confirm";
import { plural } from "../../../views/components/list";
import { MergeForm, path, RenameForm, TagList, TagsHead } from "../../../views/dashboard/posts/tags";
import { inputOf, inputsOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { pageNumber, perPage, search } from "../list-query";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { showDialog } from "../responses";

const Query = z.object({
  q: search,
  sort: z.enum(["name", "-name", "posts", "-posts"]).catch("name").default("name"),
  page: pageNumber,
  per: perPage,
});

const { show, doneWith } = listHandlers({
  path,
  title: "Tags",
  Query,
  extras: ["posts.css"],
  Head: () => <TagsHead />,
  list: async ({ deps: { db }, query, frame, state }) => (
    <TagList frame={frame} state={state} {...await tags.list(db, query.q, query.sort, query)} />
  ),
});

const gone = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "This tag has already been deleted." });

/** The tags of all posts: rename, merge, remove. */
export const tagsDashboard = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/:slug/rename", async ({ request, params: { slug } }) => {
      const [frame, tag] = await Promise.all([frameOf(deps, request), tags.bySlug(deps.db, slug)]);
      if (!tag) return gone(deps, request);
      return showDialog(request, {
        frame,
        title: "Rename tag",
        children: <RenameForm frame={frame} tag={tag} inputs={renameInputs} />,
      });
    })
    .post("/:slug/rename", ({ request, params: { slug }, body }) => rename(deps, request, slug, body))
    .get("/:slug/merge", async ({ request, params: { slug }, query }) => {
      const tag = await tags.bySlug(deps.db, slug);
      return tag ? askToMerge(deps, request, tag, query.into ?? "") : gone(deps, request);
    })
    .post("/:slug/merge", ({ request, params: { slug }, body }) =>
      merge(deps, request, slug, textFields.parse(body).into ?? ""),
    )
    .get("/:slug/delete", ({ request, params: { slug } }) => confirmDelete(deps, request, slug))
    .post("/:slug/delete", async ({ request, params: { slug } }) => {
      const removed = await tags.remove(deps.db, slug, actorOf(request), deps.now());
      return removed
        ? doneWith(deps, request, { kind: "good", text: `Tag “${removed.name}” deleted.` })
        : gone(deps, request);
    });

const hasSlug = (text: string) => slugOf(text) !== "";
const needsSlug = "must contain a letter or digit";

const TagFields = z.object({
  name: line({ min: 1, max: 50 }).refine(hasSlug, needsSlug),
  slug: line({ max: 100 }).refine((slug) => slug === "" || hasSlug(slug), needsSlug),
});
const renameInputs = inputsOf(TagFields);
/** Without a slug, one is made from the name. */
const Rename = TagFields.transform(({ name, slug }) => ({ name, slug: slugOf(slug || name) }));

async function rename(deps: Deps, request: Request, slug: string, body: unknown) {
  const tag = await tags.bySlug(deps.db, slug);
  if (!tag) return gone(deps, request);
  const typed = textFields.parse(body);
  const { input, errors } = readForm(Rename, typed);
  const renamed = input && (await tags.rename(deps.db, { slug, to: input }, actorOf(request), deps.now()));
  if (renamed?.outcome === "gone") return gone(deps, request);
  if (renamed?.outcome === "renamed")
    return doneWith(deps, request, { kind: "good", text: `Tag renamed to “${renamed.tag.name}”.` });
  const slugOwner = renamed?.by;
  const problems = errors ?? [{ field: "slug", message: `This slug is already used by the tag “${slugOwner?.name}”.` }];
  const frame = await frameOf(deps, request);
  const form = (
    <RenameForm frame={frame} tag={tag} typed={typed} taken={slugOwner} inputs={renameInputs} errors={problems} />
  );
  return showDialog(request, { frame, title: "Rename tag", status: 422, children: form });
}

const mergeInputs = { into: inputOf("into", TagFields.shape.name) };

async function askToMerge(deps: Deps, request: Request, tag: tags.CountedTag, into: string, message?: string) {
  const [frame, others] = await Promise.all([frameOf(deps, request), tags.mostUsed(deps.db)]);
  const names = others.filter(({ slug }) => slug !== tag.slug).map(({ name }) => name);
  const errors = message ? [{ field: "into", message }] : [];
  return showDialog(request, {
    frame,
    title: `Merge “${tag.name}” into another tag`,
    status: message ? 422 : 200,
    children: <MergeForm frame={frame} tag={tag} names={names} errors={errors} inputs={mergeInputs} typed={{ into }} />,
  });
}

async function merge(deps: Deps, request: Request, slug: string, into: string) {
  const tag = await tags.bySlug(deps.db, slug);
  if (!tag) return gone(deps, request);
  const other = await tags.byName(deps.db, into);
  if (!other) return askToMerge(deps, request, tag, into, "There is no tag with this name.");
  if (other.slug === slug) return askToMerge(deps, request, tag, into, "Choose a different tag.");
  const merged = await tags.merge(deps.db, { from: slug, into: other.slug }, actorOf(request), deps.now());
  if (!merged) return gone(deps, request);
  return doneWith(deps, request, { kind: "good", text: `“${tag.name}” merged into “${other.name}”.` });
}

async function confirmDelete(deps: Deps, request: Request, slug: string) {
  const [frame, tag] = await Promise.all([frameOf(deps, request), tags.bySlug(deps.db, slug)]);
  if (!tag) return gone(deps, request);
  return showDialog(request, {
    frame,
    title: `Delete the tag “${tag.name}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${encodeURIComponent(slug)}/delete`} verb="Delete tag" cancel={path}>
        <p>
          {tag.posts === 0
            ? "No posts use it. "
            : `It will be removed from ${plural(tag.posts, "post")}; ${tag.posts === 1 ? "the post stays as it is" : "the posts stay as they are"}. `}
          This cannot be undone.
        </p>
      </Confirm>
    ),
  });
}

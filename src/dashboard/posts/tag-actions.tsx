import { z } from "zod";
import { slugOf } from "../../../db/lib/slug";
import * as tags from "../../../db/posts/tags/tags";
import * as tagEdit from "../../../db/posts/tags/edit";
import { Confirm } from "../../../views/components/confirm";
import { plural } from "../../../views/components/list";
import { MergeForm, path, RenameForm } from "../../../views/dashboard/posts/tags";
import type { Deps } from "../deps";
import { inputOf, inputsOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session/session";
import { ask } from "../responses";
import { readForm } from "../form-input";
import { frameOf } from "../pages";
import { doneWith, gone } from "./tag-list";

export const Fields = z.record(z.string(), z.string()).catch({});
const hasSlug = (text: string) => slugOf(text) !== "";
const needsSlug = "must contain a letter or digit";

const TagFields = z.object({
  name: line({ min: 1, max: 50 }).refine(hasSlug, needsSlug),
  slug: line({ max: 100 }).refine((slug) => slug === "" || hasSlug(slug), needsSlug),
});
export const renameInputs = inputsOf(TagFields);
/** An empty slug follows the name. */
const Rename = TagFields.transform(({ name, slug }) => ({ name, slug: slugOf(slug || name) }));

export async function rename(deps: Deps, request: Request, slug: string, body: unknown) {
  const tag = await tags.bySlug(deps.db, slug);
  if (!tag) return gone(deps, request);
  const typed = Fields.parse(body);
  const { input, errors } = readForm(Rename, typed);
  const renamed = input && (await tagEdit.rename(deps.db, { slug, to: input }, actorOf(request), deps.now()));
  if (renamed?.outcome === "gone") return gone(deps, request);
  if (renamed?.outcome === "renamed")
    return doneWith(deps, request, { kind: "good", text: `Tag renamed to “${renamed.tag.name}”.` });
  const taken = renamed?.by;
  const problems = errors ?? [{ field: "slug", message: `This slug is already used by the tag “${taken?.name}”.` }];
  const frame = await frameOf(deps, request);
  const form = (
    <RenameForm frame={frame} tag={tag} typed={typed} taken={taken} inputs={renameInputs} errors={problems} />
  );
  return ask(request, { frame, title: "Rename tag", status: 422, children: form });
}

const mergeInputs = { into: inputOf("into", TagFields.shape.name) };

export async function askToMerge(deps: Deps, request: Request, tag: tags.CountedTag, into: string, message?: string) {
  const [frame, others] = await Promise.all([frameOf(deps, request), tags.mostUsed(deps.db)]);
  const names = others.filter(({ slug }) => slug !== tag.slug).map(({ name }) => name);
  const errors = message ? [{ field: "into", message }] : [];
  return ask(request, {
    frame,
    title: `Merge “${tag.name}” into another tag`,
    status: message ? 422 : 200,
    children: <MergeForm frame={frame} tag={tag} names={names} errors={errors} inputs={mergeInputs} typed={{ into }} />,
  });
}

export async function merge(deps: Deps, request: Request, slug: string, into: string) {
  const tag = await tags.bySlug(deps.db, slug);
  if (!tag) return gone(deps, request);
  const other = await tags.byName(deps.db, into);
  if (!other) return askToMerge(deps, request, tag, into, "There is no tag with this name.");
  if (other.slug === slug) return askToMerge(deps, request, tag, into, "Choose a different tag.");
  const merged = await tagEdit.merge(deps.db, { from: slug, into: other.slug }, actorOf(request), deps.now());
  if (!merged) return gone(deps, request);
  return doneWith(deps, request, { kind: "good", text: `“${tag.name}” merged into “${other.name}”.` });
}

export async function confirmDelete(deps: Deps, request: Request, slug: string) {
  const [frame, tag] = await Promise.all([frameOf(deps, request), tags.bySlug(deps.db, slug)]);
  if (!tag) return gone(deps, request);
  return ask(request, {
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

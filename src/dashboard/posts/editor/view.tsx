import { isTimeZone } from "../../../../db/lib/time";
import { readPostUrl } from "../../../content/post-url";
import { joinNames, lengthOf } from "../../../../db/lib/text";
import type { Owner } from "../../../../db/posts/slugs";
import type { TaggedPost } from "../../../../db/posts/rows";
import type { DraftContent } from "../../../../db/posts/revisions";
import { dimensionsIn, filesIn } from "../../../../db/storage/pictures";
import * as tags from "../../../../db/posts/tags";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Frame } from "../../../../views/components/frame";
import { SavedPieces } from "../../../../views/dashboard/posts/editor/editor";
import type { Deps } from "../../deps";
import { inputs, typedOf } from "../form";
import type { FormView } from "../../../../views/dashboard/posts/editor/fields";

/** The contents of the form: the post, the version it is based on, and what is wrong with it. */
export type Edit = {
  post?: TaggedPost | undefined;
  typed: DraftContent;
  version?: number;
  errors?: FieldError[];
  isPaused?: boolean;
};

/** Builds the form with what was typed, or what is saved. */
export async function formView(
  { config, db }: Pick<Deps, "config" | "db">,
  frame: Frame,
  { post, typed, version, errors }: Edit,
): Promise<FormView> {
  const [suggested, { postUrl }, [cover], pictures] = await Promise.all([
    tags.mostUsed(db),
    readPostUrl({ config, db }),
    filesIn(db, typed.fields.coverImage ?? ""),
    dimensionsIn(db, typed.content),
  ]);
  return {
    frame,
    post,
    errors,
    postUrl,
    tags: suggested.map(({ name }) => joinNames([name])),
    inputs,
    coverFocus: { focalX: cover?.x ?? null, focalY: cover?.y ?? null },
    pictures,
    ...typed,
    length: lengthOf(typed.content),
    version: version ?? post?.version ?? 0,
  };
}

/** What was typed, and whether the page is still that of a new post. */
export type Changed = { typed: DraftContent; isNew: boolean };

/** The parts of the page that change when the post is saved. */
export async function savedPieces(deps: Deps, frame: Frame, post: TaggedPost, { typed, isNew }: Changed) {
  const view = { ...(await formView(deps, frame, { post, typed: typedOf(post, zoneOf(frame)) })), post };
  return <SavedPieces view={view} typedSlug={typed.fields.slug ?? ""} isNew={isNew} />;
}

/** Says below the field which post has the slug. */
export const slugTaken = ({ title, isPrevious, isTrashed }: Owner): FieldError => ({
  field: "slug",
  message: isPrevious
    ? `This slug redirects to “${title}”, which used it before. Choose another.`
    : `This slug is already used by “${title}”${isTrashed ? " (in the trash)" : ""}. Choose another.`,
});

export const zoneOf = ({ preferences }: Frame) => preferences.timeZone;

/** The time zone in which the form's times were typed, which may have changed since. */
export const zoneTypedIn = ({ fields: { zone = "" } }: DraftContent, frame: Frame) =>
  isTimeZone(zone) ? zone : zoneOf(frame);

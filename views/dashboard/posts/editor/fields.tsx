import type { FieldError } from "../../../components/forms/field-errors";
import { Field, type Input } from "../../../components/forms/fields";
import type { Frame } from "../../../components/frame";
import { zoneInWords } from "../../../components/time";
import type { PostState } from "../state";
import { CoverField, type Dimensions, type TextLength } from "./tools";
import type { FocalPoint } from "../../storage/picture";

export type FormView = {
  frame: Frame;
  /** Undefined for a post that has not been saved yet. */
  post: PostState | undefined;
  fields: Record<string, string>;
  content: string;
  length: TextLength;
  /** The version that is being edited. */
  version: number;
  errors?: FieldError[] | undefined;
  /** Tags to suggest, as written in their field. */
  tags: string[];
  postUrl: string;
  /** The dimensions of the pictures in the text, by ID. */
  pictures: Dimensions;
  /** The focal point of the cover, if it has one. */
  coverFocus: FocalPoint;
  inputs: Record<keyof typeof labels, Input>;
};

export const labels = {
  title: "Title",
  slug: "Slug",
  content: "Text",
  excerpt: "Excerpt",
  coverImage: "Cover picture",
  tags: "Tags",
  author: "Author",
  publishedAt: "Publish date",
};

export const idOf = (field: string) => ({ coverImage: "cover-image", publishedAt: "published-at" })[field] ?? field;

/** Returns the props of a form field: ID, label, errors and value. */
export const fieldIn =
  ({ fields, inputs, errors = [] }: FormView) =>
  (name: keyof typeof labels) => ({
    ...inputs[name],
    id: idOf(name),
    label: labels[name],
    errors,
    value: fields[name] ?? "",
  });

/** The details of a post besides its text. Publication comes first, because it is decided most often. */
export const About = ({ view, back }: { view: FormView; back: string }) => {
  const field = fieldIn(view);
  const { fields, tags, frame } = view;
  return (
    <section class="about" data-pane="details" aria-label="Details">
      <Field
        {...field("publishedAt")}
        type="datetime-local"
        hint={`${zoneInWords(frame.preferences.timeZone, frame.now)}. A future date schedules the post; leave empty to publish now.`}
      />
      <Field
        {...field("excerpt")}
        lines={3}
        hint={<span id="excerpt-count">{[...(fields.excerpt ?? "")].length} of 500 characters</span>}
      />
      <CoverField {...field("coverImage")} back={back} />
      <Field
        {...field("tags")}
        hint={
          'Separate tags with commas. Put a tag that contains a comma in quotes: "Ships, boats". New names create new tags.'
        }
        list="tag-names"
      />
      <datalist id="tag-names">
        {tags.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <SlugField view={view} />
      <Field {...field("author")} />
    </section>
  );
};

/** The slug, which is updated if saving changed it. */
export function SlugField({ view: { fields, inputs, errors = [], post, postUrl } }: { view: FormView }) {
  const [before, after] = postUrl.split("{slug}");
  return (
    <div id="slug-field">
      <Field
        {...inputs.slug}
        id="slug"
        label={labels.slug}
        value={fields.slug ?? ""}
        errors={errors}
        hint={
          <>
            {before}
            <span id="slug-shown">{fields.slug || "…"}</span>
            {after}
            {post?.published && (
              <>
                <br />
                After a change, the API leads from the old slug to the new one; your site redirects its readers.
              </>
            )}
          </>
        }
      />
    </div>
  );
}

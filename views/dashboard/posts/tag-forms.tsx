import type { CountedTag } from "../../../db/posts/tags";
import { DialogFooter } from "../../components/dialog";
import type { FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { path } from "./tags";

type FormProps = { frame: Frame; tag: CountedTag; typed?: Record<string, string>; errors?: FieldError[] };

/** @param taken another tag that has the slug: the way to it is to merge */
export const RenameForm = ({
  frame,
  tag,
  typed,
  errors = [],
  taken,
}: FormProps & { taken?: CountedTag | undefined }) => (
  <Form action={`${path}/${encodeURIComponent(tag.slug)}/rename`} token={frame.token} class="stack" label="Rename">
    <Field
      name="name"
      label="Name"
      scope="tag"
      value={typed?.name ?? tag.name}
      errors={errors}
      required
      maxlength={50}
      autofocus
    />
    <Field
      name="slug"
      label="Slug"
      scope="tag"
      value={typed?.slug ?? tag.slug}
      errors={errors}
      maxlength={100}
      hint="Used in links (?tag=…). Changing it changes those links."
    />
    {taken && (
      <p class="note info">
        <Icon name="tags" />
        <span>
          To combine the two tags,{" "}
          <a href={`${path}/${encodeURIComponent(tag.slug)}/merge?into=${encodeURIComponent(taken.slug)}`}>
            merge them
          </a>
          .
        </span>
      </p>
    )}
    <DialogFooter cancel={path}>Rename tag</DialogFooter>
  </Form>
);

export const MergeForm = ({ frame, tag, typed, errors = [], names }: FormProps & { names: string[] }) => (
  <Form action={`${path}/${encodeURIComponent(tag.slug)}/merge`} token={frame.token} class="stack" label="Merge">
    <p>
      {tag.posts === 1 ? "The post" : `The ${plural(tag.posts, "post")}`} tagged <strong>{tag.name}</strong> will get
      the other tag, and “{tag.name}” will be deleted. This cannot be undone.
    </p>
    <Field
      name="into"
      label="Merge into"
      scope="tag"
      value={typed?.into ?? ""}
      errors={errors}
      hint="The name of another tag"
      list="other-tags"
      required
      maxlength={100}
      autofocus
    />
    <datalist id="other-tags">
      {names.map((name) => (
        <option value={name} />
      ))}
    </datalist>
    <DialogFooter cancel={path} tone="danger">
      Merge tags
    </DialogFooter>
  </Form>
);

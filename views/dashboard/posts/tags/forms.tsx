import type { CountedTag } from "../../../../db/posts/tags/tags";
import { DialogFooter } from "../../../components/dialog";
import type { FieldError } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { path } from "./row";

export type FormProps = { frame: Frame; tag: CountedTag; typed?: Record<string, string>; errors?: FieldError[] };

/** @param taken another tag that has the slug, with which this one can be merged */
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

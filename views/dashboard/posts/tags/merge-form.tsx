import { DialogFooter } from "../../../components/dialog";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import { plural } from "../../../components/list";
import { path } from "./row";
import type { FormProps } from "./forms";

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

import { DialogFooter } from "../../dialog";
import type { FieldError } from "../../../components/forms/field-errors";
import { Choice } from "../../../components/forms/choices";
import { Field } from "../../../components/forms/field";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { paths } from "../../../paths";

export const path = paths.apiKeys;

type NewKeyProps = { frame: Frame; once: string; name?: string; errors?: FieldError[] };

/** @param once a one-time form token: sending the form again generates no second key */
export const NewKeyForm = ({ frame, once, name, errors = [] }: NewKeyProps) => (
  <Form action={path} token={frame.token} class="stack">
    <input type="hidden" name="once" value={once} />
    <Field
      name="name"
      label="Name"
      value={name}
      errors={errors}
      hint="Where the key will be used, for example “Blog (production)”."
      required
      maxlength={60}
      autocomplete="off"
      autofocus
    />
    <Choice
      name="days"
      label="Expires"
      value=""
      options={[
        ["", "Never"],
        ["30", "In 30 days"],
        ["90", "In 90 days"],
        ["365", "In a year"],
      ]}
      hint="Requests with an expired key fail (401). Overview warns you two weeks before."
    />
    <DialogFooter cancel={path}>Generate key</DialogFooter>
  </Form>
);

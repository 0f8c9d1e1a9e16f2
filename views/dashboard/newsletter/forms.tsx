import { DialogFooter } from "../dialog";
import { Check } from "../../components/forms/choices";
import { Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

type FormProps = { frame: Frame; form: FormState };

/** Adds one subscriber by hand. */
export const NewSubscriberForm = ({ frame, form }: FormProps) => (
  <Form action={paths.newsletter} token={frame.token} class="stack">
    <Fields scope="new" {...form} values={{ source: "dashboard", ...form.values }} />
    <Check
      scope="new"
      name="welcome"
      label="Send the welcome email"
      checked={form.values?.welcome === "yes"}
      hint="Only add people who asked you to."
    />
    <DialogFooter cancel={paths.newsletter}>Add subscriber</DialogFooter>
  </Form>
);

/** Edits a subscriber. The address identifies the person, so it cannot be changed. */
export const EditSubscriberForm = ({ frame, form, id }: FormProps & { id: string }) => (
  <Form action={`${paths.newsletter}/${id}/edit`} token={frame.token} class="stack">
    <Fields scope="edit" {...form} />
    <input type="hidden" name="hadTags" value={form.values?.hadTags ?? ""} />
    <DialogFooter cancel={`${paths.newsletter}/${id}`}>Save</DialogFooter>
  </Form>
);

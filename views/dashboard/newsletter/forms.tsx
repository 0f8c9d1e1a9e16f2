import type { Topic } from "../../../db/newsletter/topics";
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
type EditProps = FormProps & { id: string; topics: Topic[] };

export const EditSubscriberForm = ({ frame, form, id, topics }: EditProps) => (
  <Form action={`${paths.newsletter}/${id}/edit`} token={frame.token} class="stack">
    <Fields scope="edit" {...form} />
    <input type="hidden" name="hadTags" value={form.values?.hadTags ?? ""} />
    {topics.length > 0 && (
      <fieldset>
        <legend>Topics</legend>
        <input type="hidden" name="hadTopics" value={form.values?.hadTopics ?? ""} />
        {topics.map(({ slug, name }) => (
          <Check scope="edit" name={`topic-${slug}`} label={name} checked={form.values?.[`topic-${slug}`] === "yes"} />
        ))}
        <p class="hint">A topic that the person left is put back by that person alone.</p>
      </fieldset>
    )}
    <DialogFooter cancel={`${paths.newsletter}/${id}`}>Save</DialogFooter>
  </Form>
);

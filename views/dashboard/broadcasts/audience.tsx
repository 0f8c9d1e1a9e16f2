import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import type { SavedSegment } from "../../../db/newsletter/segments/saved";
import type { Topic } from "../../../db/newsletter/topics";
import { Choice } from "../../components/forms/fields";
import type { FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { plural } from "../../components/list";
import { type FieldChoice, type SegmentDraft, SegmentFields, Some } from "../segments/filter";
import { path } from "./state";

type AudienceView = {
  frame: Frame;
  broadcast: Broadcast;
  /** The conditions, without the tags. */
  draft: SegmentDraft;
  tags: string[];
  /** The ID of the field that gets the focus. */
  focus?: string | undefined;
  fields: readonly FieldChoice[];
  /** The ID of the saved segment, "" for conditions of the broadcast's own. */
  saved: string;
  segments: SavedSegment[];
  /** The ID of the topic whose people get it, "" for everyone. */
  topic: string;
  topics: Topic[];
  /** The number of matching people; undefined if the conditions are not complete. */
  count: number | undefined;
  errors: FieldError[];
};

/** Which of the active subscribers get it. The number follows every choice, and is counted exactly when it is sent. */
export function AudienceForm(view: AudienceView) {
  const { frame, broadcast, draft, tags, focus, fields, saved, segments, topic, topics, count, errors } = view;
  const action = `${path}/${broadcast.id}/audience`;
  const options = [
    ["", "None: the tags and conditions here"],
    ...segments.map(({ id, name }) => [id, name] as const),
  ] as const;
  return (
    <Form action={action} token={frame.token} class="stack" label="Audience" id="audience">
      <button type="submit" class="sr" name="do" value="use" tabindex="-1" aria-hidden="true" />
      <input type="hidden" name="was" value={broadcast.segment} />
      <Tags fields={fields} chosen={tags} />
      {topics.length > 0 && (
        <Choice
          scope="a"
          name="topic"
          label="Topic"
          value={topic}
          options={[["", "None: everyone"], ...topics.map(({ id, name }) => [id, name] as const)]}
          hint="Only people who chose this topic get the email. They can leave the topic and stay subscribed."
        />
      )}
      {segments.length > 0 && (
        <Choice
          scope="a"
          name="saved"
          label="Segment"
          value={saved}
          options={options}
          errors={errors}
          hint="Conditions that were saved under a name, in the filter of Subscribers."
        />
      )}
      {!draft.nodes.length && <p class="hint own-choice">Conditions are optional. They narrow the audience.</p>}
      <SegmentFields draft={draft} fields={fields} errors={errors} redraw={action} focus={focus} />
      <button type="submit" class="btn sm without-script" name="do" value="count">
        Count
      </button>
      <footer>
        <Counted id={broadcast.id} count={count} />
        <a class="btn" href={`${path}/${broadcast.id}`} data-close>
          Cancel
        </a>
        <button type="submit" class="btn primary" name="do" value="use" id="a-use">
          Use this audience
        </button>
      </footer>
    </Form>
  );
}

/** The tags that there are. It comes first, because it is what most audiences are made of. */
function Tags({ fields, chosen }: { fields: readonly FieldChoice[]; chosen: string[] }) {
  const entry = fields.find(({ value }) => value === "tag")?.operators[0]?.entry;
  if (!entry || !("options" in entry)) return null;
  return (
    <fieldset class="own-choice tag-choice">
      <legend>Tags</legend>
      <Some name="tags" own={{ id: "a-tags" }} options={entry.options} of={chosen} label="Tags" />
      <p class="hint">People with any of the tags you choose. Without a choice, tags do not count.</p>
    </fieldset>
  );
}

/** The number, which follows every change. */
export const Counted = ({ id, count }: { id: string; count: number | undefined }) => (
  <p
    class="counted"
    id="counted"
    role="status"
    hx-post={`${path}/${id}/audience/count`}
    hx-target="this"
    hx-include="#audience"
    hx-trigger="change from:#audience"
    hx-swap="outerHTML"
    hx-sync="this:replace"
  >
    {count === undefined ? (
      "Complete the choices to see how many people that is."
    ) : (
      <>
        <strong>{plural(count, "person", "people")}</strong> {count === 1 ? "gets" : "get"} this email.
      </>
    )}
  </p>
);

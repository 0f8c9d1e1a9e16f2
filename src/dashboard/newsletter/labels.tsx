import { z } from "zod";
import { languages } from "../../../db/settings/rules";
import type { Topic } from "../../../db/newsletter/topics";
import { Choice, Fields } from "../../../views/components/forms/fields";
import { languageNames } from "../../../views/languages/names";
import { field, inputsOf } from "../../fields/field";
import { SubscriberTags } from "../../fields/subscriber";
import { readForm } from "../form-input";

/* The bulk action that changes tags, topics and language. */

/** What its form sends, besides what every bulk action does. */
export const LabelForm = z.object({
  addTags: z.string().optional(),
  removeTags: z.string().optional(),
  addTopic: z.string().optional(),
  removeTopic: z.string().optional(),
  language: z.string().optional(),
});
type LabelForm = z.output<typeof LabelForm>;

const Labels = z.object({
  addTags: field(SubscriberTags.shape.tags, { label: "Add tags", hint: "Separated by commas." }),
  removeTags: field(SubscriberTags.shape.tags, { label: "Remove tags", hint: "Separated by commas." }),
});
const inputs = inputsOf(Labels);
const kept = "same";
const languageOptions = [[kept, "As it is"], ["", "The site’s"], ...Object.entries(languageNames)] as const;

const typedIn = ({ addTags = "", removeTags = "" }: LabelForm) => ({ addTags, removeTags });

/** The fields of the question, and whether something in them is wrong. */
export function askForLabels(form: LabelForm & { confirmed?: string | undefined }, topics: Topic[]) {
  const { errors } = readForm(Labels, typedIn(form));
  const children = (
    <>
      <Fields scope="change" inputs={inputs} values={typedIn(form)} errors={(form.confirmed && errors) || []} />
      {topics.length > 0 && <Topics form={form} topics={topics} />}
      <Choice scope="change" name="language" label="Language" value={form.language ?? kept} options={languageOptions} />
    </>
  );
  return { children, isMissing: errors !== undefined };
}

const Topics = ({ form, topics }: { form: LabelForm; topics: Topic[] }) => {
  const options = [["", "None"], ...topics.map(({ slug, name }) => [slug, name] as const)] as const;
  return (
    <>
      <Choice
        scope="change"
        name="addTopic"
        label="Add topic"
        value={form.addTopic ?? ""}
        options={options}
        hint="Only if they agreed to get it. Who left it does not get it back."
      />
      <Choice scope="change" name="removeTopic" label="Remove topic" value={form.removeTopic ?? ""} options={options} />
    </>
  );
};

/** What the form says. A language that does not exist changes nothing. */
export function labelsIn(form: LabelForm) {
  const { addTags: add = [], removeTags: remove = [] } = readForm(Labels, typedIn(form)).input ?? {};
  const language = form.language === "" ? null : languages.find((one) => one === form.language);
  const topics = { add: named(form.addTopic), remove: named(form.removeTopic) };
  return { add, remove, topics, language };
}

const named = (slug: string | undefined) => (slug ? [slug] : []);

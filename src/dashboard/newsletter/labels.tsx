import { z } from "zod";
import { languages } from "../../../db/settings/rules";
import { type Field, type FieldValue, storedValue } from "../../../db/newsletter/field-values";
import type { FieldChange } from "../../../db/newsletter/fields";
import type { Topic } from "../../../db/newsletter/topics";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { Check, Choice, Field as TextField, Fields } from "../../../views/components/forms/fields";
import { languageNames, sameAsSite } from "../../../views/languages/names";
import { field, inputsOf } from "../../fields/field";
import { SubscriberTags } from "../../fields/subscriber";
import { readForm } from "../form-input";

/* The bulk action that changes tags, topics, language and fields. */

/** What its form sends, besides what every bulk action does. */
export const LabelForm = z.object({
  addTags: z.string().optional(),
  removeTags: z.string().optional(),
  addTopic: z.string().optional(),
  removeTopic: z.string().optional(),
  language: z.string().optional(),
  field: z.string().optional(),
  value: z.string().optional(),
  begin: z.literal("yes").optional().catch(undefined),
});
type LabelForm = z.output<typeof LabelForm>;

const Labels = z.object({
  addTags: field(SubscriberTags.shape.tags, { label: "Add tags", hint: "Separated by commas." }),
  removeTags: field(SubscriberTags.shape.tags, { label: "Remove tags", hint: "Separated by commas." }),
});
const inputs = inputsOf(Labels);
const kept = "same";
const languageOptions = [[kept, "As it is"], ["", sameAsSite], ...Object.entries(languageNames)] as const;

const typedIn = ({ addTags = "", removeTags = "" }: LabelForm) => ({ addTags, removeTags });

/** What a person can get besides tags. `begins`: whether a sequence begins with a tag or topic. */
type SiteLabels = { topics: Topic[]; fields: Field[]; begins: boolean };

/** The fields of the question, and whether something in them is wrong. */
export function askForLabels(
  form: LabelForm & { confirmed?: string | undefined },
  { topics, fields, begins }: SiteLabels,
) {
  const wrong = readForm(Labels, typedIn(form)).errors ?? [];
  const chosen = fieldIn(form, fields);
  if (chosen && "error" in chosen) wrong.push(chosen.error);
  const errors = form.confirmed ? wrong : [];
  const children = (
    <>
      <Fields scope="change" inputs={inputs} values={typedIn(form)} errors={errors} />
      {topics.length > 0 && <Topics form={form} topics={topics} />}
      {fields.length > 0 && <OneField form={form} fields={fields} errors={errors} />}
      <Choice scope="change" name="language" label="Language" value={form.language ?? kept} options={languageOptions} />
      {begins && <BeginSequences of="Those of the tags and topics that they get here." isChosen={form.begin} />}
    </>
  );
  return { children, isMissing: wrong.length > 0 };
}

/** Asks whether a change of many people begins sequences. @param of which ones */
export const BeginSequences = ({ of, isChosen }: { of: string; isChosen: string | undefined }) => (
  <Check
    scope="change"
    name="begin"
    label="Also begin sequences"
    checked={isChosen === "yes"}
    hint={`${of} Otherwise no one gets an email of a sequence because of this.`}
  />
);

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
        hint="Only if they agreed to get it. People who have left the topic do not get it back."
      />
      <Choice scope="change" name="removeTopic" label="Remove topic" value={form.removeTopic ?? ""} options={options} />
    </>
  );
};

type OneFieldProps = { form: LabelForm; fields: Field[]; errors: FieldError[] };

const OneField = ({ form, fields, errors }: OneFieldProps) => {
  const options = [["", "None"], ...fields.map(({ key, name }) => [key, name] as const)] as const;
  return (
    <>
      <Choice scope="change" name="field" label="Set field" value={form.field ?? ""} options={options} />
      <TextField
        scope="change"
        name="value"
        label="Value"
        value={form.value ?? ""}
        errors={errors}
        required={false}
        hint="Such as 12, 2026-11-20 or yes, or an option of the field. Empty removes it."
        autocomplete="off"
      />
    </>
  );
};

/** The field that the form sets, and its value. */
function fieldIn({ field: key, value }: LabelForm, fields: Field[]) {
  const field = fields.find((one) => one.key === key);
  if (field?.type === "boolean" && value?.trim() && !/^(yes|no)$/i.test(value.trim()))
    return { error: { field: "value", message: messages.boolean } };
  return field && readField(field, field.type === "boolean" ? value?.toLowerCase() : value, "value");
}

/** What the form says. A language that does not exist changes nothing. */
export function labelsIn(form: LabelForm, all: Field[]) {
  const { addTags: add = [], removeTags: remove = [] } = readForm(Labels, typedIn(form)).input ?? {};
  const language = form.language === "" ? null : languages.find((one) => one === form.language);
  const topics = { add: named(form.addTopic), remove: named(form.removeTopic) };
  const set = fieldIn(form, all);
  const fields = set && !("error" in set) ? [set] : [];
  return { add, remove, topics, language, fields, begin: form.begin === "yes" };
}

const named = (slug: string | undefined) => (slug ? [slug] : []);

/** What was typed as the value of a field of the site’s own; nothing takes it away. @param name of the input */
export function readField(
  field: Field,
  text = "",
  name: string,
): FieldChange["values"][number] | { error: FieldError } {
  if (!text.trim()) return { field, value: null };
  const value = storedValue(field, valueIn(field, text.trim()));
  return value ? { field, value } : { error: { field: name, message: messages[field.type] } };
}

function valueIn({ type }: Field, text: string): FieldValue {
  if (type === "boolean") return text === "yes";
  return type === "number" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

const messages: Record<Field["type"], string> = {
  text: "Use one line of at most 200 characters.",
  number: "Enter a number, such as 12 or 3.5.",
  date: "Enter a day, such as 2026-11-20.",
  boolean: "Choose yes or no.",
  choice: "Choose one of the list.",
};

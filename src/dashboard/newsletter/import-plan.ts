import { z } from "zod";
import { isDateFormat } from "../../content/csv/dates";
import { isEncoding } from "../../content/csv/encoding";
import type { ChosenPlan, ChosenStatus, ImportPlan } from "../../content/csv/subscriber-row";
import { isImportField, type SiteLabels } from "../../content/csv/subscriber-columns";
import { type Status, statusOf } from "../../content/csv/status-words";
import { type Listed, type Survey, surveyOf } from "../../content/csv/survey";

const texts = z.union([z.string(), z.array(z.string()).max(100)]).transform((chosen) => [chosen].flat());

/** The fields of the step that says how the file is read. */
export const PlanForm = z.object({
  columns: texts.optional(),
  encoding: z.string().optional(),
  /** The encoding in which the columns were shown. */
  shown: z.string().optional(),
  dates: z.string().optional(),
  /** The column of dates that the format was chosen for. */
  dated: z.string().optional(),
  word: texts.optional(),
  meaning: texts.optional(),
  listed: z.string().optional(),
});

const listed: Listed[] = ["stated", "left", "never"];
const meanings: ChosenStatus[] = ["active", "unsubscribed", "refused"];

/** What the form says. Columns that were shown in another encoding are guessed again. */
export function chosenBy(form: z.output<typeof PlanForm>): ChosenPlan {
  const columns = form.columns?.map((text) => (isImportField(text) ? text : ""));
  const isShown = !form.shown || form.shown === form.encoding;
  const isDated = form.dated === String(columns?.indexOf("joined"));
  const words = (form.word ?? []).flatMap((word, at) => {
    const meaning = meanings.find((one) => one === form.meaning?.[at]);
    return meaning && meaning !== meaningOf(statusOf(word)) ? [[word, meaning] as const] : [];
  });
  return {
    encoding: form.encoding && isEncoding(form.encoding) ? form.encoding : undefined,
    columns: isShown ? columns : undefined,
    dates: isDated && form.dates && isDateFormat(form.dates) ? form.dates : undefined,
    words: new Map(words),
    listed: listed.find((one) => one === form.listed),
  };
}

/** What happens with a row of this status. */
export const meaningOf = (status: Status | undefined): ChosenStatus =>
  status === "active" || status === "unsubscribed" ? status : "refused";

export const surveyFile = (file: File, { encoding, columns }: ChosenPlan, site: SiteLabels): Promise<Survey> =>
  surveyOf(() => file.stream(), file.name, { encoding, columns, site });

/** The plan as options of the waiting import. */
export const optionsOf = ({ words, columns, ...plan }: ImportPlan) => ({
  plan: JSON.stringify({ ...plan, columns, words: [...words] }),
});

const StoredPlan = z.object({
  encoding: z.string().refine(isEncoding),
  header: z.array(z.string()),
  json: z.array(z.object({ column: z.number(), path: z.string() })),
  columns: z.array(z.string().refine(isImportField)),
  dates: z.string().refine(isDateFormat),
  words: z.array(z.tuple([z.string(), z.enum(meanings)])).transform((words) => new Map(words)),
  listed: z.enum(listed),
});

/** The plan in the options of a waiting import; undefined before its first review. */
export const storedPlan = (options: Record<string, string>): ImportPlan | undefined =>
  options.plan === undefined ? undefined : StoredPlan.parse(JSON.parse(options.plan));

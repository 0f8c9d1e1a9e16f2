import { messageOf } from "../../platform/log";
import { z } from "zod";
import * as pendingImports from "../../../db/pending-imports";
import { ImportPage, MatchColumnsPage } from "../../../views/dashboard/newsletter/import";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { dateFormats } from "../../content/csv/dates";
import { encodings, NoList, unreadable } from "../../content/csv/encoding";
import type { ChosenPlan } from "../../content/csv/subscriber-row";
import { importFields, problemOfColumns } from "../../content/csv/subscriber-columns";
import { labelsOfSite } from "../../content/csv/labels";
import { asCsv } from "../../content/csv/other-files";
import { planOf } from "../../content/csv/subscribers";
import type { Survey } from "../../content/csv/survey";
import { managerFor } from "../../security/session";
import { randomToken, sha256 } from "../../security/secrets";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { show } from "../responses";
import { bytesOf } from "../form-input";
import { isBegunBy } from "../../../db/newsletter/sequence-entry";
import {
  choiceNames,
  type Choices,
  choicesIn,
  chosenBy,
  confirm,
  consentInput,
  meaningOf,
  optionsOf,
  PlanForm,
  refusedLines,
  reportLines,
  reportPage,
  review,
  surveyFile,
  waitingImport,
} from "./import-review";

const path = paths.newsletterImport;

const Upload = z.object({ file: z.instanceof(File).refine(({ size }) => size > 0) });
const longestConsent = 1_000; // characters that are kept, more than are valid: the review says so
const Consent = z.object({ consent: z.string().default("") }).catch({ consent: "" });
const Pending = z.object({ upload: z.string() });
const Matched = Pending.extend({
  ...PlanForm.shape,
  ...choiceNames(z.literal("yes").optional()),
});

/** Imports subscribers from a CSV file in three steps: the file and how they agreed, columns, review. */
export const newsletterImport = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request }) => formAgain(deps, request))
    .post("/", ({ request, body }) => receive(deps, request, body))
    .post("/columns", ({ request, body }) => matchAgain(deps, request, body), { body: Matched })
    .post("/review", ({ request, body }) => check(deps, request, body), { body: Matched })
    .post("/refused", ({ request, body }) => refusedLines(deps, request, body.upload, expired), { body: Pending })
    .get("/report", ({ request }) => reportPage(deps, request))
    .post("/report", ({ request }) => reportLines(deps, request))
    .post("/confirm", ({ request, body }) => confirm(deps, request, body, expired), {
      body: Pending.extend({ consent: z.string().default("") }),
    });

async function formAgain(deps: Deps, request: Request, problem?: string, consent = "") {
  const frame = await frameOf(deps, request);
  const page = { frame, title: "Import subscribers", status: problem ? 422 : 200 };
  return show(
    page,
    <ImportPage frame={frame} problem={problem} consent={{ ...consentInput, required: false, value: consent }} />,
  );
}

const expired = (deps: Deps, request: Request) =>
  formAgain(deps, request, "The upload has expired. Choose the file again.");

async function receive(deps: Deps, request: Request, body: unknown) {
  const uploaded = Upload.safeParse(body).data?.file;
  const consent = Consent.parse(body).consent.slice(0, longestConsent);
  const again = (problem: string) => formAgain(deps, request, problem, consent);
  if (!uploaded) return again("Choose a file.");
  const file = await listIn(uploaded);
  if (typeof file === "string") return again(file);
  const survey = await surveyFile(file, {}, await labelsOfSite(deps.db)).catch((error: unknown) =>
    error instanceof NoList ? error.message : undefined,
  );
  if (typeof survey === "string") return again(`${survey}.`);
  if (!survey?.rows.length)
    return again("The first line of the CSV file must name the columns, and people must follow.");
  const token = randomToken();
  const upload = { hash: sha256(token), sessionId: managerFor(request).session.id, files: await bytesOf([file]) };
  await pendingImports.keep(deps.db, "subscribers", { ...upload, options: { consent } }, deps.now());
  return match(deps, request, { token, survey, chosen: {}, choices: choicesIn({}) });
}

/** The file as CSV, or what is wrong with it. */
const listIn = (file: File): Promise<File | string> =>
  asCsv(() => file.stream()).then(
    (csv) => (csv ? new File([new Uint8Array(csv)], `${file.name}.csv`) : file),
    messageOf,
  );

type Matching = {
  token: string;
  survey: Survey;
  chosen: ChosenPlan;
  choices: Choices;
  problem?: string | undefined;
  errors?: FieldError[];
};

/** Shows the step that says how the file is read. */
async function match(deps: Deps, request: Request, { survey, chosen, errors = [], choices, ...rest }: Matching) {
  const frame = await frameOf(deps, request);
  const fields = importFields(await labelsOfSite(deps.db));
  const rows = survey.rows.slice(0, 3);
  const columns = survey.header.map((name, at) => ({
    name,
    field: survey.columns[at] ?? "",
    values: rows.map((row) => row[at] ?? ""),
  }));
  const words = survey.words.map(({ status, ...word }) => ({
    ...word,
    isKnown: status !== undefined,
    meaning: chosen.words?.get(word.word) ?? meaningOf(status),
  }));
  const file = {
    encoding: survey.encoding,
    encodings: Object.entries(encodings),
    isDamaged: rows.flat().some((text) => text.includes(unreadable)),
    listed: chosen.listed ?? survey.listed,
    dates: survey.dates && { ...survey.dates, format: chosen.dates ?? survey.dates.format },
    dateFormats: Object.entries(dateFormats),
    words,
  };
  const begins = await deps.db.read((orm) => isBegunBy(orm, ["tag", "topic"]));
  const offered = { ...choices, begin: begins ? choices.begin : undefined };
  const status = rest.problem || errors.length ? 422 : 200;
  const content = (
    <MatchColumnsPage
      frame={frame}
      columns={columns}
      file={file}
      choices={offered}
      errors={errors}
      {...rest}
      fields={fields}
    />
  );
  return show({ frame, title: "Match the columns", status }, content);
}

/** Shows the same step again: as it was answered or, if the form was sent, in the encoding chosen there. */
async function matchAgain(deps: Deps, request: Request, form: z.output<typeof Matched>) {
  const { upload: token } = form;
  const waiting = await waitingImport(deps, request, token);
  if (!waiting) return expired(deps, request);
  const chosen = form.columns ? chosenBy(form) : (waiting.plan ?? {});
  const choices = form.columns ? choicesIn(form) : waiting.choices;
  const survey = await surveyFile(waiting.file, chosen, await labelsOfSite(deps.db)).catch(() => undefined);
  if (survey?.rows.length) return match(deps, request, { token, survey, chosen, choices });
  return unreadableAs(deps, request, { token, file: waiting.file, choices });
}

/** Shows the step in the encoding that was recognised, because the file has no rows in the chosen one. */
async function unreadableAs(
  deps: Deps,
  request: Request,
  { file, ...rest }: { token: string; file: File; choices: Choices },
) {
  const survey = await surveyFile(file, {}, await labelsOfSite(deps.db));
  const errors = [{ field: "encoding", message: "The file has no columns in the encoding that you have chosen." }];
  return match(deps, request, { ...rest, survey, chosen: {}, errors });
}

async function check(deps: Deps, request: Request, { upload: token, ...form }: z.output<typeof Matched>) {
  const waiting = await waitingImport(deps, request, token);
  if (!waiting) return expired(deps, request);
  const chosen = chosenBy(form);
  const again = { token, choices: choicesIn(form) };
  const survey = await surveyFile(waiting.file, chosen, await labelsOfSite(deps.db)).catch(() => undefined);
  if (!survey?.rows.length) return unreadableAs(deps, request, { ...again, file: waiting.file });
  const problem = problemOfColumns(survey.columns);
  const errors = chosen.dates ? [] : questionsAbout(survey);
  if (problem || errors.length) return match(deps, request, { ...again, survey, chosen, problem, errors });
  const own = { hash: sha256(token), sessionId: managerFor(request).session.id };
  const plan = planOf(survey, chosen);
  await pendingImports.choose(
    deps.db,
    "subscribers",
    own,
    optionsOf(plan, { ...waiting, choices: again.choices }),
    deps.now(),
  );
  return review(deps, request, { ...waiting, ...again, plan, survey });
}

const questionsAbout = ({ dates }: Survey): FieldError[] =>
  dates?.format === "ask" ? [{ field: "dates", message: "Choose which comes first, day or month." }] : [];

import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import * as pendingImports from "../../../db/pending-imports";
import { plural } from "../../../views/components/list";
import { ImportedPage, ImportReportPage } from "../../../views/dashboard/newsletter/import-report";
import { paths } from "../../../views/paths";
import { dateFormats, isDateFormat } from "../../content/csv/dates";
import { encodings, isEncoding } from "../../content/csv/encoding";
import { labelsOfSite } from "../../content/csv/labels";
import { type StatedStatus, statedBy } from "../../content/csv/status-words";
import { isImportField, type SiteLabels } from "../../content/csv/subscriber-columns";
import type { ChosenPlan, ChosenStatus, ImportPlan } from "../../content/csv/subscriber-row";
import {
  consentText,
  importCsv,
  type ImportReport,
  recognised,
  refusedCsv,
  ReportLines,
} from "../../content/csv/subscribers";
import { type Listed, type Survey, surveyOf } from "../../content/csv/survey";
import { inputOf } from "../../fields/field";
import { randomToken, sha256 } from "../../security/secrets";
import { actorOf, managerFor } from "../../security/session";
import type { Deps } from "../deps";
import { download } from "../download";
import { bytesOf } from "../form-input";
import { frameOf } from "../pages";
import { seeOther, show } from "../responses";

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
    return meaning && meaning !== meaningOf(statedBy(word)) ? [[word, meaning] as const] : [];
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
export const meaningOf = (status: StatedStatus | undefined): ChosenStatus =>
  status === "active" || status === "unsubscribed" ? status : "refused";

export const surveyFile = (file: File, { encoding, columns }: ChosenPlan, site: SiteLabels): Promise<Survey> =>
  surveyOf(() => file.stream(), file.name, { encoding, columns, site });

/** What an import may do besides adding people, if it is ticked. */
export type Choices = Record<"revive" | "update" | "begin", boolean>;

/** Something for each of the choices. */
export const choiceNames = <T,>(each: T) => ({ revive: each, update: each, begin: each });

/** The choices as a form or an option has them. */
export const choicesIn = ({ revive, update, begin }: Partial<Record<keyof Choices, string | undefined>>): Choices => ({
  revive: revive === "yes",
  update: update === "yes",
  begin: begin === "yes",
});

type Said = { choices: Choices; consent: string };

/** The plan, the choices and how these people agreed, as options of the waiting import. */
export const optionsOf = (
  { words, columns, ...plan }: ImportPlan,
  { choices, consent }: Said,
): Record<string, string> => ({
  plan: JSON.stringify({ ...plan, columns, words: [...words] }),
  consent,
  ...Object.fromEntries(Object.entries(choices).flatMap(([name, isChosen]) => (isChosen ? [[name, "yes"]] : []))),
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
const storedPlan = (options: Record<string, string>): ImportPlan | undefined =>
  options.plan === undefined ? undefined : StoredPlan.parse(JSON.parse(options.plan));

export const consentInput = inputOf("consent", consentText);

type Pending = Said & { file: File; plan: ImportPlan | undefined };
type Expired = (deps: Deps, request: Request) => Promise<Response>;

const ownUpload = (request: Request, token: string) => ({
  hash: sha256(token),
  sessionId: managerFor(request).session.id,
});

/** The uploaded file, and how it is read. */
export const waitingImport = async (deps: Deps, request: Request, token: string) =>
  pendingOf(await pendingImports.look(deps.db, "subscribers", ownUpload(request, token), deps.now()));

function pendingOf(kept: Awaited<ReturnType<typeof pendingImports.look>>): Pending | undefined {
  const [file] = kept?.files ?? [];
  if (!kept || !file) return undefined;
  return {
    file,
    plan: storedPlan(kept.options),
    choices: choicesIn(kept.options),
    consent: kept.options.consent ?? "",
  };
}

async function sourceOf({ db }: Pick<Deps, "db">, { file, plan }: Pick<Pending, "file" | "plan">) {
  const open = () => file.stream();
  return plan ? { open, plan } : recognised(open, file.name, await labelsOfSite(db));
}

type Terms = { consent?: string | undefined; dryRun?: boolean; each?: ReportLines["add"] };

type Read = Pick<Pending, "file" | "plan" | "choices">;

async function read(deps: Deps, request: Request, pending: Read, terms: Terms) {
  const by = actorOf(request);
  const origin = { via: "import" as const, actor: by.actor };
  const options = { ...terms, ...pending.choices, define: true, origin, by };
  return importCsv(deps.db, await sourceOf(deps, pending), options, deps.now());
}

type Review = Pending & { token: string; survey?: Survey; problem?: string };

/** Shows what would happen, and how these people agreed: it is asked again if it was not said, or not well. */
export async function review(deps: Deps, request: Request, { token, survey, consent, problem, ...pending }: Review) {
  const { plan } = await sourceOf(deps, pending);
  const report = await read(deps, request, { ...pending, plan }, { dryRun: true });
  const frame = await frameOf(deps, request);
  const { ignored, dates } = survey ?? (await surveyFile(pending.file, plan, await labelsOfSite(deps.db)));
  const file = {
    encoding: encodings[plan.encoding],
    dates: dates && dateFormats[plan.dates],
    listed: plan.listed,
    ignored,
  };
  const content = (
    <ImportReportPage
      frame={frame}
      report={report}
      file={file}
      token={token}
      {...pending.choices}
      consent={consent}
      problem={problem}
      consentInput={consentInput}
    />
  );
  return show({ frame, title: "Review before importing", status: problem ? 422 : 200 }, content);
}

/** Downloads the rejected lines, to correct and import them. */
export async function refusedLines(deps: Deps, request: Request, token: string, expired: Expired) {
  const waiting = await waitingImport(deps, request, token);
  if (!waiting) return expired(deps, request);
  const file = { name: "refused-lines", extension: "csv", action: "subscriber.export-refused" } as const;
  return download(deps, request, file, refusedCsv(await sourceOf(deps, waiting), deps.now()));
}

const tooShort = "Say in at least 10 characters how they agreed.";
const tooLong = "Say in at most 300 characters how they agreed.";

/** Imports, if it was said how these people agreed. If no one would become active, nothing has to be said. */
export async function confirm(
  deps: Deps,
  request: Request,
  body: { upload: string; consent: string },
  expired: Expired,
) {
  const { data: consent } = consentText.safeParse(body.consent);
  if (consent === undefined) {
    const waiting = await waitingImport(deps, request, body.upload);
    if (!waiting) return expired(deps, request);
    const report = await read(deps, request, waiting, { dryRun: true });
    const problem = body.consent.length > 300 ? tooLong : tooShort;
    const again = { token: body.upload, consent: body.consent.slice(0, 1_000), problem };
    if (report.new - report.newUnsubscribed + report.revived > 0)
      return review(deps, request, { ...waiting, ...again });
  }
  const own = ownUpload(request, body.upload);
  const kept = await pendingImports.take(deps.db, "subscribers", own, deps.now());
  const pending = pendingOf(kept);
  if (!kept || !pending) return expired(deps, request);
  const lines = new ReportLines();
  const report = await read(deps, request, pending, { consent, each: lines.add }).catch(async (error) => {
    const again = { ...own, ...kept, files: await bytesOf(kept.files) };
    await pendingImports.keep(deps.db, "subscribers", again, deps.now()); // pressed once more, it goes on where it stopped
    throw error;
  });
  await keepReport(deps, request, report, lines);
  return seeOther(request, `${paths.newsletterImport}/report`);
}

/** Keeps what became of each line for an hour, as the files before: it names people. */
async function keepReport({ db, now }: Deps, request: Request, report: ImportReport, lines: ReportLines) {
  const { problems: _, ...counts } = report;
  await pendingImports.keep(
    db,
    "report",
    {
      ...ownUpload(request, randomToken()),
      files: [{ name: "report.csv.gz", bytes: lines.gzipped() }],
      options: { text: resultOf(report), counts: JSON.stringify(counts) },
    },
    now(),
  );
}

const lastReport = ({ db, now }: Deps, request: Request) =>
  pendingImports.lastReport(db, managerFor(request).session.id, now());

/** Says what became of the last import of this session. */
export async function reportPage(deps: Deps, request: Request) {
  const kept = await lastReport(deps, request);
  if (!kept) return seeOther(request, paths.newsletterImport);
  const { text = "", counts = "{}" } = kept.options;
  const frame = await frameOf(deps, request);
  const content = <ImportedPage frame={frame} text={text} report={JSON.parse(counts)} />;
  return show({ frame, title: "Imported" }, content);
}

/** Downloads what became of each line of the last import. */
export async function reportLines(deps: Deps, request: Request) {
  const [file] = (await lastReport(deps, request))?.files ?? [];
  if (!file) return seeOther(request, paths.newsletterImport);
  const lines = Readable.fromWeb(file.stream()).pipe(createGunzip());
  const about = { name: "import-report", extension: "csv", action: "subscriber.export-report" } as const;
  return download(deps, request, about, lines);
}

const resultOf = (report: ImportReport): string =>
  [
    `${plural(report.new + report.revived, "subscriber")} imported.`,
    report.left > 0 && `${plural(report.left, "subscriber")} unsubscribed, as the file says.`,
    report.neverAgreed > 0 && `${plural(report.neverAgreed, "line")} refused: these people never agreed.`,
  ]
    .filter(Boolean)
    .join(" ");

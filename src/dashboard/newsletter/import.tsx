import { z } from "zod";
import * as pendingImports from "../../../db/pending-imports";
import { MatchColumnsPage } from "../../../views/dashboard/newsletter/import-columns";
import { ImportPage } from "../../../views/dashboard/newsletter/import";
import { paths } from "../../../views/paths";
import type { Deps } from "../../boot/deps";
import { type ImportField, isImportField, problemOfColumns } from "../../content/csv/subscriber-columns";
import { sampleOf } from "../../content/csv/subscribers";
import { managerFor } from "../../security/session/session";
import { randomToken, sha256 } from "../../security/secrets";
import { frameOf, pages } from "../pages";
import { show } from "../responses";
import { bytesOf } from "../uploaded-files";
import { confirm, refusedLines, review, waitingImport } from "./import-review";

const path = paths.newsletterImport;

const Upload = z.object({ file: z.instanceof(File).refine(({ size }) => size > 0) });
const Pending = z.object({ upload: z.string() });
const Matched = Pending.extend({
  columns: z.union([z.string(), z.array(z.string()).max(100)]).transform((chosen) => [chosen].flat()),
  revive: z.literal("yes").optional(),
});

/** Imports subscribers from a CSV file in three steps: columns, preview, consent. */
export const newsletterImport = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request }) => formAgain(deps, request))
    .post("/", ({ request, body }) => receive(deps, request, body))
    .post("/columns", ({ request, body }) => matchAgain(deps, request, body.upload), { body: Pending })
    .post("/review", ({ request, body }) => check(deps, request, body), { body: Matched })
    .post("/refused", ({ request, body }) => refusedLines(deps, request, body.upload, expired), { body: Pending })
    .post("/confirm", ({ request, body }) => confirm(deps, request, body, expired), {
      body: Pending.extend({ consent: z.string().default("") }),
    });

async function formAgain(deps: Deps, request: Request, problem?: string) {
  const frame = await frameOf(deps, request);
  const page = { frame, title: "Import subscribers", status: problem ? 422 : 200 };
  return show(page, <ImportPage frame={frame} problem={problem} />);
}

const expired = (deps: Deps, request: Request) =>
  formAgain(deps, request, "The upload has expired. Choose the file again.");

async function receive(deps: Deps, request: Request, body: unknown) {
  const file = Upload.safeParse(body).data?.file;
  if (!file) return formAgain(deps, request, "Choose a CSV file.");
  const sample = await sampleOf(file.stream()).catch(() => undefined);
  if (!sample)
    return formAgain(deps, request, "The first line of the CSV file must name the columns, and people must follow.");
  const token = randomToken();
  const upload = { hash: sha256(token), sessionId: managerFor(request).session.id, files: await bytesOf([file]) };
  await pendingImports.keep(deps.db, "subscribers", { ...upload, options: {} }, deps.now());
  return match(deps, request, { token, sample, columns: sample.guessed, revive: false });
}

type Matching = {
  token: string;
  sample: Pick<Awaited<ReturnType<typeof sampleOf>>, "header" | "rows">;
  columns: ImportField[];
  revive: boolean;
  problem?: string | undefined;
};

/** Shows the step that assigns the columns. */
async function match(deps: Deps, request: Request, { token, sample, columns, revive, problem }: Matching) {
  const frame = await frameOf(deps, request);
  const matched = sample.header.map((name, at) => ({
    name,
    field: columns[at] ?? "",
    values: sample.rows.slice(0, 3).map((row) => row[at] ?? ""),
  }));
  const content = <MatchColumnsPage {...{ frame, token, columns: matched, revive, problem }} />;
  return show({ frame, title: "Match the columns", status: problem ? 422 : 200 }, content);
}

/** Shows the same step again, as it was answered. */
async function matchAgain(deps: Deps, request: Request, token: string) {
  const waiting = await waitingImport(deps, request, token);
  if (!waiting) return expired(deps, request);
  const sample = await sampleOf(waiting.file.stream());
  return match(deps, request, { token, sample, ...waiting, columns: waiting.columns ?? sample.guessed });
}

async function check(deps: Deps, request: Request, { upload: token, columns, revive }: z.output<typeof Matched>) {
  const waiting = await waitingImport(deps, request, token);
  if (!waiting) return expired(deps, request);
  const chosen = columns.map((text) => (isImportField(text) ? text : ""));
  const problem = problemOfColumns(chosen);
  if (problem) {
    const sample = await sampleOf(waiting.file.stream());
    return match(deps, request, { token, sample, columns: chosen, revive: revive === "yes", problem });
  }
  const own = { hash: sha256(token), sessionId: managerFor(request).session.id };
  const options = { columns: JSON.stringify(chosen), ...(revive && { revive }) };
  await pendingImports.choose(deps.db, "subscribers", own, options, deps.now());
  return review(deps, request, { token, file: waiting.file, columns: chosen, revive: revive === "yes" });
}

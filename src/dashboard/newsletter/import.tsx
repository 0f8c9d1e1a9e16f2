import { z } from "zod";
import * as audit from "../../../db/audit";
import { plural } from "../../../views/components/list";
import { ImportPage, ImportReportPage } from "../../../views/dashboard/newsletter/import";
import type { Deps } from "../../boot/deps";
import { actorOf, managerFor } from "../../security/session";
import { importCsv } from "../../content/subscribers-csv";
import { seeOther, show } from "../responses";
import { frameOf, pages } from "../pages";
import * as pendingImports from "../../../db/pending-imports";
import { randomToken, sha256 } from "../../security/secrets";
import { bytesOf } from "../uploaded-files";
import { paths } from "../../../views/paths";

const path = paths.newsletterImport;

const Upload = z.object({
  file: z.instanceof(File).refine(({ size }) => size > 0),
  revive: z.literal("yes").optional(),
});
const Confirmation = z.object({ upload: z.string() });

type Pending = { file: File; revive: boolean };

/** Subscribers come in as a CSV file, after a look at what would happen. */
export const newsletterImport = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request }) => formAgain(deps, request))
    .post("/", ({ request, body }) => check(deps, request, body))
    .post("/confirm", ({ request, body }) => confirm(deps, request, body.upload), { body: Confirmation });

function read(deps: Deps, request: Request, { file, revive }: Pending, dryRun: boolean) {
  const origin = { via: "import" as const, actor: actorOf(request).actor };
  return importCsv(deps.db, file.stream(), { revive, origin, dryRun }, deps.now());
}

async function formAgain(deps: Deps, request: Request, problem?: string) {
  const frame = await frameOf(deps, request);
  const page = { frame, title: "Import subscribers", status: problem ? 422 : 200 };
  return show(page, <ImportPage frame={frame} problem={problem} />);
}

async function check(deps: Deps, request: Request, body: unknown) {
  const sent = Upload.safeParse(body);
  if (!sent.success) return formAgain(deps, request, "Choose a CSV file.");
  const { file, revive } = { file: sent.data.file, revive: sent.data.revive === "yes" };
  const report = await read(deps, request, { file, revive }, true).catch(() => undefined);
  if (!report)
    return formAgain(deps, request, "The first line of the CSV file must name the columns and include email.");
  const token = randomToken();
  const upload = { hash: sha256(token), sessionId: managerFor(request).session.id, files: await bytesOf([file]) };
  await pendingImports.keep(
    deps.db,
    "subscribers",
    { ...upload, options: revive ? { revive: "yes" } : {} },
    deps.now(),
  );
  const frame = await frameOf(deps, request);
  const content = <ImportReportPage {...{ frame, report, token, revive }} />;
  return show({ frame, title: "Review before importing" }, content);
}

async function confirm(deps: Deps, request: Request, token: string) {
  const own = { hash: sha256(token), sessionId: managerFor(request).session.id };
  const kept = await pendingImports.take(deps.db, "subscribers", own, deps.now());
  const [file] = kept?.files ?? [];
  if (!kept || !file) return formAgain(deps, request, "The upload has expired. Choose the file again.");
  const report = await read(deps, request, { file, revive: kept.options.revive === "yes" }, false);
  const details = { new: String(report.new), revived: String(report.revived), invalid: String(report.invalid) };
  await audit.note(deps.db, { ...actorOf(request), action: "subscriber.import", details }, deps.now());
  const text = `${plural(report.new + report.revived, "subscriber")} imported.`;
  return seeOther(request, paths.newsletter, { kind: "good", text });
}

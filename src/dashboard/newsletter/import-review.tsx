import { z } from "zod";
import * as audit from "../../../db/audit";
import * as pendingImports from "../../../db/pending-imports";
import { plural } from "../../../views/components/list";
import { ImportReportPage } from "../../../views/dashboard/newsletter/import";
import { paths } from "../../../views/paths";
import type { Deps } from "../../boot/deps";
import { type ImportField, isImportField } from "../../content/csv/subscriber-columns";
import { consentText, importCsv, refusedCsv } from "../../content/csv/subscribers";
import { actorOf, managerFor } from "../../security/session/session";
import { sha256 } from "../../security/secrets";
import { download } from "../download";
import { frameOf } from "../pages";
import { seeOther, show } from "../responses";

type Pending = { file: File; columns: ImportField[] | undefined; revive: boolean };
type Expired = (deps: Deps, request: Request) => Promise<Response>;

const ownUpload = (request: Request, token: string) => ({
  hash: sha256(token),
  sessionId: managerFor(request).session.id,
});

/** The uploaded file with the chosen columns. */
export const waitingImport = async (deps: Deps, request: Request, token: string) =>
  pendingOf(await pendingImports.look(deps.db, "subscribers", ownUpload(request, token), deps.now()));

function pendingOf(kept: Awaited<ReturnType<typeof pendingImports.look>>): Pending | undefined {
  const [file] = kept?.files ?? [];
  if (!kept || !file) return undefined;
  const { columns, revive } = kept.options;
  const chosen = columns && z.array(z.string().refine(isImportField)).parse(JSON.parse(columns));
  return { file, columns: chosen || undefined, revive: revive === "yes" };
}

type Terms = { consent?: string; dryRun?: boolean };

function read(deps: Deps, request: Request, { file, columns, revive }: Pending, terms: Terms) {
  const origin = { via: "import" as const, actor: actorOf(request).actor };
  return importCsv(deps.db, file.stream(), { ...terms, columns, revive, origin }, deps.now());
}

type Review = Pending & { token: string; consent?: string; problem?: string };

/** Shows what would happen, and asks how these people agreed. */
export async function review(deps: Deps, request: Request, { token, consent, problem, ...pending }: Review) {
  const report = await read(deps, request, pending, { dryRun: true });
  const frame = await frameOf(deps, request);
  const content = <ImportReportPage {...{ frame, report, token, revive: pending.revive, consent, problem }} />;
  return show({ frame, title: "Review before importing", status: problem ? 422 : 200 }, content);
}

/** Downloads the rejected lines, to correct and import them. */
export async function refusedLines(deps: Deps, request: Request, token: string, expired: Expired) {
  const waiting = await waitingImport(deps, request, token);
  if (!waiting) return expired(deps, request);
  const file = { name: "refused-lines", extension: "csv", action: "subscriber.export-refused" } as const;
  return download(deps, request, file, refusedCsv(waiting.file.stream(), waiting, deps.now()));
}

const tooShort = "Say in at least 10 characters how they agreed.";
const tooLong = "Say in at most 300 characters how they agreed.";

/** Imports, once the question how these people agreed is answered. */
export async function confirm(
  deps: Deps,
  request: Request,
  body: { upload: string; consent: string },
  expired: Expired,
) {
  const { data: consent } = consentText.safeParse(body.consent);
  if (consent === undefined) {
    const waiting = await waitingImport(deps, request, body.upload);
    const problem = body.consent.length > 300 ? tooLong : tooShort;
    const again = { token: body.upload, consent: body.consent.slice(0, 1_000), problem };
    return waiting ? review(deps, request, { ...waiting, ...again }) : expired(deps, request);
  }
  const own = ownUpload(request, body.upload);
  const pending = pendingOf(await pendingImports.take(deps.db, "subscribers", own, deps.now()));
  if (!pending) return expired(deps, request);
  const report = await read(deps, request, pending, { consent });
  const details = { new: String(report.new), revived: String(report.revived), invalid: String(report.invalid) };
  await audit.note(deps.db, { ...actorOf(request), action: "subscriber.import", details }, deps.now());
  const text = `${plural(report.new + report.revived, "subscriber")} imported.`;
  return seeOther(request, paths.newsletter, { kind: "good", text });
}

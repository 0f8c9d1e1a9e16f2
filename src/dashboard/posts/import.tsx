import { z } from "zod";
import { number, plural } from "../../../views/components/list";
import { PostImportPage, PostImportReport, type ResultCounts } from "../../../views/dashboard/posts/import";
import { path } from "../../../views/dashboard/posts/state";
import { exportPosts } from "../../content/export-posts";
import { importPosts, type ImportResult, postsAmong } from "../../content/import-posts";
import { NotAnArchive, zip } from "../../content/zip";
import type { Deps } from "../deps";
import { actorOf, managerFor } from "../../security/session";
import { seeOther, show } from "../responses";
import { download } from "../download";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import * as pendingImports from "../../../db/pending-imports";
import { bytesOf } from "../form-input";
import { randomToken, sha256 } from "../../security/secrets";

const extras = ["content.css" as const];

const Upload = z.object({
  files: z
    .union([z.instanceof(File), z.array(z.instanceof(File))])
    .transform((files) => [files].flat().filter(({ size }) => size > 0)),
});
const Confirmation = z.object({ upload: z.string() });

/** Imports posts from files, after a preview, and exports them as an archive of the same files. */
export const contentImport = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/import", ({ request }) => formAgain(deps, request))
    .post("/import", ({ request, body }) => check(deps, request, body))
    .post("/import/confirm", ({ request, body }) => confirm(deps, request, body.upload), {
      body: Confirmation,
    })
    .get("/export.zip", ({ request }) =>
      download(deps, request, { name: "posts", extension: "zip", action: "post.export" }, zip(files(deps.db))),
    );

async function check(deps: Deps, request: Request, body: unknown) {
  const files = Upload.safeParse(body).data?.files ?? [];
  if (!files.length) return formAgain(deps, request, "Choose post files or a ZIP archive.");
  const results = await rehearse(deps, request, files);
  if (typeof results === "string") return formAgain(deps, request, results);
  const token = randomToken();
  const upload = { hash: sha256(token), sessionId: managerFor(request).session.id, files: await bytesOf(files) };
  await pendingImports.keep(deps.db, "posts", upload, deps.now());
  const frame = await frameOf(deps, request);
  const view = { frame, results, counts: counted(results), token };
  return show({ frame, title: "Review before importing", extras }, <PostImportReport {...view} />);
}

async function confirm(deps: Deps, request: Request, token: string) {
  const upload = { hash: sha256(token), sessionId: managerFor(request).session.id };
  const kept = await pendingImports.take(deps.db, "posts", upload, deps.now());
  if (!kept) return formAgain(deps, request, "The upload has expired. Choose the files again.");
  const counts = counted(await read(deps, request, kept.files, false));
  return seeOther(request, path, { kind: "good", text: resultMessage(counts) });
}

const read = (deps: Deps, request: Request, files: File[], dryRun: boolean) =>
  importPosts(deps.db, postsAmong(files), { ...actorOf(request), dryRun }, deps.now());

async function formAgain(deps: Deps, request: Request, problem?: string) {
  const frame = await frameOf(deps, request);
  const view = { frame, title: "Import posts", status: problem ? 422 : 200, extras };
  return show(view, <PostImportPage frame={frame} problem={problem} />);
}

/** Shows what would become of the files, or what is wrong with them. */
async function rehearse(deps: Deps, request: Request, files: File[]): Promise<ImportResult[] | string> {
  try {
    const results = await read(deps, request, files, true);
    return results.length ? results : "No .md or .mdx files found.";
  } catch (error) {
    if (error instanceof NotAnArchive) return error.message;
    throw error;
  }
}

async function* files(db: Deps["db"]) {
  for await (const { name, text } of exportPosts(db)) if (name) yield { name, bytes: Buffer.from(text) };
}

function counted(results: ImportResult[]): ResultCounts {
  const counts = { new: 0, changed: 0, same: 0, refused: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

const resultMessage = ({ new: made, changed, refused }: ResultCounts) =>
  [
    `${plural(made, "post")} added, ${number(changed)} updated.`,
    ...(refused ? [`${plural(refused, "file")} skipped.`] : []),
  ].join(" ");

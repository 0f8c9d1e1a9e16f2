import { z } from "zod";
import * as audit from "../../../db/audit";
import { plural } from "../../../views/components/list";
import { type FateCounts, PostImportPage, PostImportReport } from "../../../views/dashboard/posts/import";
import { path } from "../../../views/dashboard/posts/state";
import { exportPosts } from "../../content/export-posts";
import { type Fate, importPosts } from "../../content/import-posts";
import { NotAnArchive } from "../../content/unzip";
import { postsAmong } from "../../content/uploaded-posts";
import { zip } from "../../content/zip";
import type { Deps } from "../../boot/deps";
import { actorOf, managerFor } from "../../security/session";
import { seeOther, show } from "../responses";
import { download } from "../download";
import { frameOf, pages } from "../pages";
import { waitingRoom } from "../pending-imports";

const mostWaiting = 2; // uploads of up to 16 MiB
const extras = ["content.css" as const];

const Upload = z.object({
  files: z
    .union([z.instanceof(File), z.array(z.instanceof(File))])
    .transform((files) => [files].flat().filter(({ size }) => size > 0)),
});
const Confirmation = z.object({ upload: z.string() });

/** Posts come in as files, after a look at what would happen, and go out as an archive of the same files. */
export const contentImport = (deps: Deps) => {
  const { db, now } = deps;
  const waiting = waitingRoom<File[]>(deps, mostWaiting);

  const read = (request: Request, files: File[], rehearsal: boolean) =>
    importPosts(db, postsAmong(files), { actor: actorOf(request).actor, rehearsal }, now());

  async function formAgain(request: Request, problem?: string) {
    const frame = await frameOf(deps, request);
    const view = { frame, title: "Import posts", status: problem ? 422 : 200, extras };
    return show(view, <PostImportPage frame={frame} problem={problem} />);
  }

  /** What would become of the files, or what is wrong with them. */
  async function rehearse(request: Request, files: File[]): Promise<Fate[] | string> {
    try {
      const fates = await read(request, files, true);
      return fates.length ? fates : "There is no .md or .mdx file among them.";
    } catch (error) {
      if (error instanceof NotAnArchive) return error.message;
      throw error;
    }
  }

  return pages(path, deps)
    .get("/import", ({ request }) => formAgain(request))
    .post("/import", async ({ request, body }) => {
      const files = Upload.safeParse(body).data?.files ?? [];
      if (!files.length) return formAgain(request, "Choose the files of posts, or a ZIP archive of them.");
      const fates = await rehearse(request, files);
      if (typeof fates === "string") return formAgain(request, fates);
      const token = waiting.keep(files, managerFor(request).session.id);
      const frame = await frameOf(deps, request);
      const view = { frame, fates, counts: counted(fates), token };
      return show({ frame, title: "Check before you import", extras }, <PostImportReport {...view} />);
    })
    .post(
      "/import/confirm",
      async ({ request, body }) => {
        const files = waiting.take(body.upload, managerFor(request).session.id);
        if (!files) return formAgain(request, "The files are no longer here. Choose them again.");
        const counts = counted(await read(request, files, false));
        const details = Object.fromEntries(Object.entries(counts).map(([outcome, n]) => [outcome, String(n)]));
        await audit.note(db, { ...actorOf(request), action: "post.import", details }, now());
        return seeOther(request, path, { kind: "good", text: told(counts) });
      },
      { body: Confirmation },
    )
    .get("/export.zip", ({ request }) =>
      download(deps, request, { name: "posts", extension: "zip", action: "post.export" }, zip(files(db))),
    );
};

async function* files(db: Deps["db"]) {
  for await (const { name, text } of exportPosts(db)) if (name) yield { name, bytes: Buffer.from(text) };
}

function counted(fates: Fate[]): FateCounts {
  const counts = { new: 0, changed: 0, same: 0, refused: 0 };
  for (const { outcome } of fates) counts[outcome]++;
  return counts;
}

const told = ({ new: made, changed, refused }: FateCounts) =>
  [
    `${plural(made, "post was", "posts were")} added, ${plural(changed, "was", "were")} changed.`,
    ...(refused ? [`${plural(refused, "file was", "files were")} not used.`] : []),
  ].join(" ");

import { z } from "zod";
import * as moves from "../../../db/storage/files-bulk";
import * as uses from "../../../db/storage/references";
import * as files from "../../../db/storage/files";
import { RenameForm, LinkSheet } from "../../../views/dashboard/storage/forms";
import { FilePage } from "../../../views/dashboard/storage/file";
import { kindOf } from "../../../views/dashboard/storage/file-kind";
import type { Deps } from "../../boot/deps";
import { actorOf, dashboardPath } from "../../security/session";
import { Filename } from "../../storage/uploads/file-input";
import { ask, notThere, seeOther, show } from "../responses";
import { frameOf, isPartial, pages } from "../pages";
import { extras, openToNodes } from "./pages";
import { path } from "./query";

const Renaming = z.object({ filename: z.string().default(""), anyway: z.string().optional() });
const hour = 3_600_000;

/** One file of the storage: seen, fetched, linked to, renamed. */
export const fileDashboard = (deps: Deps) => {
  const { config, db, now, storage } = deps;

  const urlOf = (id: string) => `${path}/files/${id}`;
  const gone = async (request: Request) => notThere(await frameOf(deps, request), "That file was deleted.", path);

  async function pageOf(request: Request, file: files.StoredFile) {
    const [frame, url, used, isPublic, beginning] = await Promise.all([
      frameOf(deps, request),
      storage.links.media(file),
      uses.usesOf(db, file.id),
      uses.isPublic(db, file.id, now()),
      kindOf(file.mimeType) === "text" ? storage.links.beginning(file) : undefined,
    ]);
    const mediaUrl = config.BASE_URL + files.mediaPath(file);
    const content = <FilePage {...{ frame, file, url, mediaUrl, isPublic, beginning }} uses={used} />;
    return show({ frame, title: file.filename, extras }, content);
  }

  async function rename(request: Request, file: files.StoredFile, given: z.output<typeof Renaming>) {
    const { data: filename, error } = Filename.safeParse(given.filename);
    const clash = filename !== undefined && filename !== file.filename && given.anyway !== filename;
    const isTaken = clash && (await moves.countClashes(db, file.folder, { named: filename, except: file.id })) > 0;
    if (filename === undefined || isTaken) {
      const frame = await frameOf(deps, request);
      const errors = (error?.issues ?? []).map(({ message }) => ({ field: "filename", message }));
      const value = filename ?? given.filename;
      const form = <RenameForm {...{ frame, file, value, isTaken, errors }} cancel={urlOf(file.id)} />;
      return ask(request, { frame, title: "Rename the file", status: 422, children: form });
    }
    await moves.rename(db, file.id, filename, actorOf(request), now());
    const text = filename === file.filename ? "The name is as it was." : `Renamed to ${filename}.`;
    const back = isPartial(request) ? dashboardPath(request.headers.get("hx-current-url")) : urlOf(file.id);
    return seeOther(request, back, { kind: "good", text });
  }

  return pages(`${path}/files`, deps)
    .get("/:id", async ({ request, params }) => {
      const file = await files.findStored(db, params.id);
      await openToNodes(deps, request);
      return file ? pageOf(request, file) : gone(request);
    })
    .get("/:id/download", async ({ request, params }) => {
      const file = await files.findStored(db, params.id);
      if (!file) return gone(request);
      const location = await storage.links.download(file);
      return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
    })
    .get("/:id/link", async ({ request, params }) => {
      const file = await files.findStored(db, params.id);
      if (!file) return gone(request);
      const frame = await frameOf(deps, request);
      const url = await storage.links.download(file);
      const until = new Date(now().getTime() + hour);
      const sheet = <LinkSheet {...{ frame, url, until }} cancel={urlOf(file.id)} />;
      return ask(request, { frame, title: `Link to ${file.filename}`, children: sheet });
    })
    .get("/:id/rename", async ({ request, params }) => {
      const file = await files.findStored(db, params.id);
      if (!file) return gone(request);
      const frame = await frameOf(deps, request);
      const form = <RenameForm frame={frame} file={file} cancel={urlOf(file.id)} />;
      return ask(request, { frame, title: "Rename the file", children: form });
    })
    .post(
      "/:id/rename",
      async ({ request, params, body }) => {
        const file = await files.findStored(db, params.id);
        return file ? rename(request, file, body) : gone(request);
      },
      { body: Renaming },
    );
};

import { z } from "zod";
import * as folders from "../../../db/storage/folders";
import { Confirm } from "../../../views/components/dialog";
import { FolderForm } from "../../../views/dashboard/storage/forms";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { FolderPath } from "../../storage/uploads/file-input";
import { ask, seeOther } from "../responses";
import { frameOf, pages } from "../pages";
import { folderUrl, path } from "./query";

const InFolder = z.object({ in: FolderPath.catch("").default("") });
const NewFolder = InFolder.extend({ name: z.string().default("") });
const AtPath = z.object({ path: FolderPath.catch("").default("") });

/** Folders of the storage: made, and removed when nothing lies in them. */
export const folderDashboard = (deps: Deps) => {
  const { db, now } = deps;

  async function create(request: Request, { in: parent, name }: z.output<typeof NewFolder>) {
    const { data: at, error } = FolderPath.safeParse(`${parent}/${name}`);
    const messages = at === parent ? ["is required"] : (error?.issues ?? []).map(({ message }) => message);
    if (at === undefined || messages.length) {
      const frame = await frameOf(deps, request);
      const errors = messages.map((message) => ({ field: "name", message }));
      const form = <FolderForm {...{ frame, parent, errors }} value={name} cancel={folderUrl(parent)} />;
      return ask(request, { frame, title: "New folder", status: 422, children: form });
    }
    const isNew = await folders.create(db, at, actorOf(request), now());
    const text = isNew ? `The folder ${folders.nameOf(at)} is there.` : `The folder ${folders.nameOf(at)} was there.`;
    return seeOther(request, folderUrl(at), { kind: "good", text });
  }

  async function remove(request: Request, at: string) {
    const outcome = await folders.remove(db, at, actorOf(request), now());
    const name = folders.nameOf(at);
    if (outcome === "not empty")
      return seeOther(request, folderUrl(at), { kind: "bad", text: `${name} is not empty, so it stays.` });
    const text = outcome === "removed" ? `The folder ${name} is removed.` : "That folder was removed already.";
    return seeOther(request, folderUrl(folders.above(at)), { kind: "good", text });
  }

  return pages(`${path}/folders`, deps)
    .get(
      "/new",
      async ({ request, query: { in: parent } }) => {
        const frame = await frameOf(deps, request);
        const form = <FolderForm frame={frame} parent={parent} cancel={folderUrl(parent)} />;
        return ask(request, { frame, title: "New folder", children: form });
      },
      { query: InFolder },
    )
    .post("/", ({ request, body }) => create(request, body), { body: NewFolder })
    .get(
      "/remove",
      async ({ request, query: { path: at } }) => {
        const frame = await frameOf(deps, request);
        const back = folderUrl(folders.above(at));
        return ask(request, {
          frame,
          title: `Remove the folder ${folders.nameOf(at)}?`,
          children: (
            <Confirm
              frame={frame}
              action={`${path}/folders/remove`}
              verb="Remove folder"
              cancel={back}
              fields={{ path: at }}
            >
              <p>Only a folder in which nothing lies can be removed.</p>
            </Confirm>
          ),
        });
      },
      { query: AtPath },
    )
    .post("/remove", ({ request, body }) => remove(request, body.path), { body: AtPath });
};

import { z } from "zod";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import { KeyList, KeysHead } from "../../../../views/dashboard/access/api-keys";
import { NewKey } from "../../../../views/dashboard/access/new-api-key";
import { paths } from "../../../../views/paths";
import type { Deps } from "../../deps";
import { isFresh, managerFor } from "../../../security/session";
import { listHandlers } from "../../list-handlers";
import { oneOf, pageNumber } from "../../list-query";
import { showDialog } from "../../responses";

export const path = paths.apiKeys;

/** The list's parameters in the URL. */
const Query = z.object({
  status: oneOf(["active", "inactive"]),
  sort: z.enum(["created", "-created", "used", "-used"]).catch("-created").default("-created"),
  page: pageNumber,
});

export const alreadyShown = "That key was already shown. Deactivate it and generate a new one if you did not save it.";

export const { show, listBefore, doneWith } = listHandlers({
  path,
  title: "API keys",
  Query,
  Head: ({ deps, request }) => <KeysHead isFresh={isFresh(managerFor(request), deps.now())} />,
  async list({ deps: { db }, query: { status, sort, page }, frame, state }) {
    const active = status ? status === "active" : undefined;
    const [keys, counts] = await Promise.all([
      apiKeys.findPage(db, { active }, sort, { page, per: 50 }, frame.now),
      apiKeys.countKeys(db, frame.now),
    ]);
    return <KeyList frame={frame} state={state} counts={counts} {...keys} />;
  },
});

/** Shows a new key, once. */
export async function reveal(deps: Deps, request: Request, { key, row }: { key: string; row: apiKeys.ApiKey }) {
  const { frame, list } = await listBefore(deps, request);
  return showDialog(request, {
    frame,
    title: "Copy your new key",
    status: 201,
    dismiss: "by-button",
    children: <NewKey secret={key} row={row} blogUrl={deps.config.BLOG_URL} />,
    meanwhile: list,
  });
}

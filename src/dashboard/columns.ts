import { z } from "zod";
import * as ownAccount from "../../db/access/managers";
import { changedColumns, type ChoosableList, columnChoices } from "../../views/components/lists/choose-columns";
import { paths } from "../../views/paths";
import { managerFor } from "../security/session";
import type { Deps } from "./deps";
import { pages } from "./pages";
import { forEveryone } from "./permissions";
import { urlBefore } from "./responses";

const lists = Object.keys(columnChoices) as [ChoosableList, ...ChoosableList[]];

const Choice = z.object({
  list: z.enum(lists),
  shown: z
    .union([z.string().max(40).array().max(20), z.string().max(40)])
    .default([])
    .transform((keys) => [keys].flat()),
});

/** Which columns of a list someone wants to see. Nobody else sees it, so the audit log does not record it. */
export const columnsDashboard = (deps: Deps) =>
  pages(paths.columns, deps, forEveryone).post("/", ({ request, body }) => chooseColumns(deps, request, body), {
    body: Choice,
  });

/** Shows the list again as it was: browsers and htmx both follow a redirect. */
async function chooseColumns({ db }: Deps, request: Request, { list, shown: keys }: z.output<typeof Choice>) {
  const { manager } = managerFor(request);
  await ownAccount.chooseColumns(db, manager.id, { list, changed: changedColumns(list, keys) });
  const { pathname, search } = urlBefore(request);
  return new Response(null, { status: 303, headers: { location: pathname + search } });
}

import { FreshExports } from "../../../views/components/lists/exports";
import { NewSuppressionForm } from "../../../views/dashboard/suppressions/new-suppression";
import { exportFormats, SuppressionsHead } from "../../../views/dashboard/suppressions/suppressions";
import type { Deps } from "../deps";
import { frameOf, pages } from "../pages";
import { ask, showList } from "../responses";
import { addOne, csvFile, liftSelected, listFor, SuppressionBulk, title } from "./actions";
import { path, Query, stateHere } from "./query";

/** `/dashboard/suppressions`: addresses that get no newsletter email. */
export const suppressionsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const state = stateHere(Query.parse(query));
      return showList(request, {
        ...{ frame, title, head: <SuppressionsHead state={state} />, list: await listFor(deps, frame, query) },
        beside: <FreshExports state={state} formats={exportFormats} />,
      });
    })
    .get("/new", async ({ request }) => {
      const frame = await frameOf(deps, request);
      return ask(request, { frame, title: "Suppress address", children: <NewSuppressionForm frame={frame} /> });
    })
    .post("/", ({ request, body }) => addOne(deps, request, body))
    .post("/bulk", ({ request, body }) => liftSelected(deps, request, body), { body: SuppressionBulk })
    .get("/export.csv", ({ request, query }) => csvFile(deps, request, query));

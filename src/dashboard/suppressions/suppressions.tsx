import type { Deps } from "../deps";
import { pages } from "../pages";
import { addOne, askForNew, csvFile, liftSelected, SuppressionBulk } from "./actions";
import { path, show } from "./list";

/** `/dashboard/suppressions`: addresses that get no newsletter email. */
export const suppressionsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => askForNew(deps, request))
    .post("/", ({ request, body }) => addOne(deps, request, body))
    .post("/bulk", ({ request, body }) => liftSelected(deps, request, body), { body: SuppressionBulk })
    .get("/export.csv", ({ request, query }) => csvFile(deps, request, query));

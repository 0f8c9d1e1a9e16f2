import type { Deps } from "../deps";
import { selectionBody } from "../bulk-request";
import { pages } from "../pages";
import { timeZoneOf } from "../period";
import { askToDelete, changeOne, changeSelected, csvFile, restoreScanned, showOne } from "./actions";
import { selected, SubscriberBulk } from "./bulk";
import { addOne, askForDetails, askForNew, saveDetails } from "./forms";
import { filterOf, path, Query, show } from "./list";

/** `/dashboard/newsletter`: the list of subscribers. */
export const newsletterDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request, query }) => askForNew(deps, request, query.email))
    .post("/", ({ request, body }) => addOne(deps, request, body))
    .post("/restore", ({ request }) => restoreScanned(deps, request))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: SubscriberBulk })
    .get("/export.csv", ({ request, query }) =>
      csvFile(deps, request, { matching: filterOf(Query.parse(query), timeZoneOf(request)) }),
    )
    .post("/bulk/export", ({ request, body }) => csvFile(deps, request, selected(request, body)), {
      body: selectionBody,
    })
    .get("/:id", ({ request, params: { id } }) => showOne(deps, request, id))
    .post("/:id/reactivate", ({ request, params: { id } }) => changeOne(deps, request, id, "reactivate"))
    .post("/:id/unsubscribe", ({ request, params: { id } }) => changeOne(deps, request, id, "unsubscribe"))
    .get("/:id/edit", ({ request, params: { id } }) => askForDetails(deps, request, id))
    .post("/:id/edit", ({ request, params: { id }, body }) => saveDetails(deps, request, id, body))
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(deps, request, id))
    .post("/:id/delete", ({ request, params: { id } }) => changeOne(deps, request, id, "delete"));

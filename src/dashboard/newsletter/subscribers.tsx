import { FreshExports } from "../../../views/components/lists/exports";
import { NewSubscriberForm } from "../../../views/dashboard/newsletter/new-subscriber";
import type { Deps } from "../deps";
import { selectionBody } from "../bulk-request";
import { search } from "../list-query";
import { frameOf, pages } from "../pages";
import { ask, showList } from "../responses";
import { addOne, askToDelete, changeSelected, changeOne, csvFile, restoreScanned, showOne } from "./actions";
import { selected, SubscriberBulk } from "./bulk";
import { askForDetails, saveDetails } from "./edit";
import { listFor, title } from "./list";
import { timeZoneOf } from "../period";
import { filterOf, path, Query, stateHere } from "./query";
import { exportFormats, NewsletterHead } from "../../../views/dashboard/newsletter/head";

/** `/dashboard/newsletter`: the list of subscribers. */
export const newsletterDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const state = stateHere(Query.parse(query));
      return showList(request, {
        ...{ frame, title, head: <NewsletterHead state={state} />, list: await listFor(deps, frame, query) },
        beside: <FreshExports state={state} formats={exportFormats} />,
      });
    })
    .get("/new", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const form = <NewSubscriberForm frame={frame} values={{ email: search.parse(query.email) }} />;
      return ask(request, { frame, title: "Add subscriber", children: form });
    })
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

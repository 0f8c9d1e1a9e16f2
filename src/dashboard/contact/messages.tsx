import type { Deps } from "../deps";
import { pages } from "../pages";
import { changeSelected, showOne } from "./actions";
import { MessageBulk } from "./bulk";
import { exportAs } from "./export";
import { showMessages } from "./list";
import { path, Query } from "./query";

/** `/dashboard/contact`: messages from the contact form. */
export const contactDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => showMessages(deps, request, query))
    .get("/export.csv", ({ request, query }) => exportAs("csv", deps, request, Query.parse(query)))
    .get("/export.json", ({ request, query }) => exportAs("json", deps, request, Query.parse(query)))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: MessageBulk })
    .get("/:id", ({ request, query, params: { id } }) => showOne(deps, request, query, id));

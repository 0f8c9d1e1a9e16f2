import type { Deps } from "../deps";
import { paths } from "../../../views/paths";
import { ownersOnly } from "../owners-only";
import { pages } from "../pages";
import { askToErase, erase, showProof } from "./erase";
import { exportPerson, printPerson, showPerson } from "./show";

const deed = "erase a person’s data";

/** `/dashboard/people`: everything under one address, to show, export, print or erase. */
export const peopleDashboard = (deps: Deps) =>
  pages(paths.people, deps)
    .get("/", ({ request, query }) => showPerson(deps, request, query))
    .get("/export.json", ({ request, query }) => exportPerson(deps, request, query))
    .get("/print", ({ request, query }) => printPerson(deps, request, query))
    .get("/erase", ({ request, query }) => ownersOnly(request, deed) ?? askToErase(deps, request, query))
    .post("/erase", ({ request, body }) => ownersOnly(request, deed) ?? erase(deps, request, body))
    .get("/erasures/:id", ({ request, params: { id } }) => showProof(deps, request, id));

import type { Deps } from "../deps";
import { pages } from "../pages";
import { sendAgain } from "./again";
import { cancelOne, changeSelected, preview, retryOne, showOne } from "./actions";
import { MailBulk } from "./bulk";
import { path, show } from "./list";

/**
 * `/dashboard/outbox`: every email, its status and its text, so that the service can be used without an email provider.
 */
export const outboxDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", ({ request, query }) => show(deps, request, query))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: MailBulk })
    .get("/:id", ({ request, params: { id } }) => showOne(deps, request, id))
    .get("/:id/preview", ({ params: { id } }) => preview(deps, id))
    .post("/:id/again", ({ request, params: { id } }) => sendAgain(deps, request, id))
    .post("/:id/retry", ({ request, params: { id } }) => retryOne(deps, request, id))
    .post("/:id/cancel", ({ request, params: { id } }) => cancelOne(deps, request, id));

import type { Deps } from "../deps";
import { isLive } from "../../mail/configured";
import { frameOf, pages } from "../pages";
import { showList } from "../responses";
import { sendAgain } from "./again";
import { cancelOne, changeSelected, preview, retryOne, showOne } from "./actions";
import { MailBulk } from "./bulk";
import { listFor, title } from "./list";
import { path, Query } from "./query";
import { OutboxHead } from "../../../views/dashboard/mail/outbox";

/**
 * `/dashboard/outbox`: every email, its status and its text, so that the service can be used without an email provider.
 */
export const outboxDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(deps, frame, Query.parse(query));
      return showList(request, { frame, title, head: <OutboxHead isLive={isLive(deps.config)} />, list });
    })
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: MailBulk })
    .get("/:id", ({ request, params: { id } }) => showOne(deps, request, id))
    .get("/:id/preview", ({ params: { id } }) => preview(deps, id))
    .post("/:id/again", ({ request, params: { id } }) => sendAgain(deps, request, id))
    .post("/:id/retry", ({ request, params: { id } }) => retryOne(deps, request, id))
    .post("/:id/cancel", ({ request, params: { id } }) => cancelOne(deps, request, id));

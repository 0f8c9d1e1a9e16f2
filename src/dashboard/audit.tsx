import { z } from "zod";
import * as audit from "../../db/audit";
import type { ListState } from "../../views/components/list";
import { AuditHead, AuditList } from "../../views/dashboard/audit";
import type { Deps } from "../boot/deps";
import { showList } from "./responses";
import { exactly, pageNumber, search } from "./list-query";
import { managerNames } from "./manager-names";
import { frameOf, pages } from "./pages";
import { periodFields, periodOf } from "./period";
import { paths } from "../../views/paths";

const path = paths.audit;
const per = 50;

/** What the URL says about the list. */
const Query = z.object({
  q: search,
  actor: exactly,
  action: exactly,
  ...periodFields,
  page: pageNumber,
});

/** `/dashboard/audit`: who did what, when and from where (D40). Nothing here can be changed. */
export const auditLog = (deps: Deps) =>
  pages(path, deps).get("/", ({ request, query }) => showEvents(deps, request, query));

async function showEvents(deps: Deps, request: Request, given: Record<string, unknown>) {
  const { page, ...query } = Query.parse(given);
  const frame = await frameOf(deps, request);
  const filters: audit.Filters = {
    q: query.q,
    actor: query.actor,
    group: query.action,
    ...periodOf(query, frame.preferences.timeZone),
  };
  const [found, choices, names] = await Promise.all([
    audit.list(deps.db, filters, { page, per }),
    audit.filterOptions(deps.db),
    managerNames(deps),
  ]);
  const state: ListState = { path, query: { ...query, page: found.page === 1 ? "" : String(found.page) } };
  const list = <AuditList {...{ frame, state, per, names }} {...found} rows={found.events} />;
  return showList(request, {
    frame,
    title: "Audit log",
    head: <AuditHead state={state} names={names} {...choices} />,
    list,
  });
}

import { z } from "zod";
import * as audit from "../../db/audit";
import { auditBatches } from "../../db/audit";
import type { ListState } from "../../views/components/list";
import { FreshExports } from "../../views/components/lists/head";
import { AuditHead, AuditList, exportFormats } from "../../views/dashboard/audit";
import type { Deps } from "./deps";
import { csvLine } from "../content/csv/reader";
import { download } from "./download";
import { showList } from "./responses";
import { exactly, pageNumber, search } from "./list-query";
import { frameOf, pages } from "./pages";
import { forManagers } from "./permissions";
import { periodFields, periodOf, timeZoneOf } from "./period";
import { paths } from "../../views/paths";

const path = paths.audit;
const per = 50;

/** The list's parameters in the URL. */
const Query = z.object({
  q: search,
  actor: exactly,
  action: exactly,
  ...periodFields,
  page: pageNumber,
});

/** `/dashboard/audit`: who did what, when and from where (D40). Nothing can be changed here. */
export const auditLog = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => showEvents(deps, request, query))
    .get("/export.csv", ({ request, query }) => exportEvents(deps, request, query));

const filtersOf = (query: Omit<z.output<typeof Query>, "page">, timeZone: string): audit.Filters => ({
  q: query.q,
  actor: query.actor,
  group: query.action,
  ...periodOf(query, timeZone),
});

async function showEvents(deps: Deps, request: Request, params: Record<string, unknown>) {
  const { page, ...query } = Query.parse(params);
  const frame = await frameOf(deps, request);
  const filters = filtersOf(query, frame.preferences.timeZone);
  const [results, choices] = await Promise.all([
    audit.list(deps.db, filters, { page, per }),
    audit.filterOptions(deps.db),
  ]);
  const state: ListState = { path, query: { ...query, page: results.page === 1 ? "" : String(results.page) } };
  const list = <AuditList frame={frame} state={state} per={per} {...results} rows={results.events} />;
  return showList(request, {
    frame,
    title: "Audit log",
    head: <AuditHead state={state} names={frame.names} {...choices} />,
    list,
    beside: <FreshExports state={state} formats={exportFormats} />,
  });
}

/** Exports what the list shows, all pages of it, with times in UTC. */
function exportEvents(deps: Deps, request: Request, params: Record<string, unknown>) {
  const filters = filtersOf(Query.parse(params), timeZoneOf(request));
  const file = { name: "audit-log", extension: "csv", action: "audit.export" } as const;
  return download(deps, request, file, csvOf(auditBatches(deps.db, filters)));
}

async function* csvOf(log: AsyncIterable<audit.AuditEvent[]>) {
  yield csvLine(["at", "actor", "action", "target", "targetId", "ipAddress", "details"]);
  for await (const batch of log)
    yield batch
      .map(({ createdAt, actor, action, target, targetId, address, details }) =>
        csvLine([createdAt.toISOString(), actor, action, target, targetId, address, JSON.stringify(details)]),
      )
      .join("");
}

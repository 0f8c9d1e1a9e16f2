import { z } from "zod";
import * as audit from "../../db/audit";
import type { ListState } from "../../views/components/list";
import { AuditHead, AuditList } from "../../views/dashboard/audit";
import type { Deps } from "../boot/deps";
import { showList } from "./responses";
import { exactly, pageNumber, search } from "./list-query";
import { managerNames } from "./manager-names";
import { frameOf, pages } from "./pages";
import { paths } from "../../views/paths";

const path = paths.audit;
const per = 50;

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .catch("")
  .default("");

/** What the URL says about the list. */
const Query = z.object({
  q: search,
  actor: exactly,
  action: exactly,
  from: day,
  to: day,
  page: pageNumber,
});

/** `/dashboard/audit`: who did what, when and from where (D40). Nothing here can be changed. */
export const auditLog = (deps: Deps) =>
  pages(path, deps).get("/", ({ request, query }) => showEvents(deps, request, query));

async function showEvents(deps: Deps, request: Request, given: Record<string, unknown>) {
  const { page, ...query } = Query.parse(given);
  const frame = await frameOf(deps, request);
  const { timeZone } = frame.preferences;
  const filters: audit.Filters = {
    q: query.q,
    actor: query.actor,
    group: query.action,
    from: query.from ? startOfDay(query.from, timeZone) : undefined,
    until: query.to ? startOfDay(query.to, timeZone, 1) : undefined,
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

/** Midnight in the time zone that the manager reads times in, `daysLater` days after that date. */
function startOfDay(date: string, timeZone: string, daysLater = 0): Date {
  const utc = Date.parse(date) + daysLater * 86_400_000;
  const local = new Date(utc).toLocaleString("sv-SE", { timeZone }); // "2026-03-29 02:00:00"
  return new Date(utc - (Date.parse(`${local.replace(" ", "T")}Z`) - utc));
}

import { z } from "zod";
import { type Broadcast, byId } from "../../../db/broadcasts/broadcasts";
import { everyoneHadTheirTurn, ledgerOf } from "../../../db/broadcasts/ledger";
import {
  batches,
  countOf,
  type Outcome,
  page,
  type Recipient,
  type RecipientFilter,
} from "../../../db/broadcasts/report/recipients";
import {
  ExportLink,
  outcomeNames,
  outcomeOf,
  reasonOf,
  Recipients,
  RecipientsHead,
} from "../../../views/dashboard/broadcasts/report/recipients";
import { path } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { csvLine } from "../../content/csv/reader";
import { download } from "../download";
import { oneOf, search, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { showList } from "../responses";
import { extras, gone } from "./broadcasts";

const Query = z.object({
  q: search,
  outcome: oneOf(Object.keys(outcomeNames) as Outcome[]),
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).catch(0).default(0),
});
const pageSize = 100; // recipients per page

const filterOf = ({ q, outcome }: z.output<typeof Query>): RecipientFilter => ({
  q: q || undefined,
  outcome: outcome || undefined,
});

/** The recipients of a broadcast, filtered by outcome and address, on the page and as a file. */
export const broadcastRecipients = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/:id/recipients", ({ request, params: { id }, query }) => list(deps, request, id, query))
    .get("/:id/recipients/export.csv", ({ request, params: { id }, query }) => exportAll(deps, request, id, query));

async function list(deps: Deps, request: Request, id: string, params: Record<string, unknown>) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast) return gone(deps, request);
  const query = Query.parse(params);
  const state = stateOf(`${path}/${id}/recipients`, Query, query);
  const filter = filterOf(query);
  const [frame, results] = await Promise.all([
    frameOf(deps, request),
    page(deps.db, broadcast, filter, { after: query.after, size: pageSize }),
  ]);
  return showList(request, {
    frame,
    title: "Recipients",
    extras,
    head: <RecipientsHead broadcast={broadcast} state={state} />,
    list: (
      <Recipients frame={frame} broadcast={broadcast} state={state} count={countOf(broadcast, filter)} {...results} />
    ),
    beside: (
      <hx-partial hx-target="#export" hx-swap="outerHTML">
        <ExportLink state={state} />
      </hx-partial>
    ),
  });
}

async function exportAll(deps: Deps, request: Request, id: string, params: Record<string, unknown>) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast) return gone(deps, request);
  const file = { name: "recipients", extension: "csv", action: "broadcast.export" } as const;
  return download(deps, request, file, csv(deps, broadcast, filterOf(Query.parse(params))));
}

const times = ["acceptedAt", "deliveredAt", "bouncedAt", "softAt", "complainedAt", "unsubscribedAt"] as const;

/** Where a recipient is, in the words of the ledger, by the number of the state. */
const statuses = ["waiting", "accepted", "refused", "uncertain", "simulated", "left"] as const;

/**
 * One line for each recipient and, without a filter, one for all who are in no batch. So the column "people" adds up to
 * the recipients, whenever the file is written. Of an old broadcast only the figures are left.
 */
async function* csv({ db }: Deps, broadcast: Broadcast, filter: RecipientFilter) {
  yield csvLine(["email", "status", "people", "outcome", ...times, "reason"]);
  let written = 0;
  for await (const rows of batches(db, broadcast, filter)) {
    written += rows.length;
    yield rows.map(lineOf).join("");
  }
  const current = await byId(db, broadcast.id);
  if (!current || filter.q || filter.outcome) return;
  const { recipients, ...parts } = ledgerOf(current);
  const rest = { [everyoneHadTheirTurn(current) ? "left" : "waiting"]: recipients - written };
  for (const [status, people] of Object.entries(current.detailGoneAt ? parts : rest))
    if (people > 0) yield csvLine([null, status, String(people), "", ...times.map(() => null), null]);
}

const lineOf = (row: Recipient) =>
  csvLine([
    row.email,
    statuses[row.state] ?? null,
    "1",
    outcomeOf(row).name,
    ...times.map((name) => row[name]?.toISOString() ?? null),
    reasonOf(row),
  ]);

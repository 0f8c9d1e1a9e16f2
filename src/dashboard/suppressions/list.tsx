import { z } from "zod";
import * as suppressionList from "../../../db/suppressions/list";
import { exportFormats, SuppressionList, SuppressionsHead } from "../../../views/dashboard/suppressions/suppressions";
import { paths } from "../../../views/paths";
import { listHandlers } from "../list-handlers";
import { oneOf, pageNumber, perPage, search } from "../list-query";

export const path = paths.suppressions;

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  reason: oneOf(["bounce", "complaint", "provider", "manual", "erased", "import"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

export const filterOf = ({ q, reason }: Query): suppressionList.SuppressionFilter => ({
  q: q || undefined,
  reason: reason || undefined,
});

export const { show, doneWith } = listHandlers({
  path,
  title: "Suppressions",
  Query,
  Head: SuppressionsHead,
  exports: exportFormats,
  async list({ deps: { db }, query, frame, state }) {
    const [rows, all] = await Promise.all([
      suppressionList.list(db, filterOf(query), query),
      suppressionList.count(db),
    ]);
    return <SuppressionList frame={frame} state={state} all={all} per={query.per} {...rows} />;
  },
});

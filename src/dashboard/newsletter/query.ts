import { z } from "zod";
import { statuses } from "../../../db/newsletter/status";
import { periodFields, periodOf } from "../period";
import type { SubscriberFilter } from "../../../db/newsletter/search";
import { listUrl } from "../../../views/components/list";
import { exactly, oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { paths } from "../../../views/paths";

export const path = paths.newsletter;

const initial = "-joined" as const;

/** The list's parameters in the URL. Sorting by unsubscribe date applies only to those who unsubscribed. */
export const Query = z
  .object({
    q: search,
    status: oneOf([...statuses]),
    source: exactly,
    sort: z
      .enum(["joined", "-joined", "email", "-email", "unsubscribed", "-unsubscribed"])
      .catch(initial)
      .default(initial),
    ...periodFields,
    page: pageNumber,
    per: perPage,
  })
  .transform((query) => ({
    ...query,
    sort: query.status !== "unsubscribed" && query.sort.endsWith("unsubscribed") ? initial : query.sort,
  }));
export type Query = z.output<typeof Query>;

export const filterOf = ({ q, status, source, ...days }: Query, timeZone: string): SubscriberFilter => ({
  ...periodOf(days, timeZone),
  q: q || undefined,
  status: status || undefined,
  source: source || undefined,
});

export const stateHere = (query: Query) => stateOf(path, Query, query);

/** Returns the URL of the list as it was filtered. */
export const stateUrl = (query: Record<string, string>) =>
  listUrl(stateHere(Query.parse(query)), query.page ? { page: query.page } : {});

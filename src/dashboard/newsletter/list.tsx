import { z } from "zod";
import * as subscriberList from "../../../db/newsletter/list";
import * as scanner from "../../../db/newsletter/scanner";
import type { SubscriberFilter } from "../../../db/newsletter/search";
import { statuses } from "../../../db/newsletter/rules";
import { exportFormats, NewsletterHead, SubscriberList } from "../../../views/dashboard/newsletter/subscribers";
import { paths } from "../../../views/paths";
import { listHandlers } from "../list-handlers";
import { exactly, oneOf, pageNumber, perPage, search } from "../list-query";
import { periodFields, periodOf } from "../period";

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

export const { show, doneWith } = listHandlers({
  path,
  title: "Newsletter",
  Query,
  Head: NewsletterHead,
  exports: exportFormats,
  async list({ deps: { config, db }, query, frame, state }) {
    const [rows, counts, sources, scanned] = await Promise.all([
      subscriberList.list(db, filterOf(query, frame.preferences.timeZone), query.sort, query),
      subscriberList.counts(db),
      subscriberList.sources(db),
      scanner.countScanned(db),
    ]);
    const subscribeUrl = `${config.BASE_URL}/api/newsletter/subscribe`;
    return (
      <SubscriberList
        frame={frame}
        state={state}
        counts={counts}
        sources={sources}
        scanned={scanned}
        subscribeUrl={subscribeUrl}
        {...rows}
      />
    );
  },
});

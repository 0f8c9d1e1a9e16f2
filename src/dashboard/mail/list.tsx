import { z } from "zod";
import * as outboxList from "../../../db/mail/list";
import { MailList, OutboxHead } from "../../../views/dashboard/mail/outbox";
import { paths } from "../../../views/paths";
import { isLive } from "../../mail/open";
import { listHandlers } from "../list-handlers";
import { oneOf, pageNumber, perPage, search } from "../list-query";
import { periodFields, periodOf } from "../period";

export const path = paths.mails;

/** The list's parameters in the URL. */
export const Query = z.object({
  q: search,
  kind: oneOf([
    "welcome",
    "confirm",
    "contact",
    "quarantine",
    "test",
    "sign-in",
    "invitation",
    "notice",
    "broadcast-test",
  ]),
  state: oneOf(["queued", "sent", "simulated", "dead", "uncertain", "cancelled"]),
  ...periodFields,
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

export const filterOf = ({ q, kind, state, ...days }: Query, timeZone: string): outboxList.MailFilter => ({
  ...periodOf(days, timeZone),
  q: q || undefined,
  kind: kind || undefined,
  state: state || undefined,
});

export const { show, doneWith } = listHandlers({
  path,
  title: "Emails",
  Query,
  Head: ({ deps }) => <OutboxHead isLive={isLive(deps.config)} />,
  async list({ deps: { config, db }, query, frame, state }) {
    const [mails, counts] = await Promise.all([
      outboxList.list(db, filterOf(query, frame.preferences.timeZone), query),
      outboxList.counts(db),
    ]);
    return <MailList frame={frame} state={state} counts={counts} isLive={isLive(config)} per={query.per} {...mails} />;
  },
});

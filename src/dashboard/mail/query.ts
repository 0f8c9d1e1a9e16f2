import { z } from "zod";
import { periodFields, periodOf } from "../period";
import type { MailFilter } from "../../../db/mail/list";
import { paths } from "../../../views/paths";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";

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
export type Query = z.output<typeof Query>;

export const filterOf = ({ q, kind, state, ...days }: Query, timeZone: string): MailFilter => ({
  ...periodOf(days, timeZone),
  q: q || undefined,
  kind: kind || undefined,
  state: state || undefined,
});

export const stateHere = (query: Query) => stateOf(path, Query, query);

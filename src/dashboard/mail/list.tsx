import * as outboxList from "../../../db/mail/list";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { MailList } from "../../../views/dashboard/mail/outbox";
import { Surroundings } from "../../../views/dashboard/shell";
import type { Deps } from "../deps";
import { isLive } from "../../mail/configured";
import { frameOf, isPartial } from "../pages";
import { done, queryBefore } from "../responses";
import { filterOf, path, Query, stateHere } from "./query";

export const title = "Emails";

/** Reads the list for these parameters. */
export async function listFor(deps: Deps, frame: Frame, query: Query) {
  const [listed, counts] = await Promise.all([
    outboxList.list(deps.db, filterOf(query, frame.preferences.timeZone), query),
    outboxList.counts(deps.db),
  ]);
  const state = stateHere(query);
  return <MailList {...{ frame, counts, isLive: isLive(deps.config), state, per: query.per, ...listed }} />;
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, notice: Notice) {
  const frame = await frameOf(deps, request);
  const query = Query.parse(queryBefore(request, path));
  const list = (
    <>
      {await listFor(deps, frame, query)}
      {isPartial(request) && <Surroundings frame={frame} title={title} />}
    </>
  );
  return done(request, { frame, title, list, back: listUrl(stateHere(query), { page: String(query.page) }), notice });
}

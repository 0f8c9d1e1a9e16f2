import * as subscriberList from "../../../db/newsletter/list";
import * as scanner from "../../../db/newsletter/scanner";
import type { Frame, Notice } from "../../../views/components/frame";
import { SubscriberList } from "../../../views/dashboard/newsletter/subscribers";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { done, queryBefore } from "../responses";
import { filterOf, path, Query, stateHere, stateUrl } from "./query";

export const title = "Newsletter";

/** Reads the list for these parameters. */
export async function listFor({ config, db }: Deps, frame: Frame, given: Record<string, unknown>) {
  const query = Query.parse(given);
  const [{ rows, ...where }, counts, sources, scanned] = await Promise.all([
    subscriberList.list(db, filterOf(query, frame.preferences.timeZone), query.sort, query),
    subscriberList.counts(db),
    subscriberList.sources(db),
    scanner.countScanned(db),
  ]);
  const state = stateHere(query);
  const subscribeUrl = `${config.BASE_URL}/api/newsletter/subscribe`;
  return <SubscriberList {...{ frame, state, rows, counts, sources, scanned, subscribeUrl }} {...where} />;
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, notice: Notice) {
  const frame = await frameOf(deps, request);
  const query = queryBefore(request, path);
  return done(request, { frame, title, list: await listFor(deps, frame, query), back: stateUrl(query), notice });
}

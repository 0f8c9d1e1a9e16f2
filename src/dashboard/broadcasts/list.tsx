import * as broadcastList from "../../../db/broadcasts/list";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { BroadcastList, BroadcastsHead } from "../../../views/dashboard/broadcasts/broadcasts";
import type { AssetName } from "../../../views/assets";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { done, showList } from "../responses";
import { filterOf, Query, stateHere } from "./query";
import { audienceWords } from "./audience/words";

type Given = Record<string, unknown>;
const title = "Broadcasts";
export const extras: AssetName[] = ["broadcasts.css"];

/** Reads the list for these parameters. */
async function listFor({ db }: Deps, frame: Frame, given: Given) {
  const query = Query.parse(given);
  const filter = filterOf(query);
  const [{ rows, ...where }, counts] = await Promise.all([
    broadcastList.list(db, filter, query),
    broadcastList.counts(db),
  ]);
  const words = await audienceWords(db, rows, frame.preferences);
  const shown = rows.map((broadcast, at) => ({ broadcast, audienceWords: words[at] ?? "" }));
  const state = stateHere(query);
  const view = { frame, state, counts, tab: filter.tab, per: query.per, ...where, rows: shown };
  return { state, list: <BroadcastList {...view} /> };
}

export async function showBroadcasts(deps: Deps, request: Request, given: Given) {
  const frame = await frameOf(deps, request);
  const { list } = await listFor(deps, frame, given);
  const head = <BroadcastsHead frame={frame} />;
  return showList(request, { frame, title, extras: [...extras, "poll.js"], head, list });
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, given: Given, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, given);
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}

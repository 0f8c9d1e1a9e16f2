import { countAffected, applyAction } from "../../../db/contact/bulk";
import * as messages from "../../../db/contact/messages";
import type { Deps } from "../deps";
import { contextOf } from "../../platform/request-context";
import { actorOf } from "../../security/session/session";
import { listBefore, undoableSelectionOf } from "../bulk-request";
import { frameOf, isPartial } from "../pages";
import { notThere } from "../responses";
import { type MessageBulk, messageActions } from "./bulk";
import { doneWith, showMessages } from "./list";
import { timeZoneOf } from "../period";
import { filterOf, path, Query } from "./query";

/** Applies an action to the selected messages, after a question if it needs one. */
export function changeSelected(deps: Deps, request: Request, bulk: MessageBulk) {
  const { do: action, filter } = bulk;
  const selected = undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given), timeZoneOf(request)));
  return messageActions.askOrChange(deps, request, bulk, {
    count: () => countAffected(deps.db, action, selected),
    apply: (at) => applyAction(deps.db, { action, selection: selected }, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, listBefore(request, path, filter), notice),
    action: `${path}/bulk`,
    cancel: `${path}?${filter ?? ""}`,
  });
}

/** Shows one message next to the list, and marks it as read. */
export async function showOne(deps: Deps, request: Request, given: Record<string, unknown>, id: string) {
  const message = await messages.byId(deps.db, id);
  if (!message) return gone(deps, request, given);
  if (!message.readAt && !contextOf(request).isPassive) await markRead(deps, id);
  return showMessages(deps, request, given, (await messages.byId(deps.db, id)) ?? message);
}

/** A failure to mark it must not prevent showing the message. */
const markRead = ({ db, now }: Deps, id: string) => messages.markRead(db, id, now()).catch(() => undefined);

async function gone(deps: Deps, request: Request, given: Record<string, unknown>) {
  const text = "This message was permanently deleted.";
  if (isPartial(request)) return doneWith(deps, request, given, { kind: "good", text });
  return notThere(await frameOf(deps, request), text, path);
}

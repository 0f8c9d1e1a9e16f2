import * as subscriberList from "../../../db/newsletter/list";
import * as pending from "../../../db/newsletter/confirm";
import * as scanner from "../../../db/newsletter/scanner";
import { knownOf, overviewOf } from "../../../db/people/overview";
import { Confirm } from "../../../views/components/confirm";
import { Field } from "../../../views/components/forms/field";
import type { Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { SubscriberPage } from "../../../views/dashboard/newsletter/subscriber";
import type { Deps } from "../deps";
import { exportCsv } from "../../content/csv/subscribers";
import { field, inputOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session/session";
import { unsubscribeLink } from "../../security/links/unsubscribe";
import { download } from "../download";
import { frameOf } from "../pages";
import { ask, notThere, pathBefore, seeOther, show } from "../responses";
import { selected, SubscriberBulk, subscriberActions } from "./bulk";
import { doneWith, path } from "./list";

const rowsShown = 10;
const note = field(line({ min: 1, max: 300 }), { label: "How they agreed" });
const noteInput = inputOf("note", note);
const changes = {
  reactivate: subscriberList.reactivate,
  unsubscribe: subscriberList.unsubscribe,
  resubscribe: subscriberList.reactivate,
  remind: pending.remind,
  delete: subscriberList.remove,
};

/** How an action changes the list, and what is shown afterwards: the subscriber's page, or the list. */
function changeOf(deps: Deps, request: Request, bulk: SubscriberBulk) {
  const why = bulk.note?.trim() ?? "";
  const apply =
    bulk.do === "confirm"
      ? (...[db, chosen, by, at]: Parameters<typeof pending.remind>) =>
          pending.confirmByHand(db, { selection: chosen, why }, by, at)
      : changes[bulk.do];
  const here = pathBefore(request);
  const isOwnPage = bulk.do !== "delete" && here === `${path}/${bulk.ids[0]}`;
  return {
    apply: (at: Date) => apply(deps.db, selected(request, bulk), actorOf(request), at),
    finish: async (notice: Notice) => (isOwnPage ? seeOther(request, here, notice) : doneWith(deps, request, notice)),
    action: `${path}/bulk`,
    cancel: path,
  };
}

/** Applies the action of a button in a row or on a subscriber's page. */
export function changeOne(deps: Deps, request: Request, id: string, action: SubscriberBulk["do"]) {
  const bulk = SubscriberBulk.parse({ do: action, ids: id });
  return subscriberActions.change(deps, bulk, changeOf(deps, request, bulk));
}

/** Applies an action to the selected rows, after a question if it needs one. */
export async function changeSelected(deps: Deps, request: Request, bulk: SubscriberBulk) {
  const count = await subscriberList.countSelected(deps.db, selected(request, bulk));
  if (count === 0) return doneWith(deps, request, { kind: "good", text: subscriberActions.noneSelected });
  const needsNote = bulk.do === "confirm";
  const asked = needsNote && !note.safeParse(bulk.note).success ? { ...bulk, confirmed: undefined } : bulk;
  const children = needsNote && <Field scope="confirm" {...noteInput} value={bulk.note} />;
  const change = changeOf(deps, request, bulk);
  return subscriberActions.askOrChange(deps, request, asked, { ...change, count: () => count, children });
}

/** Reactivates everyone whom a mail scanner has probably unsubscribed (D15). */
export async function restoreScanned(deps: Deps, request: Request) {
  const restored = await scanner.restoreScanned(deps.db, actorOf(request), deps.now());
  const text = `${plural(restored, "subscriber")} restored.`;
  return doneWith(deps, request, { kind: "good", text });
}

/** Shows one subscriber and everything that happened. */
export async function showOne(deps: Deps, request: Request, id: string) {
  const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
  if (!subscriber) return notThere(frame, "This subscriber has been deleted.", path);
  const overview = await overviewOf(deps.db, await knownOf(deps.db, subscriber), rowsShown);
  const link = unsubscribeLink(deps.config, subscriber.email);
  const content = <SubscriberPage frame={frame} subscriber={subscriber} overview={overview} unsubscribeLink={link} />;
  return show({ frame, title: subscriber.email }, content);
}

/** Asks before one subscriber is deleted. */
export async function askToDelete(deps: Deps, request: Request, id: string) {
  const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
  if (!subscriber) return doneWith(deps, request, { kind: "good", text: "Already deleted." });
  return ask(request, {
    frame,
    title: `Delete ${subscriber.email}?`,
    children: (
      <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete subscriber" cancel={path}>
        <p>
          The address, name and source will be permanently deleted. The person can subscribe again. To keep the record
          without sending email, unsubscribe instead. This cannot be undone.
        </p>
      </Confirm>
    ),
  });
}

/** Exports the selected subscribers as CSV, all pages of them. */
export const csvFile = (deps: Deps, request: Request, chosen: subscriberList.SubscriberSelection) =>
  download(
    deps,
    request,
    { name: "subscribers", extension: "csv", action: "subscriber.export" },
    exportCsv(deps.db, subscriberList.batches(deps.db, chosen)),
  );

import { z } from "zod";
import * as audit from "../../../db/audit";
import * as outboxDesk from "../../../db/mail/list";
import * as desk from "../../../db/newsletter/list";
import * as subscribers from "../../../db/newsletter/subscribers";
import { Confirm } from "../../../views/components/dialog";
import type { Frame, Notice } from "../../../views/components/frame";
import { FreshExports } from "../../../views/components/exports";
import { plural } from "../../../views/components/list";
import { exportFormats, NewsletterHead, SubscriberList } from "../../../views/dashboard/newsletter/subscribers";
import { NewSubscriberForm, SubscriberPage } from "../../../views/dashboard/newsletter/subscriber";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { unsubscribeLink } from "../../security/unsubscribe-link";
import { exportCsv } from "../../content/subscribers-csv";
import { ask, done, notThere, queryBefore, show, showList } from "../responses";
import { download } from "../download";
import { add } from "./add";
import { selectionBody, selectionOf } from "../bulk-actions";
import { SubscriberBulk, subscriberActions } from "./bulk";
import { filterOf, path, Query, stateHere, stateUrl } from "./query";
import { frameOf, pages } from "../pages";

const title = "Newsletter";

const selected = (bulk: z.output<typeof selectionBody>) => selectionOf(bulk, (given) => filterOf(Query.parse(given)));

/** Everybody on the list: found, added, brought back, taken off. */
export const newsletterDashboard = (deps: Deps) => {
  const { config, db, now } = deps;

  async function listFor(frame: Frame, given: Record<string, unknown>) {
    const query = Query.parse(given);
    const [{ rows, ...where }, counts, sources, scanned] = await Promise.all([
      desk.list(db, filterOf(query), query.sort, query),
      desk.counts(db),
      desk.sources(db),
      subscribers.countScanned(db),
    ]);
    const state = stateHere(query);
    const subscribeUrl = `${config.BASE_URL}/api/newsletter/subscribe`;
    return <SubscriberList {...{ frame, state, rows, counts, sources, scanned, subscribeUrl }} {...where} />;
  }

  /** The list as it was before the action, with what the action did to it. */
  async function doneWith(request: Request, notice: Notice) {
    const frame = await frameOf(deps, request);
    const query = queryBefore(request, path);
    return done(request, { frame, title, list: await listFor(frame, query), back: stateUrl(query), notice });
  }

  async function change(request: Request, bulk: SubscriberBulk) {
    const verb = { reactivate: desk.reactivate, delete: desk.remove }[bulk.do];
    const changed = await verb(db, selected(bulk), actorOf(request), now());
    return doneWith(request, { kind: "good", text: subscriberActions.resultMessage(bulk, changed) });
  }

  const changeOne = (request: Request, id: string, action: SubscriberBulk["do"]) =>
    change(request, SubscriberBulk.parse({ do: action, ids: id }));

  async function addOne(request: Request, body: unknown) {
    const values = z.record(z.string(), z.string()).catch({}).parse(body);
    const added = await add(deps, request, values);
    if (!("errors" in added)) return doneWith(request, { kind: "good", text: `${added.email} was added.` });
    const frame = await frameOf(deps, request);
    const form = <NewSubscriberForm frame={frame} values={values} errors={added.errors} />;
    return ask(request, { frame, title: "Add a subscriber", status: 422, children: form });
  }

  async function restore(request: Request) {
    const by = actorOf(request);
    const restored = await subscribers.restoreScanned(db, { via: "manager", actor: by.actor }, now());
    const details = { count: String(restored) };
    if (restored) await audit.note(db, { ...by, action: "subscriber.restore", details }, now());
    return doneWith(request, {
      kind: "good",
      text: `${plural(restored, "subscriber was", "subscribers were")} restored.`,
    });
  }

  async function carryOut(request: Request, bulk: SubscriberBulk) {
    const count = await desk.countChosen(db, selected(bulk));
    if (count === 0) return doneWith(request, { kind: "good", text: "Nobody was selected." });
    if (subscriberActions.isSure(bulk, count)) return change(request, bulk);
    const frame = await frameOf(deps, request);
    return subscriberActions.askFirst(request, bulk, { frame, count, action: `${path}/bulk`, cancel: path });
  }

  async function showOne(request: Request, id: string) {
    const [frame, subscriber] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
    if (!subscriber) return notThere(frame, "This subscriber is no longer on the list.", path);
    const [events, mails] = await Promise.all([desk.history(db, id), outboxDesk.about(db, id)]);
    const link = unsubscribeLink(config, subscriber.email);
    const content = <SubscriberPage {...{ frame, subscriber, events, mails }} unsubscribeLink={link} />;
    return show({ frame, title: subscriber.email }, content);
  }

  async function askToDelete(request: Request, id: string) {
    const [frame, subscriber] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
    if (!subscriber) return doneWith(request, { kind: "good", text: "Already deleted." });
    return ask(request, {
      frame,
      title: `Delete ${subscriber.email}?`,
      children: (
        <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete subscriber" cancel={path}>
          <p>
            The address is removed for good, with its name and source. It can subscribe again. This cannot be undone; to
            keep it without sending mail, leave it unsubscribed.
          </p>
        </Confirm>
      ),
    });
  }

  const csvFile = (request: Request, chosen: desk.Chosen) =>
    download(
      deps,
      request,
      { name: "subscribers", extension: "csv", action: "subscriber.export" },
      exportCsv(db, desk.batches(db, chosen)),
    );

  return pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const state = stateHere(Query.parse(query));
      return showList(request, {
        frame,
        title,
        head: <NewsletterHead state={state} />,
        list: await listFor(frame, query),
        beside: <FreshExports state={state} formats={exportFormats} />,
      });
    })
    .get("/new", async ({ request }) => {
      const frame = await frameOf(deps, request);
      return ask(request, { frame, title: "Add a subscriber", children: <NewSubscriberForm frame={frame} /> });
    })
    .post("/", ({ request, body }) => addOne(request, body))
    .post("/restore", ({ request }) => restore(request))
    .post("/bulk", ({ request, body }) => carryOut(request, body), { body: SubscriberBulk })
    .get("/export.csv", ({ request, query }) => csvFile(request, { matching: filterOf(Query.parse(query)) }))
    .post("/bulk/export", ({ request, body }) => csvFile(request, selected(body)), { body: selectionBody })
    .get("/:id", ({ request, params: { id } }) => showOne(request, id))
    .post("/:id/reactivate", ({ request, params: { id } }) => changeOne(request, id, "reactivate"))
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(request, id))
    .post("/:id/delete", ({ request, params: { id } }) => changeOne(request, id, "delete"));
};

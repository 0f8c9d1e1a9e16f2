import { z } from "zod";
import * as outbox from "../../db/outbox";
import * as desk from "../../db/subscriber-desk";
import * as subscribers from "../../db/subscribers";
import { Confirm } from "../../views/components/dialog";
import type { Frame, Notice } from "../../views/components/frame";
import { FreshExports, listUrl, plural } from "../../views/components/list";
import { exportFormats, NewsletterHead, SubscriberList } from "../../views/dashboard/newsletter";
import { NewSubscriberForm, SubscriberPage } from "../../views/dashboard/subscriber";
import type { Deps } from "../deps";
import { emailAddress, line, optional } from "../input";
import { actorOf } from "../security/session";
import { unsubscribeLink } from "../security/unsubscribe-link";
import { exportCsv } from "../subscribers-csv";
import { ask, done, notThere, queryBefore, show, showList } from "./answers";
import {
  answer,
  choice,
  exactly,
  fromFilter,
  isConfirmed,
  oneOf,
  pageNumber,
  perPage,
  search,
  stateOf,
  typing,
} from "./list-query";
import { frameOf, pages } from "./pages";

const path = "/dashboard/newsletter";
const title = "Newsletter";

/** What the URL says about the list. */
const Query = z.object({
  q: search,
  status: oneOf(["active", "unsubscribed"]),
  source: exactly,
  sort: z.enum(["joined", "-joined", "email", "-email"]).catch("-joined").default("-joined"),
  page: pageNumber,
  per: perPage,
});

const NewSubscriber = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

/** The form of the table: rows by their boxes, or all that match the filter. */
const Choice = z.object({
  ...choice,
  do: z.enum(["reactivate", "delete"]).catch("reactivate"),
  ...answer,
});
type Choice = z.output<typeof Choice>;

const filterOf = ({ q, status, source }: z.output<typeof Query>): desk.SubscriberFilter => ({
  q: q || undefined,
  state: status || undefined,
  source: source || undefined,
});

const chosenBy = ({ all, ids, filter }: Choice): desk.Chosen =>
  all ? { matching: filterOf(Query.parse(fromFilter(filter))) } : { ids };

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

  async function reactivate(request: Request, chosen: desk.Chosen) {
    const { changed, first } = await desk.reactivate(db, chosen, actorOf(request), now());
    if (!first) return doneWith(request, { kind: "good", text: "Nothing to do: they are active already, or gone." });
    const who = changed === 1 ? first.email : plural(changed, "subscriber");
    return doneWith(request, { kind: "good", text: `${who} will get the newsletter again.` });
  }

  async function remove(request: Request, chosen: desk.Chosen) {
    const { changed, first } = await desk.remove(db, chosen, actorOf(request), now());
    const text = !first
      ? "Already deleted."
      : changed === 1
        ? `${first.email} was deleted.`
        : `${plural(changed, "subscriber")} were deleted.`;
    return doneWith(request, { kind: "good", text });
  }

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
    .post("/", async ({ request, body }) => {
      const values = z.record(z.string(), z.string()).catch({}).parse(body);
      const added = await add(deps, request, values);
      if (!("errors" in added)) return doneWith(request, { kind: "good", text: `${added.email} was added.` });
      const frame = await frameOf(deps, request);
      const form = <NewSubscriberForm frame={frame} values={values} errors={added.errors} />;
      return ask(request, { frame, title: "Add a subscriber", status: 422, children: form });
    })
    .post("/restore", async ({ request }) => {
      const restored = await subscribers.restoreScanned(db, { via: "manager", actor: actorOf(request).actor }, now());
      return doneWith(request, {
        kind: "good",
        text: `${plural(restored, "subscriber was", "subscribers were")} restored.`,
      });
    })
    .post(
      "/bulk",
      async ({ request, body }) => {
        const chosen = chosenBy(body);
        const count = await desk.countChosen(db, chosen);
        if (count === 0) return doneWith(request, { kind: "good", text: "Nobody was selected." });
        const isSure = isConfirmed(body, count);
        if (isSure || (body.do === "reactivate" && count === 1))
          return body.do === "delete" ? remove(request, chosen) : reactivate(request, chosen);
        return confirmBulk(await frameOf(deps, request), request, body, count);
      },
      { body: Choice },
    )
    .get("/export.csv", ({ query }) => csvFile(deps, { matching: filterOf(Query.parse(query)) }))
    .post("/bulk/export", ({ body }) => csvFile(deps, chosenBy(body)), { body: Choice })
    .get("/:id", async ({ request, params: { id } }) => {
      const [frame, subscriber] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
      if (!subscriber) return notThere(frame, "This subscriber is no longer on the list.", path);
      const [events, mails] = await Promise.all([desk.history(db, id), outbox.about(db, id)]);
      const link = unsubscribeLink(config, subscriber.email);
      const content = <SubscriberPage {...{ frame, subscriber, events, mails }} unsubscribeLink={link} />;
      return show({ frame, title: subscriber.email }, content);
    })
    .post("/:id/reactivate", ({ request, params: { id } }) => reactivate(request, { ids: [id] }))
    .get("/:id/delete", async ({ request, params: { id } }) => {
      const [frame, subscriber] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
      if (!subscriber) return doneWith(request, { kind: "good", text: "Already deleted." });
      return ask(request, {
        frame,
        title: `Delete ${subscriber.email}?`,
        children: (
          <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete subscriber" cancel={path}>
            <p>
              The address is removed for good, with its name and source. It can subscribe again. This cannot be undone;
              to keep it without sending mail, leave it unsubscribed.
            </p>
          </Confirm>
        ),
      });
    })
    .post("/:id/delete", ({ request, params: { id } }) => remove(request, { ids: [id] }));
};

/** The chosen as a download, written while it is read: a list of any length takes little memory. */
function csvFile({ db, now }: Deps, chosen: desk.Chosen) {
  const rows = exportCsv(db, desk.batches(db, chosen));
  const name = `subscribers-${now().toISOString().slice(0, 10)}.csv`;
  return new Response(rows, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    },
  });
}

/** Adds the person, unless the form is wrong or the address is there already. An unsubscribed one is never revived by this. */
async function add({ db, now }: Deps, request: Request, values: Record<string, string>) {
  const parsed = NewSubscriber.safeParse(values);
  if (!parsed.success)
    return { errors: parsed.error.issues.map(({ path: at, message }) => ({ field: at.join("."), message })) };
  const known = await subscribers.byEmail(db, parsed.data.email);
  if (known) {
    const message =
      known.state === "active"
        ? "is subscribed already"
        : "unsubscribed earlier: find it in the list and reactivate it, if this person asked you to";
    return { errors: [{ field: "email", message }] };
  }
  const origin = { via: "manager" as const, actor: actorOf(request).actor };
  await subscribers.subscribe(db, parsed.data, origin, now(), { welcome: values.welcome === "yes" });
  return { email: parsed.data.email };
}

function confirmBulk(frame: Frame, request: Request, { ids, all, filter, do: verb, typed }: Choice, count: number) {
  const fields = { do: verb, filter, ...(all ? { all } : { ids }) };
  const asked = typing(count, typed, "subscribers");
  const isDelete = verb === "delete";
  const action = `${path}/bulk`;
  return ask(request, {
    frame,
    title: `${isDelete ? "Delete" : "Reactivate"} ${plural(count, "subscriber")}?`,
    status: asked.error ? 422 : 200,
    children: (
      <Confirm
        frame={frame}
        action={action}
        verb={`${isDelete ? "Delete" : "Reactivate"} ${plural(count, "subscriber")}`}
        cancel={path}
        fields={fields}
        {...asked}
      >
        <p>
          {isDelete
            ? "They are removed for good, and this cannot be undone. Export them first if you may need the addresses again."
            : "They will get the newsletter again. Only do this if they asked you to: writing to people who unsubscribed is against the law in many places."}
        </p>
      </Confirm>
    ),
  });
}

const stateHere = (query: z.output<typeof Query>) => stateOf(path, Query, query);

const stateUrl = (query: Record<string, string>) =>
  listUrl(stateHere(Query.parse(query)), query.page ? { page: query.page } : {});

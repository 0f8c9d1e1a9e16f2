import { z } from "zod";
import { hourMs } from "../../../db/lib/time";
import * as endpoints from "../../../db/webhooks/endpoints";
import { webhookEvents } from "../../../db/events/webhook-events";
import * as log from "../../../db/webhooks/deliveries";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl, plural } from "../../../views/components/list";
import { Deliveries } from "../../../views/dashboard/webhooks/deliveries";
import { EndpointHead, FreshEndpoint } from "../../../views/dashboard/webhooks/endpoint";
import { EndpointForm, NewSecret } from "../../../views/dashboard/webhooks/form";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { actorOf, requireFresh } from "../../security/session";
import { headersSent, makeSecret } from "../../webhooks/secrets";
import { oneOf, pageNumber, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { done, notThere, queryBefore, seeOther, showDialog, showList } from "../responses";
import { basisOf, endpointInputs, mergeEndpoint, readEndpoint, textsOf, Version } from "./form";
import { weeksOf } from "./webhooks";

type Endpoint = endpoints.Endpoint;
type EndpointFields = endpoints.EndpointFields;
type Handle = (endpoint: Endpoint) => Response | Promise<Response>;

const Query = z.object({ state: oneOf(["delivered", "queued", "retrying", "dead"]), page: pageNumber });
const Hours = z.object({ hours: z.coerce.number().int().min(1).max(720).catch(24) }).catch({ hours: 24 });
const good = (text: string): Notice => ({ kind: "good", text });
const changedBefore: Notice = { kind: "bad", text: "Someone else changed this endpoint. Nothing was changed." };
/** The endpoint as the form has it. */
const seenIn = ({ id }: Endpoint, body: unknown) => ({ id, ...Version.parse(body) });
const pathOf = ({ id }: Pick<Endpoint, "id">) => `${paths.webhooks}/${id}`;

/** `/dashboard/webhooks/:id`: one endpoint, and its deliveries of the last 30 days. */
export const endpointDashboard = (deps: Deps) => {
  /** Handles a request for an endpoint that exists. */
  const onEndpoint = async (request: Request, id: string, handle: Handle) => {
    const endpoint = await endpoints.byId(deps.db, id);
    return endpoint ? handle(endpoint) : gone(deps, request);
  };
  /** The same, if the manager confirmed their password recently. */
  const whenFresh = async (request: Request, id: string, handle: Handle) =>
    requireFresh(request, deps.now()) ?? onEndpoint(request, id, handle);
  return pages(`${paths.webhooks}/:id`, deps, forManagers)
    .get("/", ({ request, params: { id }, query }) =>
      onEndpoint(request, id, (endpoint) => showEndpoint(deps, request, endpoint, query)),
    )
    .get("/edit", ({ request, params: { id } }) =>
      whenFresh(request, id, (endpoint) => askToEdit(deps, request, endpoint)),
    )
    .post("/edit", ({ request, params: { id }, body }) =>
      whenFresh(request, id, (endpoint) => edit(deps, request, endpoint, body)),
    )
    .post("/ping", ({ request, params: { id } }) =>
      onEndpoint(request, id, (endpoint) => ping(deps, request, endpoint)),
    )
    .post("/on", ({ request, params: { id } }) =>
      onEndpoint(request, id, (endpoint) => turn(deps, request, endpoint, "on")),
    )
    .post("/off", ({ request, params: { id } }) =>
      onEndpoint(request, id, (endpoint) => turn(deps, request, endpoint, "off")),
    )
    .get("/rotate", ({ request, params: { id } }) =>
      whenFresh(request, id, (endpoint) => askToRotate(deps, request, endpoint)),
    )
    .post("/rotate", ({ request, params: { id }, body }) =>
      whenFresh(request, id, (endpoint) => rotate(deps, request, endpoint, body)),
    )
    .get("/remove", ({ request, params: { id } }) =>
      onEndpoint(request, id, (endpoint) => askToRemove(deps, request, endpoint)),
    )
    .post("/remove", ({ request, params: { id } }) =>
      onEndpoint(request, id, (endpoint) => remove(deps, request, endpoint)),
    )
    .post("/again", ({ request, params: { id }, body }) =>
      onEndpoint(request, id, (endpoint) => sendFailed(deps, request, endpoint, body)),
    )
    .post("/deliveries/:delivery/again", ({ request, params: { id, delivery } }) =>
      onEndpoint(request, id, (endpoint) => sendAgain(deps, request, endpoint, delivery)),
    );
};

const gone = async (deps: Deps, request: Request) =>
  notThere(await frameOf(deps, request), "This endpoint was removed.", paths.webhooks);

async function listFor({ config, db }: Deps, frame: Frame, endpoint: Endpoint, params: Record<string, unknown>) {
  const query = Query.parse(params);
  const filter = { endpointId: endpoint.id, status: query.state || undefined };
  const per = 50;
  const [deliveries, counts] = await Promise.all([
    log.list(db, filter, { page: query.page, per }),
    log.countByStatus(db, endpoint.id),
  ]);
  const state = stateOf(pathOf(endpoint), Query, query);
  const view = {
    frame,
    state,
    per,
    counts,
    isOn: endpoint.state === "on",
    types: { ...webhookEvents, ping: "A ping, to try the endpoint" },
    ...deliveries,
    headersOf: headersSent(config, endpoint),
  };
  return { state, counts, list: <Deliveries {...view} /> };
}

async function showEndpoint(deps: Deps, request: Request, endpoint: Endpoint, query: Record<string, unknown>) {
  const frame = await frameOf(deps, request);
  const { list, counts } = await listFor(deps, frame, endpoint, query);
  const weeks = await weeksOf(deps, endpoint.id);
  const week = { days: weeks.of(endpoint.id), max: weeks.max };
  const hasFailed = counts.dead + counts.retrying > 0;
  const failure = hasFailed ? await log.lastFailure(deps.db, endpoint.id) : undefined;
  const view = { frame, endpoint, week, hasFailed, failure };
  return showList(request, {
    frame,
    title: endpoint.name,
    extras: ["poll.js"],
    head: <EndpointHead {...view} />,
    list,
    beside: <FreshEndpoint {...view} />,
  });
}

type Again = { values: EndpointFields; errors: FieldError[] };

async function askToEdit(deps: Deps, request: Request, endpoint: Endpoint, again?: Again) {
  const frame = await frameOf(deps, request);
  const here = pathOf(endpoint);
  const about = { frame, action: `${here}/edit`, cancel: here, verb: "Save endpoint", types: webhookEvents };
  const form = (
    <EndpointForm
      {...about}
      inputs={endpointInputs(deps.config)}
      values={again?.values ?? endpoint}
      fields={basisOf(endpoint)}
      {...(again && { errors: again.errors })}
    />
  );
  return showDialog(request, { frame, title: `Edit “${endpoint.name}”`, status: again ? 422 : 200, children: form });
}

/** Saves the form, merged into what someone else saved in the meantime. */
async function edit(deps: Deps, request: Request, endpoint: Endpoint, body: unknown): Promise<Response> {
  const { fields, conflicts, isSaved } = mergeEndpoint(endpoint, body);
  if (isSaved) return seeOther(request, pathOf(endpoint), good(`Endpoint “${fields.name}” saved.`));
  if (conflicts.length) return askToEdit(deps, request, endpoint, { values: fields, errors: conflicts });
  const { input, errors } = readEndpoint(deps.config, { ...textsOf(fields), events: fields.events });
  if (errors) return askToEdit(deps, request, endpoint, { values: fields, errors });
  const result = await endpoints.edit(deps.db, { seen: endpoint, fields: input }, actorOf(request), deps.now());
  if (result.outcome === "conflict") return edit(deps, request, result.endpoint, body);
  if (result.outcome === "gone") return gone(deps, request);
  return seeOther(request, pathOf(endpoint), good(`Endpoint “${input.name}” saved.`));
}

async function ping({ db, now }: Deps, request: Request, endpoint: Endpoint) {
  const sent = await endpoints.ping(db, endpoint.id, actorOf(request), now());
  const off: Notice = { kind: "bad", text: "This endpoint is off. Turn it on to send a ping." };
  return seeOther(request, pathOf(endpoint), sent ? good("Ping queued. It is sent within a second.") : off);
}

async function turn({ db, now }: Deps, request: Request, endpoint: Endpoint, state: "on" | "off") {
  await endpoints.turn(db, { id: endpoint.id, state }, actorOf(request), now());
  return seeOther(request, pathOf(endpoint), good(`Endpoint “${endpoint.name}” turned ${state}.`));
}

async function askToRotate(deps: Deps, request: Request, endpoint: Endpoint) {
  const frame = await frameOf(deps, request);
  const about = {
    frame,
    cancel: pathOf(endpoint),
    verb: "Replace secret",
    fields: { version: String(endpoint.version) },
  };
  const children = (
    <Confirm {...about} action={`${pathOf(endpoint)}/rotate`}>
      <p>For 24 hours, calls are signed with the new and the previous secret. After that, only the new one is valid.</p>
    </Confirm>
  );
  return showDialog(request, { frame, title: `Replace the signing secret of “${endpoint.name}”?`, children });
}

async function rotate(deps: Deps, request: Request, endpoint: Endpoint, body: unknown) {
  const { config, db, now } = deps;
  const { secret, sealed } = makeSecret(config);
  const seen = seenIn(endpoint, body); // if the form is sent twice, the secret is replaced once
  const result = await endpoints.rotate(db, { seen, secret: sealed }, actorOf(request), now());
  if (result.outcome !== "changed") return seeOther(request, pathOf(endpoint), changedBefore);
  const frame = await frameOf(deps, request);
  const children = <NewSecret secret={secret} endpoint={endpoint} isRotation />;
  return showDialog(request, { frame, title: "Copy the signing secret", status: 201, dismiss: "by-button", children });
}

async function askToRemove(deps: Deps, request: Request, endpoint: Endpoint) {
  const frame = await frameOf(deps, request);
  const about = { frame, cancel: pathOf(endpoint), verb: "Remove endpoint" };
  const children = (
    <Confirm {...about} action={`${pathOf(endpoint)}/remove`}>
      <p>Its deliveries are removed too, also those that are waiting. This cannot be undone.</p>
    </Confirm>
  );
  return showDialog(request, { frame, title: `Remove “${endpoint.name}”?`, children });
}

async function remove({ db, now }: Deps, request: Request, { id, name }: Endpoint) {
  await endpoints.remove(db, id, actorOf(request), now());
  return seeOther(request, paths.webhooks, good(`Endpoint “${name}” removed.`));
}

async function sendFailed({ db, now }: Deps, request: Request, endpoint: Endpoint, body: unknown) {
  const since = new Date(now().getTime() - Hours.parse(body).hours * hourMs);
  const count = await log.redeliverFailed(db, { endpoint, since }, actorOf(request), now());
  const text = count
    ? `${plural(count, "delivery", "deliveries")} queued again.`
    : "No failed deliveries in this period.";
  return seeOther(request, pathOf(endpoint), good(text));
}

/** Responds with the list as it was, with the delivery queued again. */
async function sendAgain(deps: Deps, request: Request, endpoint: Endpoint, id: string) {
  const count = await log.redeliver(deps.db, { endpoint, id }, actorOf(request), deps.now());
  const frame = await frameOf(deps, request);
  const { list, state } = await listFor(deps, frame, endpoint, queryBefore(request, pathOf(endpoint)));
  const notice = count
    ? good("Delivery queued again.")
    : { kind: "bad" as const, text: "This delivery no longer exists." };
  return done(request, { frame, title: endpoint.name, list, back: listUrl(state, {}), notice });
}

import type { Orm } from "../../../db/engine/open";
import { webhookEvents } from "../../../db/events/webhook-events";
import { dayOf } from "../../../db/lib/time";
import * as endpoints from "../../../db/webhooks/endpoints";
import { callsByDay } from "../../../db/webhooks/deliveries";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { EndpointsPage } from "../../../views/dashboard/webhooks/endpoints";
import { EndpointForm, NewSecret } from "../../../views/dashboard/webhooks/form";
import type { CallDay } from "../../../views/dashboard/webhooks/week";
import { paths } from "../../../views/paths";
import { contextOf } from "../../platform/request-context";
import { issueOnce, submitOnce } from "../../security/forgery";
import { actorOf, managerFor, requireFresh } from "../../security/session";
import { makeSecret } from "../../webhooks/secrets";
import type { Deps } from "../deps";
import { typed } from "../form-input";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, show, showDialog } from "../responses";
import { asTyped, endpointInputs, readEndpoint } from "./form";

const path = paths.webhooks;
const alreadyShown = "That signing secret was already shown. Replace it if you did not save it.";
const limitReached = `The limit is ${endpoints.maxEndpoints} endpoints. Remove one first.`;

/** `/dashboard/webhooks`: the endpoints, and adding one, whose secret is shown once. */
export const webhooksDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request }) => showEndpoints(deps, request))
    .get("/new", ({ request }) => requireFresh(request, deps.now()) ?? askForNew(deps, request))
    .post("/", ({ request, body }) => requireFresh(request, deps.now()) ?? add(deps, request, body));

async function showEndpoints(deps: Deps, request: Request) {
  const [frame, rows, weeks] = await Promise.all([frameOf(deps, request), endpoints.list(deps.db), weeksOf(deps)]);
  const isFull = rows.length >= endpoints.maxEndpoints;
  const page = <EndpointsPage frame={frame} endpoints={rows} weeks={weeks} isFull={isFull} />;
  return show({ frame, title: "Webhooks" }, page);
}

const nothing: endpoints.EndpointFields = { name: "", url: "", events: [], withPeople: false };

async function askForNew(deps: Deps, request: Request, values = nothing, errors?: FieldError[]) {
  const frame = await frameOf(deps, request);
  const once = contextOf(request).isHead ? "" : await issueOnce(deps, managerFor(request).session);
  const about = { frame, action: path, cancel: path, verb: "Add endpoint", types: webhookEvents, values };
  const form = (
    <EndpointForm {...about} inputs={endpointInputs(deps.config)} fields={{ once }} {...(errors && { errors })} />
  );
  return showDialog(request, { frame, title: "Add endpoint", status: errors ? 422 : 200, children: form });
}

/** Adds an endpoint. The form's token is used up, so that sending it twice adds no second one. */
async function add(deps: Deps, request: Request, body: unknown) {
  const { config, now } = deps;
  const { input, errors } = readEndpoint(config, body);
  if (errors) return askForNew(deps, request, asTyped(body), errors);
  const { secret, sealed } = makeSecret(config);
  const work = (orm: Orm) => endpoints.addIn(orm, { fields: input, secret: sealed }, actorOf(request), now());
  const endpoint = await submitOnce(deps, managerFor(request).session, typed(body, "once"), work);
  if (endpoint === "used") return seeOther(request, path, { kind: "bad", text: alreadyShown });
  if (!endpoint) return seeOther(request, path, { kind: "bad", text: limitReached });
  return reveal(deps, request, endpoint, secret);
}

async function reveal(deps: Deps, request: Request, endpoint: endpoints.Endpoint, secret: string) {
  const frame = await frameOf(deps, request);
  const children = <NewSecret secret={secret} endpoint={endpoint} isRotation={false} />;
  return showDialog(request, { frame, title: "Copy the signing secret", status: 201, dismiss: "by-button", children });
}

const daysShown = 7;

type Weeks = {
  of: (endpointId: string) => CallDay[];
  /** The largest day of all of them, because they share a scale. */
  max: number;
};

/** The last seven days of all endpoints, or of one; days without calls are included. */
export async function weeksOf({ db, now }: Deps, endpointId?: string): Promise<Weeks> {
  const from = dayOf(now()) - daysShown + 1;
  const calls = await callsByDay(db, from, endpointId);
  const of = (id: string) =>
    Array.from({ length: daysShown }, (_, i): CallDay => {
      const counts = calls.find((call) => call.endpointId === id && call.day === from + i);
      return counts ?? { day: from + i, delivered: 0, retrying: 0, failed: 0 };
    });
  return { of, max: Math.max(0, ...calls.map(({ delivered, retrying, failed }) => delivered + retrying + failed)) };
}

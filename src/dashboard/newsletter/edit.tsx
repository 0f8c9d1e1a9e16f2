import { z } from "zod";
import { edit } from "../../../db/newsletter/edit";
import * as subscriberList from "../../../db/newsletter/list";
import { EditSubscriberForm } from "../../../views/dashboard/newsletter/edit-subscriber";
import type { Deps } from "../deps";
import { line } from "../../platform/text/schemas";
import { optional } from "../../http/request-schemas";
import { actorOf } from "../../security/session/session";
import { readForm } from "../form-input";
import { frameOf } from "../pages";
import { ask, seeOther } from "../responses";
import { doneWith } from "./list";
import { path } from "./query";

const Details = z.object({ name: optional(line({ max: 100 })), source: optional(line({ max: 100 })) });

/** Shows the form with a subscriber's name and source. */
export async function askForDetails(deps: Deps, request: Request, id: string) {
  const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
  if (!subscriber) return doneWith(deps, request, { kind: "good", text: "Already deleted." });
  const values = { name: subscriber.name ?? "", source: subscriber.source ?? "" };
  const form = <EditSubscriberForm frame={frame} id={id} values={values} />;
  return ask(request, { frame, title: `Edit ${subscriber.email}`, children: form });
}

/** Saves them, and returns to the subscriber's page. */
export async function saveDetails(deps: Deps, request: Request, id: string, body: unknown) {
  const values = z.record(z.string(), z.string()).catch({}).parse(body);
  const { input, errors } = readForm(Details, values);
  if (errors) {
    const frame = await frameOf(deps, request);
    const form = <EditSubscriberForm frame={frame} id={id} values={values} errors={errors} />;
    return ask(request, { frame, title: "Edit subscriber", status: 422, children: form });
  }
  const email = await edit(deps.db, id, input, actorOf(request), deps.now());
  if (!email) return doneWith(deps, request, { kind: "good", text: "Already deleted." });
  return seeOther(request, `${path}/${id}`, { kind: "good", text: `${email} saved.` });
}

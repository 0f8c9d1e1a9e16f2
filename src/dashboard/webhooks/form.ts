import { z } from "zod";
import type { Endpoint, EndpointFields } from "../../../db/webhooks/endpoints";
import { maxVerifySeconds, usualVerifySeconds } from "../../../db/webhooks/verify";
import { webhookTypes } from "../../../db/events/webhook-events";
import type { Config } from "../../platform/config";
import { field, inputsOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { maxUrlLength, urlTooLong, webhookTarget } from "../../webhooks/target";
import { readForm, typed, basis, basisIn, mergeFields } from "../form-input";

const eventTypes = new Set<string>(webhookTypes);

/** The ticked events: one, several or none. */
const Events = z
  .union([z.string(), z.array(z.string()).max(100)])
  .optional()
  .transform((ticked) => [...new Set([ticked ?? []].flat())].filter((type) => eventTypes.has(type)))
  .catch([]);

const Yes = z
  .string()
  .optional()
  .catch(undefined)
  .transform((value) => value === "yes");

/** How long an endpoint has to decide about an upload. */
const Seconds = z.coerce.number().int().min(1).max(maxVerifySeconds).catch(usualVerifySeconds);

const targetIn = (privateHosts: Config["WEBHOOK_PRIVATE_HOSTS"]) =>
  z
    .string()
    .trim()
    .max(maxUrlLength, { error: urlTooLong, abort: true })
    .transform((text, context) => {
      const target = webhookTarget(text, privateHosts);
      if ("url" in target) return target.url;
      context.addIssue({ code: "custom", message: target.problem });
      return z.NEVER;
    });

const formOf = ({ WEBHOOK_PRIVATE_HOSTS }: Pick<Config, "WEBHOOK_PRIVATE_HOSTS">) =>
  z.object({
    name: field(line({ min: 1, max: 60 }), { label: "Name" }),
    url: field(targetIn(WEBHOOK_PRIVATE_HOSTS), {
      label: "URL",
      type: "url",
      hint: "A public HTTPS address. Calls are signed; redirects are not followed.",
    }),
    events: Events,
    withPeople: Yes,
    verifySeconds: Seconds,
    acceptsUnanswered: Yes,
  });

/** The text fields of the form. */
export const endpointInputs = (config: Config) => inputsOf(formOf(config).pick({ name: true, url: true }));

/** Returns the values of an endpoint's form, or what has to be corrected. */
export const readEndpoint = (config: Config, body: unknown) => readForm<EndpointFields>(formOf(config), body);

const Ticks = z.object({ events: Events, withPeople: Yes, verifySeconds: Seconds, acceptsUnanswered: Yes });
const unticked = { events: [], withPeople: false, verifySeconds: usualVerifySeconds, acceptsUnanswered: false };

/** The form as filled in, to show it again. */
export function asTyped(body: unknown): EndpointFields {
  const { data } = Ticks.safeParse(body);
  return { name: typed(body, "name"), url: typed(body, "url"), ...(data ?? unticked) };
}

/** The fields as a form has them. */
export const textsOf = ({ name, url, events, withPeople, ...of }: EndpointFields) => ({
  name,
  url,
  events: events.join(", "),
  withPeople: withPeople ? "yes" : "",
  verifySeconds: String(of.verifySeconds ?? usualVerifySeconds),
  acceptsUnanswered: of.acceptsUnanswered ? "yes" : "",
});

/** The hidden fields of a form that edits this endpoint. */
export const basisOf = (endpoint: Endpoint) => ({ version: String(endpoint.version), ...basis(textsOf(endpoint)) });

export const Version = z.object({ version: z.coerce.number().int().catch(0) });

/** Merges a form that edits an endpoint into what someone else saved. */
export function mergeEndpoint(endpoint: Endpoint, body: unknown) {
  const theirs = textsOf(endpoint);
  const isCurrent = Version.parse(body).version === endpoint.version;
  const was = isCurrent ? theirs : basisIn(body, Object.keys(theirs));
  const { merged, conflicts } = mergeFields({ mine: textsOf(asTyped(body)), was, theirs });
  return {
    fields: asTyped({ ...merged, events: merged.events?.split(", ") }),
    conflicts,
    isSaved: !isCurrent && Bun.deepEquals(merged, theirs),
  };
}

import type { z } from "zod";
import * as subscribers from "../../db/newsletter/subscribers";
import type { Deps } from "./deps";
import { SubscriberFields, topicList, topics } from "../fields/subscriber";
import { bodyExample, limited, success, visitorParameters } from "../openapi/responses";
import { limits as limitOf, rateLimit } from "../security/limits/limits";
import { traces } from "../security/secrets";
import { onBehalfOfVisitors } from "../security/visitors";
import { contextOf } from "../platform/request-context";
import { api, ok, tryLater } from "./envelope";

export const Subscribe = SubscriberFields.extend({ topics }).meta({ id: "SubscribeInput" });
/** The same as an HTML form has it. */
export const SubscribeForm = SubscriberFields.extend({ topics: topicList });

export const subscribe = (deps: Deps) =>
  api("/api/newsletter", deps.log, onBehalfOfVisitors(deps, "form", rateLimit(deps.limits, limitOf.subscribe))).post(
    "/subscribe",
    ({ body, request }) => addSubscriber(deps, request, body),
    {
      parse: "json",
      body: Subscribe,
      detail: {
        operationId: "subscribe",
        summary: "Subscribe to the newsletter",
        description:
          "Idempotent, and changes nothing of an address that is already subscribed. 201: new or reactivated. 200: already subscribed. With the setting doubleOptIn, the subscription waits until the person confirms it by email; statuses and shape are the same, only the message differs; it also says if no further link may be sent to the address at the moment. The welcome email is sent in the background and does not affect the response. Owners can cap how many new subscribers the site accepts per hour; known addresses are not affected.",
        parameters: visitorParameters,
        requestBody: bodyExample({ email: "ada@example.com", name: "Ada Ferris", source: "blog" }),
        responses: {
          201: success("Subscription", "New or reactivated."),
          200: success("Subscription", "The address was already subscribed.", {
            alreadySubscribed: true,
            message: "You are already subscribed.",
          }),
          ...limited,
        },
      },
    },
  );

/** The result of subscribing. */
type Subscribed = { status: 200 | 201; confirmation: "sent" | "capped" | undefined; message: string };

const messages = { 200: "You are already subscribed.", 201: "Thank you for subscribing." };
const pendingMessages = {
  sent: "Thank you. Please confirm your subscription with the link in the email we have sent you.",
  capped:
    "Thank you. We have sent several emails to this address recently. Please try again later to get another link.",
};

/**
 * Subscribes a visitor. If the site accepts no more subscribers this hour, returns when it does again.
 *
 * @param terms see `subscribe`
 */
export async function subscribeVisitor(
  { config, db, now }: Pick<Deps, "config" | "db" | "now">,
  request: Request,
  input: z.infer<typeof Subscribe>,
  terms: { capsKnown?: boolean } = {},
): Promise<Subscribed | { opensAt: Date; at: Date }> {
  const origin = { via: "form" as const, ...traces(contextOf(request), config.APP_SECRET) };
  const at = now();
  const { changed, opensAt, confirmation } = await subscribers.subscribe(db, input, origin, at, terms);
  if (opensAt) return { opensAt, at };
  const status = changed ? 201 : 200;
  return { status, confirmation, message: confirmation ? pendingMessages[confirmation] : messages[status] };
}

async function addSubscriber(deps: Deps, request: Request, body: z.infer<typeof Subscribe>) {
  const result = await subscribeVisitor(deps, request, body);
  if ("opensAt" in result) return tryLater(request, result.opensAt, result.at);
  return ok({ alreadySubscribed: result.status === 200, message: result.message }, result.status);
}

import { z } from "zod";
import * as subscribers from "../../db/newsletter/subscribers";
import type { Deps } from "../boot/deps";
import { bodyExample, limited, success } from "../openapi/responses";
import { limits as limitOf, rateLimit } from "../security/rate-limit";
import { traces } from "../security/traces";
import { contextOf } from "../http/request-context";
import { api, ok, tryLater } from "./envelope";
import { line, optional } from "../http/request-schemas";
import { emailAddress } from "../http/email-address";

const Subscribe = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

export const subscribe = (deps: Deps) =>
  api("/api/newsletter", deps.log, rateLimit(deps.limits, limitOf.subscribe)).post(
    "/subscribe",
    ({ body, request }) => addSubscriber(deps, request, body),
    {
      parse: "json",
      body: Subscribe,
      detail: {
        summary: "Subscribe to the newsletter",
        description:
          "Idempotent. 201: new or reactivated. 200: already subscribed. The welcome email is sent in the background and does not affect the response. Owners can cap how many new subscribers the site accepts per hour; known addresses are not affected.",
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

async function addSubscriber({ config, db, now }: Deps, request: Request, body: z.infer<typeof Subscribe>) {
  const origin = { via: "form" as const, ...traces(contextOf(request), config.APP_SECRET) };
  const at = now();
  const { changed, opensAt } = await subscribers.subscribe(db, body, origin, at);
  if (opensAt) return tryLater(request, opensAt, at);
  return changed
    ? ok({ alreadySubscribed: false, message: "Thank you for subscribing." }, 201)
    : ok({ alreadySubscribed: true, message: "You are already subscribed." });
}

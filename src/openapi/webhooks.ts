import { webhookEvents } from "./event-schemas";
import type { Operation } from "./types";

const headers = [
  ["webhook-id", "The delivery’s ID, the same in every attempt."],
  ["webhook-timestamp", "Seconds since 1970 when this attempt was made. Refuse what is older than five minutes."],
  ["webhook-signature", "One signature (`v1,` and Base64) for each secret, separated by spaces."],
].map(([name = "", description = ""]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" as const },
}));

/** "post.published" is "onPostPublished". */
const operationIdOf = (type: string) =>
  `on${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;

/** The calls that the service makes to endpoints (docs/webhooks.md), as OpenAPI 3.1 describes them. */
export const webhooks: Record<string, { post: Operation }> = Object.fromEntries(
  webhookEvents.map(({ type, name, summary }) => [
    type,
    {
      post: {
        operationId: operationIdOf(type),
        tags: ["Webhooks"],
        summary,
        security: [],
        parameters: headers,
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
        },
        responses: {
          "2XX": { description: "The event arrived. Anything else, also a redirect, is tried again." },
          410: { description: "Turns the endpoint off." },
        },
      },
    },
  ]),
);

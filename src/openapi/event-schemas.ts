import { z } from "zod";
import { webhookEvents, type WebhookType } from "../../db/events/webhook-events";
import { subscriberEvents } from "../../db/schema/newsletter";
import { toJsonSchema } from "./json-schema";
import type { JsonSchema, OpenApi, Operation } from "./responses";

/* What webhooks send. Fields about people are there only for endpoints that may have them (docs/webhooks.md). */

const id = z.string().meta({ examples: ["019aa69f-31d2-7a55-9f80-0c6e2d1b8a47"] });
const size = z
  .int()
  .min(0)
  .meta({ description: "Size in bytes.", examples: [482_113] });
const text = (example: string) => z.string().meta({ examples: [example] });
const people = { description: "Only for endpoints added with people." };
const truncated = z.literal(true).optional().meta({ description: "A text was cut after 2,000 characters." });

/** Who it is about. */
const person = {
  email: text("ada@example.com").optional().meta(people),
  name: z
    .string()
    .nullable()
    .optional()
    .meta({ ...people, examples: ["Ada Ferris"] }),
};

const SubscriberEventData = z.object({
  id,
  via: z.enum(subscriberEvents.via.enumValues).meta({ description: "How it happened.", examples: ["form"] }),
  source: z
    .string()
    .nullable()
    .meta({ description: "Where the person subscribed.", examples: ["blog"] }),
  ...person,
  truncated,
});

const AudienceEventData = z.object({
  id,
  via: z.literal("manager"),
  count: z
    .int()
    .min(1)
    .meta({ description: "How many were changed.", examples: [1_000] }),
});

const SequenceEventData = z.object({
  id: id.meta({ description: "The sequence’s ID." }),
  title: text("A course in tides").meta({ description: "The sequence’s name." }),
  subscriberId: id,
  reason: z
    .enum(["left", "suppressed", "topic", "refused", "late"])
    .nullable()
    .meta({ description: "Why someone was stopped; null for the other events.", examples: ["left"] }),
  ...person,
  truncated,
});

const MessageEventData = z.object({
  id,
  source: z.string().meta({ description: "Which form it came from.", examples: ["landing"] }),
  email: text("ada@example.com").optional().meta(people),
  name: text("Ada Ferris").optional().meta(people),
  message: text("Hello, I liked the essay.").optional().meta(people),
  truncated,
});

const PostEventData = z.object({
  id,
  slug: text("release-notes-are-letters"),
  title: text("Release notes are letters"),
  publishedAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: "Null if the post was never scheduled.", examples: ["2026-11-19T08:00:00.000Z"] }),
  truncated,
});

const ProjectEventData = z.object({
  id,
  slug: text("stillwater"),
  title: text("Stillwater"),
  status: z.enum(["DRAFT", "PUBLISHED", "ARCHIVED"]).meta({ examples: ["PUBLISHED"] }),
  truncated,
});

const BroadcastEventData = z.object({
  id,
  slug: z
    .string()
    .nullable()
    .meta({ description: "Null unless the archive lists it.", examples: ["reading-code-aloud"] }),
  subject: text("Reading code aloud"),
  accepted: z
    .int()
    .min(0)
    .meta({ description: "Emails the provider accepted.", examples: [1204] }),
  truncated,
});

const UploadEventData = z.object({
  id,
  size,
});

const UploadRefusedEventData = z.object({
  id,
  size,
  reason: z
    .string()
    .nullable()
    .meta({ description: "What the endpoint said, if anything.", examples: ["EICAR test file"] }),
});

const UploadVerifyEventData = z.object({
  id,
  filename: text("harbour.jpg"),
  mimeType: text("image/jpeg"),
  size,
  folderPath: z.string().meta({ description: 'Empty ("") for outside any folder.', examples: ["photos/2026"] }),
  url: z.url().meta({
    description: "The bytes, signed, for five minutes.",
    examples: ["https://storage.example/postroom/…?X-Amz-Signature=…"],
  }),
  expiresAt: z.iso.datetime().meta({ description: "When the URL expires.", examples: ["2026-11-19T08:05:00.000Z"] }),
});

const AlertEventData = z.object({
  id: id.meta({ description: "The same when it is raised and cleared." }),
  name: z.string().meta({ description: "Which alert (docs/operations.md).", examples: ["certificate"] }),
  subject: z.string().meta({
    description: "Which host, node, broadcast or account it is about; empty if there is only one.",
    examples: ["example.com"],
  }),
  title: text("The certificate of example.com ends within 9 days"),
  detail: text("It is valid until 28 November 2026 at 08:00 UTC. Browsers then refuse to connect."),
  since: z.iso.datetime().meta({ description: "When it was first seen.", examples: ["2026-11-19T08:00:00.000Z"] }),
  truncated,
});

const PingEventData = z.object({
  id: id.meta({ description: "The endpoint’s ID.", examples: ["019aa69f-0a11-7b20-8c7e-31f0d9e4b6a5"] }),
});

type EventType = WebhookType | "ping";

const timestamp = z.iso.datetime().meta({ description: "When it happened.", examples: ["2026-11-19T08:00:00.000Z"] });

function schemaOf([first, ...others]: readonly [EventType, ...EventType[]], data: z.ZodObject): JsonSchema {
  const type = others.length ? z.enum([first, ...others]) : z.literal(first);
  return toJsonSchema(z.object({ type, timestamp, data }));
}

/** These events, and what each says. */
const told = (...types: WebhookType[]) => Object.fromEntries(types.map((type) => [type, webhookEvents[type]]));

/** Each event by its name in the document, with its types, and what each means. */
const events: { name: string; types: Partial<Record<EventType, string>>; data: z.ZodObject }[] = [
  {
    name: "SubscriberEvent",
    types: told(
      "subscriber.subscribed",
      "subscriber.confirmed",
      "subscriber.unsubscribed",
      "subscriber.reactivated",
      "subscriber.suppressed",
      "subscriber.deleted",
      "subscriber.updated",
      "subscriber.paused",
      "subscriber.resumed",
    ),
    data: SubscriberEventData,
  },
  {
    name: "AudienceEvent",
    types: told("audience.changed"),
    data: AudienceEventData,
  },
  {
    name: "SequenceEvent",
    types: told("sequence.entered", "sequence.finished", "sequence.stopped"),
    data: SequenceEventData,
  },
  { name: "MessageEvent", types: told("message.received"), data: MessageEventData },
  {
    name: "PostEvent",
    types: told("post.published", "post.updated", "post.unpublished"),
    data: PostEventData,
  },
  {
    name: "ProjectEvent",
    types: told("project.updated"),
    data: ProjectEventData,
  },
  { name: "BroadcastEvent", types: told("broadcast.sent"), data: BroadcastEventData },
  { name: "UploadEvent", types: told("upload.completed"), data: UploadEventData },
  {
    name: "UploadRefusedEvent",
    types: told("upload.refused"),
    data: UploadRefusedEventData,
  },
  {
    name: "UploadVerifyEvent",
    types: told("upload.verify"),
    data: UploadVerifyEventData,
  },
  {
    name: "AlertEvent",
    types: told("alert.raised", "alert.cleared"),
    data: AlertEventData,
  },
  { name: "PingEvent", types: { ping: "A manager sent a test" }, data: PingEventData },
];

const typesOf = ({ types }: (typeof events)[number]) => Object.keys(types) as [EventType, ...EventType[]];

/**
 * The payload of each event, by its name. They are bodies and no schemas, because programs that generate clients make
 * classes of every schema, although those clients receive no calls.
 */
export const eventBodies = (): OpenApi["components"]["requestBodies"] =>
  Object.fromEntries(
    events.map((event) => [
      event.name,
      { required: true, content: { "application/json": { schema: schemaOf(typesOf(event), event.data) } } },
    ]),
  );

/** Every event with the name of its schema and a line about it. */
const summaries = events.flatMap(({ name, types }) =>
  Object.entries(types).map(([type, summary]) => ({ type, name, summary })),
);

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

const decision = {
  type: "object" as const,
  properties: {
    accept: { type: "boolean" as const, description: "Whether the upload becomes a file." },
    reason: { type: "string" as const, description: "Why not, in up to 200 characters." },
  },
  required: ["accept"],
};

const responsesTo = (type: string): Operation["responses"] =>
  type === "upload.verify"
    ? {
        200: {
          description: "The decision. Anything else is tried again for 15 minutes.",
          content: { "application/json": { schema: decision } },
        },
      }
    : {
        "2XX": { description: "The event arrived. Anything else, also a redirect, is tried again." },
        410: { description: "Turns the endpoint off." },
      };

/** The calls that the service makes to endpoints (docs/webhooks.md), as OpenAPI 3.1 describes them. */
export const webhooks: OpenApi["webhooks"] = Object.fromEntries(
  summaries.map(({ type, name, summary }) => [
    type,
    {
      post: {
        operationId: operationIdOf(type),
        tags: ["Webhooks"],
        summary,
        security: [],
        parameters: headers,
        requestBody: { $ref: `#/components/requestBodies/${name}` },
        responses: responsesTo(type),
      },
    },
  ]),
);

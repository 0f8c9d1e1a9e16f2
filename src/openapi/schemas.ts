import { z } from "zod";
import { File } from "./file-schemas";
import { typedAs } from "../http/request-schemas";
import { eachDetail } from "../../db/newsletter/details";
import { statuses } from "../../db/newsletter/rules";
import type { ErrorCode } from "../security/refusal";
import { errorTexts } from "./docs-errors";

/** The responses of the service, as in spec part 2. Used by the document and its tests, not by requests. */
const time = z.iso.datetime().meta({ examples: ["2026-11-19T08:00:00.000Z"] });
const text = (example: string) => z.string().meta({ examples: [example] });
const count = (example: number, description: string) =>
  z
    .int()
    .min(0)
    .meta({ examples: [example], description });

export const Subscription = z
  .object({
    alreadySubscribed: z.boolean().meta({ description: "Whether the address was already subscribed." }),
    message: text("Thank you for subscribing."),
  })
  .meta({ id: "Subscription" });

export const Receipt = z
  .object({
    id: z.string().meta({ description: "Random ID.", examples: ["019aa6a0-8f6e-7c31-b2a4-5d0e9b7c1f02"] }),
    message: text("Thank you for your message."),
  })
  .meta({ id: "Receipt" });

const Tag = z.object({ name: text("Field notes"), slug: text("field-notes") }).meta({ id: "Tag" });

const post = {
  id: text("019aa69f-31d2-7a55-9f80-0c6e2d1b8a47"),
  slug: text("release-notes-are-letters"),
  title: text("Release notes are letters"),
  excerpt: text("Write to the person who reads this on a Tuesday with a broken build."),
  coverImage: z
    .string()
    .meta({ description: "Path or URL.", examples: ["/media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg"] }),
  publishedAt: time,
  readingTime: count(6, "In minutes."),
  author: text("Ada Ferris"),
  tags: z.array(Tag),
  views: count(1204, "Each visitor is counted once a day."),
  createdAt: time,
  updatedAt: time,
};
export const Post = z.object(post).meta({ id: "Post" });
const PostFile = z
  .object({
    id: text("019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974"),
    url: z.url().meta({
      description: "With `?w=640`, a picture comes in that width.",
      examples: ["https://example.com/media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg"],
    }),
    mimeType: text("image/jpeg"),
    ...File.pick({ width: true, height: true, alt: true, focus: true }).shape,
  })
  .meta({ id: "PostFile" });
export const FullPost = z
  .object({
    ...post,
    content: z.string().meta({ description: "MDX source.", examples: ["# Release notes are letters\n\n…"] }),
    files: z.array(PostFile).meta({
      description:
        "The files in Storage that its text and cover show or link to, in no order: look them up by ID. At most 500.",
    }),
  })
  .meta({ id: "FullPost" });
/** Where a post requested by a previous slug is now. */
export const Moved = z.object({ slug: text("release-notes-are-letters") }).meta({ id: "Moved" });
export const PostList = z
  .object({ count: count(1, "Number of items in this response."), posts: z.array(Post) })
  .meta({ id: "PostList" });

export const Project = z
  .object({
    id: text("019aa69f-4b80-7d14-8a3c-9f21c7e5d6b3"),
    slug: text("stillwater"),
    title: text("Stillwater"),
    description: text("Tide tables for small harbours."),
    imageUrl: text("/images/stillwater.jpg"),
    liveUrl: text("https://stillwater.example"),
    githubUrl: text("https://github.com/example/stillwater"),
    featured: z.boolean().meta({ examples: [true] }),
    status: z.literal("PUBLISHED"),
    clicks: count(87, "Each visitor is counted once a day."),
    tech: z.array(text("TypeScript")),
    author: text("Ada Ferris"),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Project" });
export const ProjectList = z
  .object({ count: count(1, "Number of items in this response."), projects: z.array(Project) })
  .meta({ id: "ProjectList" });

const broadcast = {
  id: text("019aa6a1-7c20-7b4e-9d15-3e8f0a6b2c94"),
  slug: text("reading-code-aloud"),
  subject: text("Reading code aloud"),
  excerpt: text("An hour a week, two chairs, no screen sharing."),
  sentAt: time,
  url: text("https://example.com/newsletter/reading-code-aloud"),
};
const Broadcast = z.object(broadcast).meta({ id: "Broadcast" });
export const FullBroadcast = z
  .object({ ...broadcast, text: text("Dear friend,\n\ntry it with a colleague and a cup of something warm.") })
  .meta({ id: "FullBroadcast" });
export const BroadcastList = z
  .object({ count: count(1, "Number of items in this response."), broadcasts: z.array(Broadcast) })
  .meta({ id: "BroadcastList" });

export const ErrorDetail = z
  .object({
    field: z.string().meta({ description: "The field, parameter or header concerned.", examples: ["email"] }),
    message: z.string().meta({ description: "For people.", examples: ["must be a valid email address"] }),
  })
  .meta({ id: "ErrorDetail" });

const Consent = z
  .object({
    how: text("Box ticked at checkout"),
    at: time.nullable().meta({ description: "When, if that was stated." }),
    url: text("https://shop.example/pay").nullable(),
  })
  .meta({ id: "Consent" });
const Suppression = z
  .object({
    reason: z
      .enum(["bounce", "complaint", "provider", "manual", "erased", "import"])
      .nullable()
      .meta({ examples: ["bounce"] }),
    at: time,
  })
  .meta({ id: "Suppression" });
const { name, ...details } = {
  ...eachDetail(() => z.string().nullable()),
  name: text("Ada Ferris").nullable(),
  source: text("shop").nullable(),
  language: text("es").nullable().meta({ description: "Null is the site’s." }),
  timeZone: text("Europe/Madrid").nullable().meta({ description: "Null is the site’s." }),
};
export const Subscriber = z
  .object({
    id: text("019aa69f-31d2-7a55-9f80-0c6e2d1b8a47"),
    email: text("ada@example.com"),
    name,
    status: z.enum(statuses).meta({ description: "Only who is `active` gets the next newsletter." }),
    ...details,
    tags: z.array(text("customer")),
    topics: z.array(text("recipes")).meta({ description: "Those that the person chose, by their names in links." }),
    fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
      id: "FieldValues",
      description: "Values by the keys of the site’s fields.",
      examples: [{ orders: 3 }],
    }),
    consent: Consent.nullable().meta({ description: "How the person agreed, as the site’s program or file said." }),
    joinedAt: time,
    confirmedAt: time.nullable(),
    unsubscribedAt: time.nullable().meta({ description: "When the person last left, also if they came back." }),
    pausedUntil: time.nullable(),
    suppression: Suppression.nullable().meta({ description: "Why the address gets no email." }),
    updatedAt: time,
  })
  .meta({ id: "Subscriber" });
const SubscriberOutcome = z
  .enum(["created", "known", "left", "suppressed", "blocked"])
  .meta({ id: "SubscriberOutcome" });
export const SubscriberResult = z
  .object({
    result: SubscriberOutcome,
    ignored: z.array(text("topics.recipes")).meta({
      description:
        "What was not stored: topics that the person left (`topics.recipes`), tags beyond those that a site can have (`tags.vip`), an unknown language (`language`).",
    }),
    subscriber: Subscriber.nullable().meta({ description: "Null if it is `blocked`, or was erased at this moment." }),
  })
  .meta({ id: "SubscriberResult" });
const BatchEntry = z
  .object({
    index: count(0, "Of the subscriber in the request."),
    result: z.union([SubscriberOutcome, z.literal("invalid")]),
    id: text("019aa69f-31d2-7a55-9f80-0c6e2d1b8a47").optional().meta({ description: "Absent if nothing is stored." }),
    ignored: z.array(text("topics.recipes")).optional(),
    details: z.array(ErrorDetail).optional().meta({ description: "Why it is `invalid`." }),
  })
  .meta({ id: "BatchEntry" });
export const BatchResult = z
  .object({ count: count(1, "Number of results."), results: z.array(BatchEntry) })
  .meta({ id: "BatchResult" });
export const ChangedSubscriber = z
  .object({ ignored: z.array(text("topics.recipes")), subscriber: Subscriber })
  .meta({ id: "ChangedSubscriber" });
export const ErasedSubscriber = z
  .object({
    id: text("019aa69f-31d2-7a55-9f80-0c6e2d1b8a47"),
    erasureId: text("019aa6a2-1c0b-7d3e-8a52-7f9d3b6e5c10").meta({ description: "Of the proof, in the dashboard." }),
  })
  .meta({ id: "ErasedSubscriber" });
export const SubscriberList = z
  .object({ count: count(1, "Number of items in this response."), subscribers: z.array(Subscriber) })
  .meta({ id: "SubscriberList" });

/* Fields that differ in their rules alone refer to one of these, so that generated clients have one type for them. */

export const Texts = z.record(z.string(), z.string()).meta({ id: "Texts", description: "Texts by their names." });
const changedNames = z.array(z.string()).nullish();
export const NameChanges = z.object({ add: changedNames, remove: changedNames }).meta({ id: "NameChanges" });

const settings = z.record(z.string(), z.string()).meta({
  ...typedAs("Texts"),
  examples: [{ siteTitle: "Ada Ferris", jobTitle: "Engineer", email: "ada@example.com" }],
});
export const Settings = z
  .object({ count: count(3, "Number of keys in this response."), settings, updatedAt: time })
  .meta({ id: "Settings" });

const Check = z
  .object({ ok: z.boolean().meta({ examples: [true] }), detail: z.string().optional() })
  .meta({ id: "Check" });
export const Health = z
  .object({ status: text("ok"), checks: z.record(z.string(), Check).meta({ id: "Checks" }).optional() })
  .meta({ id: "Health" });

/* The errors of the service (D5), as in its envelope. All have one shape: programs tell them apart by `code`. */

const AnyError = z
  .object({
    code: z.enum(Object.keys(errorTexts) as ErrorCode[]).meta({ examples: ["VALIDATION_ERROR"] }),
    message: z.string().meta({ description: "For people. Programs decide by `code`." }),
    details: z.array(ErrorDetail).optional().meta({ description: "Which fields are concerned, and why." }),
  })
  .meta({ id: "Error" });

export const Failure = z.object({ success: z.literal(false), data: z.null(), error: AnyError }).meta({ id: "Failure" });

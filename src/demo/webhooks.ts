import type { Db } from "../../db/engine/open";
import { addDeliveries, type DemoDelivery } from "../../db/ops/demo";
import { add } from "../../db/webhooks/endpoints";
import type { Config } from "../platform/config";
import { makeSecret } from "../webhooks/secrets";
import { by } from "./sending";

/* Two endpoints, of which one does not answer any more. Their names are reserved: they lead nowhere. */

const blog = {
  name: "Rebuild the blog",
  url: "https://builds.halvorsen.example/hooks/postroom",
  events: ["post.published", "post.updated", "post.unpublished", "project.updated"],
  withPeople: false,
};
const chat = {
  name: "Studio chat",
  url: "https://chat.halvorsen.example/incoming/letters",
  events: ["message.received", "broadcast.sent", "subscriber.subscribed"],
  withPeople: false,
};

type Before = (days: number) => Date;

const changes = ["post.published", "post.updated", "post.updated", "project.updated"] as const;
const news = ["subscriber.subscribed", "message.received", "subscriber.subscribed", "broadcast.sent"] as const;

export async function addWebhooks({ config, db }: { config: Config; db: Db }, before: Before): Promise<void> {
  for (const [fields, deliveries] of [[blog, toBlog(before)] as const, [chat, toChat(before)] as const]) {
    const endpoint = await add(db, { fields, secret: makeSecret(config).sealed }, by, before(64));
    if (endpoint) await addDeliveries(db, endpoint.id, deliveries);
  }
}

/** All delivered, one of them at the second attempt. */
const toBlog = (before: Before): DemoDelivery[] =>
  Array.from({ length: 36 }, (_, place) => ({
    type: changes[place % changes.length] ?? changes[0],
    state: "delivered" as const,
    attempts: place === 7 ? 2 : 1,
    status: place % 5 ? 202 : 200,
    ms: 90 + ((place * 53) % 240),
    at: before(30 - place * 0.82),
    data: { slug: "parsing-tide-tables-from-1893", version: place + 1 },
  }));

/** Delivered until two days ago. Since then, every attempt has failed. */
const toChat = (before: Before): DemoDelivery[] =>
  Array.from({ length: 58 }, (_, place) => {
    const isFailed = place >= 51;
    const hasAnswer = place % 3 > 0;
    return {
      type: news[place % news.length] ?? news[0],
      state: isFailed ? ("dead" as const) : ("delivered" as const),
      attempts: isFailed ? 9 : 1,
      status: isFailed ? (hasAnswer ? 503 : null) : 200,
      ms: isFailed ? (hasAnswer ? 410 : 15_000) : 60 + ((place * 37) % 140),
      error: isFailed && !hasAnswer ? "No answer within 15 seconds." : null,
      at: isFailed ? before(1.9 - (place - 51) * 0.27) : before(29 - place * 0.53),
      data: { source: "blog" },
    };
  });

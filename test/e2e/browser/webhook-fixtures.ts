import * as endpoints from "../../../db/webhooks/endpoints";
import { claim, settle } from "../../../db/webhooks/attempts";
import { webhookDeliveries } from "../../../db/schema/webhooks";
import { makeSecret } from "../../../src/webhooks/secrets";
import type { Stage } from "../../support/broadcasts/stage";

const by = { actor: "ada@example.com" };

/** An endpoint that works, one that fails and one that is off, with deliveries of every state. */
export async function addWebhookFixtures({ config, db, now }: Stage): Promise<Record<string, string>> {
  const add = (name: string, events: string[], withPeople = false) =>
    endpoints.add(
      db,
      {
        fields: { name, url: `https://${name}.example.com/hook`, events, withPeople },
        secret: makeSecret(config).sealed,
      },
      by,
      now(),
    );
  const build = await add("build", ["post.published", "post.updated"]);
  const sheet = await add("sheet", [], true);
  const chat = await add("chat", ["message.received"]);
  if (!build || !sheet || !chat) throw new Error("The stage is full");
  for (const { id } of [build, sheet, sheet, build]) await endpoints.ping(db, id, by, now());
  for (const claimed of await claim(db, now())) {
    const attempt =
      claimed.endpoint.id === build.id ? { status: 200, ms: 214 } : { status: 500, ms: 88, text: "E".repeat(200) };
    await settle(db, claimed, attempt, { notify: undefined, random: 0, now: now() });
  }
  await endpoints.turn(db, { id: chat.id, state: "off" }, by, now());
  return {
    webhooks: "/dashboard/webhooks",
    "new endpoint": "/dashboard/webhooks/new",
    endpoint: `/dashboard/webhooks/${build.id}`,
    "failing endpoint": `/dashboard/webhooks/${sheet.id}`,
    "edit an endpoint": `/dashboard/webhooks/${sheet.id}/edit`,
    "remove an endpoint": `/dashboard/webhooks/${chat.id}/remove`,
  };
}

/** Fifty messages, as long as they may be, that an endpoint was told of. */
export async function fillDeliveries({ db, now }: Stage): Promise<void> {
  const sheet = (await endpoints.list(db)).find(({ name }) => name === "sheet");
  if (!sheet) throw new Error("There is no such endpoint");
  const words = "the harbour boats which leave again before anyone has counted them and nobody minds that".split(" ");
  const rows = Array.from({ length: 50 }, (_, i) => {
    const message = Array.from({ length: 400 }, (_, n) => words[(n * n + i * 7) % words.length]).join(" ");
    const body = { type: "message.received", timestamp: now().toISOString(), data: { id: `m${i}`, message } };
    const sent = { type: body.type, body: JSON.stringify(body), attempts: 1, attemptedAt: now() };
    return { endpointId: sheet.id, subjectId: `m${i}`, state: "delivered" as const, status: 200, ms: 9, ...sent };
  });
  const times = { nextAttemptAt: now(), createdAt: now() };
  await db.write((orm) =>
    orm
      .insert(webhookDeliveries)
      .values(rows.map((row) => ({ ...row, ...times })))
      .run(),
  );
}

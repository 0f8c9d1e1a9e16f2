import * as endpoints from "../../../db/webhooks/endpoints";
import { claim, settle } from "../../../db/webhooks/deliveries";
import type { Stage } from "../../support/broadcasts/stage";

const by = { actor: "ada@example.com" };

/** An endpoint that works, one that fails and one that is off, with deliveries of every state. */
export async function addWebhookFixtures({ db, now }: Stage): Promise<Record<string, string>> {
  const add = (name: string, events: string[], withPeople = false) =>
    endpoints.add(
      db,
      { fields: { name, url: `https://${name}.example.com/hook`, events, withPeople }, secret: "sealed" },
      by,
      now(),
    );
  const build = await add("build", ["post.published", "post.updated"]);
  const sheet = await add("sheet", [], true);
  const chat = await add("chat", ["message.received"]);
  if (!build || !sheet || !chat) throw new Error("The stage is full");
  for (const { id } of [build, sheet, sheet, build]) await endpoints.ping(db, id, by, now());
  for (const claimed of await claim(db, now())) {
    const attempt = claimed.endpoint.id === build.id ? { status: 200, ms: 214 } : { status: 500, ms: 88 };
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

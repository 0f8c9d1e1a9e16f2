import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import * as endpoints from "../../../db/webhooks/endpoints";
import { keep } from "../../../db/pending-imports";
import * as subscribers from "../../../db/newsletter/subscribers";
import { add as suppress } from "../../../db/suppressions/suppressions";
import { makeSecret } from "../../../src/webhooks/secrets";
import { newSecret } from "../../../src/platform/webhook-signature";
import { broadcastStage } from "./broadcasts";
import { look } from "../look";
import { temporaryFolder } from "../processes";
import { testService } from "../service";

/** Someone with a name, an address and a message that no one else has. */
export const zebulon = {
  email: "Zebulon.Quux@Example.com",
  name: "Zebulon Quuxington",
  message: "A peculiar sentence about quinces, written once.",
};
export const traces = ["zebulon.quux", "quuxington", "peculiar sentence", "quinces"];

/** Someone else, whose data must all stay. */
export const other = {
  email: "bada@example.com",
  name: "Bada Other",
  message: "Something else that has to stay here.",
};

/**
 * A service with everything that an address can leave behind: an edited subscription; emails, one of them bounced;
 * messages, one in the trash; broadcasts; webhooks with people; audit entries; a waiting import; a notice; a saved
 * view.
 */
export async function serviceWithPerson(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const file = join(folder.path, "postroom.sqlite");
  const webhookSecret = newSecret();
  const config = { DATA_DIR: folder.path, MAILER_WEBHOOK_SECRET: webhookSecret, ...env };
  const service = await testService(config, file);
  const { db, clock, now, post } = service;
  const { sealed } = makeSecret(service.config);
  const hook = { name: "Blog", url: "https://hooks.example/", events: [], withPeople: true };
  await endpoints.add(db, { fields: hook, secret: sealed }, { actor: "owner@example.com" }, now());
  const manager = await service.signIn();

  /** The provider reports something, signed. */
  const report = (id: string, type: string, data: Record<string, unknown>) => {
    const body = JSON.stringify({ type, created_at: now().toISOString(), data });
    const seconds = String(Math.floor(now().getTime() / 1_000));
    const signature = new Webhook(webhookSecret).sign(id, now(), body);
    return post("/api/webhooks/resend", body, {
      "svix-id": id,
      "svix-timestamp": seconds,
      "svix-signature": signature,
    });
  };

  async function arrive({ email, name, message }: typeof zebulon) {
    clock.time += 1_000;
    await post("/api/newsletter/subscribe", { email, name, source: "blog" });
    for (const text of [message, `${message} Again.`]) await post("/api/contact", { name, email, message: text });
    clock.time += 1_000;
    const id = (await subscribers.byEmail(db, email))?.id ?? "";
    await manager.submit(`/dashboard/newsletter/${id}/edit`, { name: `${name} II`, source: "fair" });
    const [message1] = await look<{ id: string }>(db, "select id from messages where lower(email) = lower(?) limit 1", [
      email,
    ]);
    await manager.submit("/dashboard/contact/bulk", { do: "trash", ids: message1?.id ?? "" });
    await manager.submit("/dashboard/views", {
      list: "/dashboard/outbox",
      query: String(new URLSearchParams({ q: email })),
      name: `Emails to ${email}`,
    });
  }
  await arrive(other);
  await arrive(zebulon);

  const stage = await broadcastStage({ db });
  stage.clock.time = clock.time;
  const broadcastId = await stage.confirmed();
  await stage.sender().drain();
  const [recipient] = await look<{ row: number }>(
    db,
    `select broadcast_recipients."row" from broadcast_recipients join subscribers on subscribers."row" = subscriber_row
      where email = ?`,
    [zebulon.email],
  );
  const tags = { postroom_b: broadcastId, postroom_r: String(recipient?.row) };
  const bounce = { type: "Permanent", subType: "General", message: `550 <${zebulon.email}> unknown` };
  await report("msg_1", "email.bounced", { to: [zebulon.email], tags, bounce });
  await suppress(db, { email: "cy@example.com", detail: undefined }, { via: "cli", actor: "cli" }, now());
  const csv = { name: "list.csv", bytes: Buffer.from(`email,name\n${zebulon.email},${zebulon.name}\n`) };
  await keep(db, "subscribers", { hash: "0".repeat(64), sessionId: manager.session.id, files: [csv] }, now());
  clock.time += 60_000;
  stage.clock.time = clock.time;
  const logFile = join(folder.path, "erasures.log");
  return { ...service, broadcastId, file, folder, logFile, manager, report, stage, tags };
}

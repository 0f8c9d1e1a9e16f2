import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import * as subscribers from "../../../db/newsletter/subscribers";
import { set } from "../../../db/settings/settings";
import { broadcastStage } from "../../../test/support/broadcasts/broadcasts";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { confirmLink } from "../../security/links/confirm";
import { newSecret } from "../../webhooks/signature";

test("somebody signs up, confirms, gets a broadcast, bounces, and is skipped by the next one", async () => {
  const secret = newSecret();
  const service = await testService({ MAILER_WEBHOOK_SECRET: secret });
  const { db, now, post, send, config } = service;
  await set(db, "doubleOptIn", "true", { by: "cli" }, now());
  for (const name of ["ada", "bo", "pending"])
    await post("/api/newsletter/subscribe", { email: `${name}@example.com` });
  for (const name of ["ada", "bo"]) {
    const email = `${name}@example.com`;
    const askedAt = (await subscribers.byEmail(db, email))?.pendingAt ?? new Date(0);
    expect((await send(confirmLink(config, email, askedAt), { method: "POST" })).status).toBe(303);
  }

  const stage = await broadcastStage({ db });
  stage.clock.time = service.clock.time;
  const recipientsOf = async (id: string) =>
    await look<{ row: number; email: string }>(
      db,
      `select broadcast_recipients."row", email from broadcast_recipients
        join broadcasts on broadcasts."row" = broadcast_row join subscribers on subscribers."row" = subscriber_row
        where broadcasts.id = ? order by email`,
      [id],
    );
  const first = await stage.confirmed();
  await stage.sender().drain();
  const got = await recipientsOf(first);
  expect(got.map(({ email }) => email)).toEqual(["ada@example.com", "bo@example.com"]);

  const body = JSON.stringify({
    type: "email.bounced",
    created_at: now().toISOString(),
    data: {
      to: ["ada@example.com"],
      tags: { postroom_b: first, postroom_r: String(got[0]?.row) },
      bounce: { type: "Permanent", subType: "General", message: "550 5.1.1 No such user" },
    },
  });
  const headers = {
    "svix-id": "msg_1",
    "svix-timestamp": String(Math.floor(now().getTime() / 1_000)),
    "svix-signature": new Webhook(secret).sign("msg_1", now(), body),
  };
  expect((await post("/api/webhooks/resend", body, headers)).status).toBe(200);
  expect(await stage.broadcast(first)).toMatchObject({ bounced: 1 });

  const second = await stage.confirmed();
  await stage.sender().drain();
  expect((await recipientsOf(second)).map(({ email }) => email)).toEqual(["bo@example.com"]);
});

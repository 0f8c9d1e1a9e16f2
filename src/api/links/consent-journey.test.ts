import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import * as subscribers from "../../../db/newsletter/subscribers";
import { set } from "../../../test/support/settings";
import { broadcastStage } from "../../../test/support/broadcasts/broadcasts";
import { everything, look } from "../../../test/support/look";
import { temporaryFolder } from "../../../test/support/processes";
import { testService } from "../../../test/support/service";
import { importCsv, recognised } from "../../content/csv/subscribers";
import { confirmLink } from "../../security/links";
import { newSecret } from "../../platform/webhook-signature";

test("someone signs up, confirms, gets a broadcast, bounces, is skipped, asks for their data, is erased and stays away", async () => {
  using folder = temporaryFolder();
  const secret = newSecret();
  const service = await testService({ MAILER_WEBHOOK_SECRET: secret, DATA_DIR: folder.path });
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
  const reported = "select bounced_at is not null as is_so from broadcast_recipients where bounced_at is not null";
  expect(await look(db, reported)).toHaveLength(1);

  const second = await stage.confirmed();
  await stage.sender().drain();
  expect((await recipientsOf(second)).map(({ email }) => email)).toEqual(["bo@example.com"]);

  const manager = await service.signIn();
  const address = encodeURIComponent("ada@example.com");
  const person = await (await manager.get(`/dashboard/people/export.json?address=${address}`)).json();
  expect(person).toMatchObject({
    ...{ subscription: { status: "suppressed" }, suppression: { reason: "bounce" } },
    broadcasts: [{ subject: "News", bouncedAt: expect.any(String) }],
  });
  const whole = { subscription: "yes", messages: "yes", suppression: "yes" };
  const fields = { ...whole, address: "ada@example.com", typed: "ada@example.com" };
  expect((await manager.submit("/dashboard/people/erase", fields)).status).toBe(303);
  const list = await recognised(() => new Blob(["email\nada@example.com\n"]).stream(), "list.csv");
  const terms = { revive: true, consent: "Signed up elsewhere", origin: { via: "import" as const } };
  expect(await importCsv(db, list, terms, now())).toMatchObject({ new: 0, erased: 1 });
  expect(await everything(db)).not.toContain("ada@example.com");
});

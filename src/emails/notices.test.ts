import { expect, test } from "bun:test";
import * as endpoints from "../../db/webhooks/endpoints";
import { broadcastStage, by } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { compose } from "./compose";

test("the owner, and a webhook, read the subject as the page of the broadcast has it: without merge fields", async () => {
  const stage = await broadcastStage({ people: 1 });
  const { db, config } = stage;
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: false };
  await endpoints.add(db, { fields: endpoint, secret: "sealed" }, by, stage.now());
  await stage.confirmed();
  await look(db, `update broadcasts set subject = 'Rain for {name, "my friend"}, {name}'`);
  const sender = stage.sender();
  await sender.drain();
  await sender.close();
  const [{ body = "{}" } = {}] = await look<{ body: string }>(db, "select body from webhook_deliveries");
  expect(JSON.parse(body)).toMatchObject({ type: "broadcast.sent", data: { subject: "Rain for my friend," } });
  const [mail] = await look<{ id: string; subject_id: string }>(db, "select * from outbox where kind = 'notice'");
  const notice = { ...mail, subjectId: mail?.subject_id, payload: { about: "sent" }, createdAt: stage.now() };
  const letter = await compose({ config, db }, notice as never);
  expect(letter?.subject).toBe("Sent: Rain for my friend,");
  for (const part of [letter?.html, letter?.text]) expect(part).not.toContain("{name");
  expect(letter?.text).toContain("The broadcast was sent. Of 1 recipient: 1 email simulated.");
  await db.close();
});

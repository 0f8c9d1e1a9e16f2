import { expect, test } from "bun:test";
import { broadcastStage } from "../../test/support/broadcasts/broadcasts";
import { look } from "../../test/support/look";
import { openDb } from "../open";
import * as projectBulk from "../projects/list";
import * as projects from "../projects/projects";
import * as nodeEdits from "../storage/nodes/edit";
import * as reservations from "../storage/reservations";
import * as uploads from "../storage/uploads";
import type { Db } from "../engine/open";
import * as endpoints from "../webhooks/endpoints";
import { emit } from "./webhook-events";
import { uploadOf } from "../../test/support/storage/upload-rows";

const by = { actor: "ada@example.com" };
const now = new Date("2026-11-22T12:00:00Z");
const fields = { name: "Blog", url: "https://example.com/", events: [], withPeople: true };
const told = async (db: Db) =>
  (await look(db, "select body from webhook_deliveries order by id")).map(({ body }) => JSON.parse(String(body)));

test("a sent broadcast, a stored file and any change of a project are reported", async () => {
  const stage = await broadcastStage({ people: 3 });
  await endpoints.add(stage.db, { fields, secret: "sealed" }, by, now);
  const id = await stage.confirmed();
  const sender = stage.sender();
  await sender.drain();
  await sender.close();
  const [sent] = await told(stage.db);
  expect(sent).toMatchObject({ type: "broadcast.sent", data: { id } });

  const db = await openDb(":memory:");
  await endpoints.add(db, { fields, secret: "sealed" }, by, now);
  const location = { endpoint: "https://s3.example", publicEndpoint: "https://s3.example", bucket: "uploads" };
  const node = { name: "attic", region: "r", accessKey: "a", secret: "sealed", ...location };
  await nodeEdits.add(db, { ...node, capacityBytes: 1_000, maxPutBytes: 1e12 }, by, now);
  const file = { filename: "secret plan.txt", mimeType: "text/plain", folderPath: "", size: 10 };
  const taken = await reservations.reserve(db, file, { tried: [] }, now);
  const upload = taken.outcome === "reserved" ? taken.upload.id : "";
  await uploads.markOpen(db, { id: upload, providerUploadId: "provider's id" }, now);
  await uploads.startCompleting(db, await uploadOf(db, upload));
  const completing = await uploadOf(db, upload);
  for (let i = 0; i < 2; i++) await uploads.settle(db, completing, { state: "completed" }, now);
  const project = {
    ...{ title: "P", slug: "p", description: "", imageUrl: "", liveUrl: "", githubUrl: "" },
    ...{ featured: false, status: "DRAFT" as const, tech: [], author: "" },
  };
  const made = await projects.create(db, project as never, by, now);
  const projectId = made.outcome === "saved" ? made.project.id : "";
  await projectBulk.applyAction(db, { action: "publish", selection: { ids: [projectId] } }, by, now);
  await projectBulk.applyAction(db, { action: "trash", selection: { ids: [projectId] } }, by, now);
  expect(await told(db)).toMatchObject([
    { type: "upload.completed", timestamp: now.toISOString(), data: { id: upload, size: 10 } },
    ...["DRAFT", "PUBLISHED", "PUBLISHED"].map((status) => ({ type: "project.updated", data: { slug: "p", status } })),
  ]);
});

test("there are at most twenty endpoints, and what is rolled back is not reported", async () => {
  const db = await openDb(":memory:");
  for (let i = 0; i < 20; i++) expect(await endpoints.add(db, { fields, secret: "sealed" }, by, now)).toBeDefined();
  expect(await endpoints.add(db, { fields, secret: "sealed" }, by, now)).toBeUndefined();
  await db
    .write(async (orm) => {
      await emit(orm, { type: "post.published", data: { id: "p" } }, now);
      throw new Error("undone");
    })
    .catch(() => undefined);
  expect(await told(db)).toEqual([]);
});

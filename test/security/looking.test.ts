import { expect, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { store } from "../support/storage/stored-files";
import { testService } from "../support/service";
import { everything, look } from "../support/look";

/** A service with one of everything that a path can identify, and its ID. */
async function furnished() {
  const service = await testService();
  const { db, key, now, post } = service;
  const [file = ""] = await store(service, { filename: "a.png", mimeType: "image/png" });
  const keyed = await key();
  const wanted = { filename: "b.bin", mimeType: "video/mp4", size: 5 };
  const answer = await post("/api/v1/storage/upload", wanted, keyed);
  const { data } = (await answer.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
  await fetch(data.uploadUrl, { method: "PUT", body: "12345" }); // the next poll finds it complete
  await posts.save(db, { slug: "a", title: "A", content: `/media/${file}/a.png`, published: true }, now());
  await projects.save(db, { slug: "a", title: "A", status: "PUBLISHED", liveUrl: "https://a.example" }, now());
  const idIn = async (table: string) => (await look<{ id: string }>(db, `select id from ${table}`))[0]?.id ?? "";
  const manager = await service.signIn();
  const mine = { ...wanted, folderPath: "", multipart: true };
  const { id = "" } = (await service
    .send("/dashboard/storage/uploads", {
      method: "POST",
      headers: { ...manager.headers, "content-type": "application/json", "x-form-token": manager.token },
      body: JSON.stringify(mine),
    })
    .then((reserved) => reserved.json())) as { id?: string };
  return { ...service, keyed, manager, file, mine: id, uploading: data._meta.reservationId, idIn };
}

test("HEAD of whatever there is changes nothing, for a manager with a key: a look at a node could (D9)", async () => {
  const here = await furnished();
  const { app, clock, counters, db, send } = here;
  const ids: [RegExp, string][] = [
    [/^\/dashboard\/storage\/uploads/, here.mine],
    [/^\/api\/v1\/storage\/uploads/, here.uploading],
    [/^\/dashboard\/storage\/nodes/, await here.idIn("storage_nodes")],
    [/^\/dashboard\/posts/, await here.idIn("posts")],
    [/^\/dashboard\/projects/, await here.idIn("projects")],
    [/./, here.file],
  ];
  expect(ids.filter(([, id]) => !id)).toEqual([]);
  clock.time += 10 * 60_000;
  await counters.flush();
  await db.settled();
  const before = await everything(db);
  const heard: Record<number, number> = {};
  for (const { method, path } of await app.routes()) {
    if (method !== "GET") continue;
    const id = ids.find(([pattern]) => pattern.test(path))?.[1] ?? "";
    const asked = path.replace(":id", id).replace(/:\w+/, "a");
    const headers = { ...here.keyed, ...here.manager.headers };
    const { status } = await send(asked, { method: "HEAD", headers });
    heard[status] = (heard[status] ?? 0) + 1;
    await counters.flush();
    await db.settled();
    expect([asked, await everything(db)]).toEqual([asked, before]);
  }
  expect(heard[200]).toBeGreaterThan(50);
  expect(heard[500]).toBeUndefined();
});

import { expect, test } from "bun:test";
import { openDb } from "../../open";
import * as inventory from "./inventory";
import * as nodeEdits from "./edit";
import { uploads } from "../../schema/storage";
import { look } from "../../../test/support/look";

test("every file of a node is read, page after page, in the order of the keys; nothing of another node", async () => {
  const db = await openDb(":memory:");
  const now = new Date("2026-11-21T12:00:00Z");
  const common = { endpoint: "https://s3.example", publicEndpoint: "https://s3.example", region: "r", bucket: "b" };
  const wanted = { ...common, accessKey: "a", secret: "s", capacityBytes: 1e9, maxPutBytes: 1e9 };
  const add = async (name: string) => (await nodeEdits.add(db, { ...wanted, name }, { actor: "test" }, now))?.id ?? "";
  const [here, there] = [await add("here"), await add("there")];
  await look(db, "insert into folders (id, path, created_at) values ('root', '', 0)");
  const file = (id: string, nodeId: string, objectKey: string, state: "aborted" | "completed" = "completed") => ({
    ...{ id, nodeId, objectKey, state, folderId: "root", filename: "a", mimeType: "text/plain", size: 1 },
    ...{ nextCheckAt: now, holdUntil: now },
  });
  await db.write(async (orm) => {
    for (let i = 0; i < 2_500; i++)
      await orm
        .insert(uploads)
        .values(file(`h${i}`, here, `u/${i}`, i === 7 ? "aborted" : "completed"))
        .run();
    await orm
      .insert(uploads)
      .values(file("t", there, "u/1x"))
      .run();
  });
  const keys = (await Array.fromAsync(inventory.storedObjects(db, here))).map(({ objectKey }) => objectKey);
  const expected = Array.from({ length: 2_500 }, (_, i) => `u/${i}`).filter((key) => key !== "u/7");
  expect(keys).toEqual(expected.sort());
});

import { expect, test } from "bun:test";
import { openDb } from "../open";
import * as inventory from "./inventory";
import * as nodeEdits from "./nodes-edit";

test("every file of a node is read, page after page, in the order of the keys; nothing of another node", async () => {
  const db = await openDb(":memory:");
  const now = new Date("2026-11-21T12:00:00Z");
  const common = { endpoint: "https://s3.example", publicEndpoint: "https://s3.example", region: "r", bucket: "b" };
  const wanted = { ...common, accessKey: "a", secret: "s", capacityBytes: 1e9, maxPutBytes: 1e9 };
  const add = async (name: string) => (await nodeEdits.add(db, { ...wanted, name }, { actor: "test" }, now))?.id ?? "";
  const [here, there] = [await add("here"), await add("there")];
  db.sqlite.run("insert into folders (id, path, created_at) values ('root', '', 0)");
  const insert = db.sqlite.query(
    `insert into uploads (id, node_id, folder_id, object_key, filename, mime_type, size, state, next_check_at, hold_until, created_at)
     values (?, ?, 'root', ?, 'a', 'text/plain', 1, ?, 0, 0, 0)`,
  );
  db.sqlite.transaction(() => {
    for (let i = 0; i < 2_500; i++) insert.run(`h${i}`, here, `u/${i}`, i === 7 ? "aborted" : "completed");
    insert.run("t", there, "u/1x", "completed");
  })();
  const keys = (await Array.fromAsync(inventory.storedObjects(db, here))).map(({ objectKey }) => objectKey);
  const expected = Array.from({ length: 2_500 }, (_, i) => `u/${i}`).filter((key) => key !== "u/7");
  expect(keys).toEqual(expected.sort());
});

import { expect, test } from "bun:test";
import { add } from "../../db/storage/nodes/edit";
import { openDb } from "../../db/open";
import { loadConfig } from "../platform/config";
import { seal } from "../storage/nodes/access";
import { placeOf } from "./place";

const by = { actor: "test" };
const secret = { APP_SECRET: "a-secret-of-at-least-32-characters" };
const minio = { MINIO_ENDPOINT: "http://127.0.0.1:9000", MINIO_ACCESS_KEY: "key", MINIO_SECRET_KEY: "secret" };
const configWith = (BACKUP_URL: string, more: Record<string, string> = {}) =>
  loadConfig({ ...secret, ...more, BACKUP_URL });

test("a storage node's bucket and keys are used, and its bucket is not made anew if it holds files", async () => {
  const db = await openDb(":memory:");
  const config = configWith("node:attic");
  const location = {
    endpoint: "https://s3.example",
    publicEndpoint: "https://files.example",
    region: "r",
    bucket: "b",
  };
  const node = { name: "attic", accessKey: "a", secret: seal(config, "s"), capacityBytes: 1_000, maxPutBytes: 1 };
  await add(db, { ...node, ...location }, by, new Date());
  const { endpoint, region, bucket } = location;
  const place = { endpoint, region, bucket, accessKey: "a", secretKey: "s", prefix: "backups/", holdsFiles: false };
  expect(await placeOf(config, db)).toEqual(place);
  await expect(placeOf(configWith("node:cellar"), db)).rejects.toThrow("“cellar” in BACKUP_URL was not found");
  await db.close();
});

test("without its database, the node of MINIO_* can be named, and no other", async () => {
  expect(await placeOf(configWith("node:default", minio), undefined)).toMatchObject({
    ...{ endpoint: "http://127.0.0.1:9000", bucket: "postroom", accessKey: "key", secretKey: "secret" },
    prefix: "backups/",
  });
  for (const config of [configWith("node:attic", minio), configWith("node:default")])
    await expect(placeOf(config, undefined)).rejects.toThrow("Set BACKUP_URL to s3://");
  expect(() => configWith("node:embedded")).toThrow(
    "BACKUP_URL must be another storage node: embedded is in the data directory, and would be lost with it",
  );
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openSqlite } from "../../db/engine/sqlite/open";
import { migrate } from "../../db/ops/migrate";
import { startEmbeddedNode } from "../../src/storage/embedded/node";
import { createLog } from "../../src/platform/log";
import { answersOf, exportedFiles, furnish, twoInstallations } from "../support/leaving";
import { administer, urlOf } from "../support/postgres/databases";
import { temporaryFolder } from "../support/processes";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

const server = process.env.TEST_DATABASE_URL ?? "";
const name = `leaving_${process.pid}`;

beforeAll(() => administer(server, `drop database if exists ${name} with (force)`, `create database ${name}`));
afterAll(() => administer(server, `drop database ${name} with (force)`));

test("an export of one engine is imported into the other: the same answers, and the same export, there and back", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const [origins, log] = [new Set<string>(), createLog("silent")];
  const node = await startEmbeddedNode({ folder: at("s3"), port: 0, origins, log });
  const MINIO = { MINIO_ENDPOINT: node.endpoint, MINIO_ACCESS_KEY: node.accessKey, MINIO_SECRET_KEY: node.secretKey };
  const storage = { ...MINIO, MINIO_REGION: node.region, MINIO_BUCKET: node.bucket };
  const installation = twoInstallations();
  const old = installation(at("old"), storage);
  const shared = installation(at("files"), { ...storage, DATABASE_URL: urlOf(server, name) });
  const home = installation(at("home"), storage);
  const open = () => openSqlite(join(at("old"), "postroom.sqlite"), (database) => migrate(database));
  await furnish(old, open, folder.path);
  const before = await answersOf(old);

  expect(await old.run("export", "all", at("first"))).toMatchObject({ code: 0, err: "" });
  expect(await shared.run("import", "all", at("first"))).toMatchObject({ code: 0, err: "" });
  expect(await shared.run("export", "all", at("second"))).toMatchObject({ code: 0, err: "" });
  expect(exportedFiles(at("second"))).toEqual(exportedFiles(at("first")));
  expect(await answersOf(shared)).toEqual(before);
  expect(await shared.run("export", "all", at("third.tar"))).toMatchObject({ code: 0, err: "" });
  expect(await shared.run("import", "all", at("first"))).toMatchObject({ code: 1 });

  expect(await home.run("import", "all", at("third.tar"), "--files-in=default")).toMatchObject({ code: 0, err: "" });
  expect(await answersOf(home)).toEqual(before);
  await node.close();
});

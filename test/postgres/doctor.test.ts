import { expect, test } from "bun:test";
import { mayTakeTasks } from "../../db/ops/leases";
import { version } from "../../package.json";
import { add as addNode } from "../../db/storage/nodes/edit";
import { setVariable } from "../../db/variables";
import { checkDatabase } from "../../src/cli/doctor/machine";
import type { Tools } from "../../src/cli/doctor/finding";
import { useSharedSecret } from "../../src/boot/shared-secret";
import type { Config } from "../../src/platform/config";
import { sealVariable } from "../../src/security/variables";
import { seal } from "../../src/storage/nodes/access";
import { look } from "../support/look";
import { administer, urlOf } from "../support/postgres/databases";
import { postroom, temporaryFolder } from "../support/processes";
import { testService } from "../support/service";

/** What the doctor says of a database that a service uses. */
async function examined(settings: string[], pool = "10", more: Partial<Config> = {}) {
  const { config, db } = await testService();
  await useSharedSecret({ config, db });
  const [{ name } = { name: "" }] = await look<{ name: string }>(db, "select current_database() as name");
  for (const setting of settings) await look(db, `alter database ${name} set ${setting}`);
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${name}`;
  const tools: Tools = {
    now: () => new Date(),
    ask: () => Promise.reject(new Error("Nothing is asked.")),
    dns: { txt: async () => [], addresses: async () => [], names: async () => [], mailServers: async () => [] },
    isClockSynchronized: async () => true,
    stopTimeOf: async () => undefined,
    diskOf: async () => ({ free: 1, total: 1, type: 0 }),
    ownAddresses: [],
    certificateValidity: () => Promise.reject(new Error("Nothing is asked.")),
  };
  const shared = { ...config, DATABASE_URL: url.href, DATABASE_POOL: Number(pool), ...more };
  const found = await checkDatabase({ config: shared, tools, db: undefined });
  return found.filter(({ verdict }) => verdict === "wrong").map(({ text }) => text);
}

test("the doctor finds nothing wrong with a database that a service can use", async () => {
  expect(await examined([])).toEqual([]);
});

test("the doctor names a read-only database, and more connections than the server allows", async () => {
  expect(await examined(["default_transaction_read_only = on"])).toEqual([
    expect.stringContaining("The database is read-only."),
  ]);
  expect(await examined([], "999")).toEqual([expect.stringContaining("1 × 999 connections")]);
});

test("the doctor names an APP_SECRET that is not that of the other processes, unless it replaces theirs", async () => {
  const { config } = await testService();
  const APP_SECRET = `${config.APP_SECRET}, but another one`;
  expect(await examined([], "10", { APP_SECRET })).toEqual([
    expect.stringContaining("APP_SECRET is not that of the processes"),
  ]);
  expect(await examined([], "10", { APP_SECRET, APP_SECRET_PREVIOUS: [config.APP_SECRET] })).toEqual([]);
});

test("the doctor names processes of another version that use the database", async () => {
  const { config, db } = await testService();
  const [{ name } = { name: "" }] = await look<{ name: string }>(db, "select current_database() as name");
  const shared = { ...config, DATABASE_URL: urlOf(process.env.TEST_DATABASE_URL ?? "", name) };
  const versions = async () =>
    (await checkDatabase({ config: shared, db: undefined } as never)).find(({ check }) => check === "versions");
  expect(await versions()).toMatchObject({ verdict: "ok", text: "No other process runs." });
  await mayTakeTasks(db, () => new Date(), version, "a")();
  expect(await versions()).toMatchObject({ verdict: "ok", text: `All processes run ${version}.` });
  await look(db, "insert into jobs (name, holder, until) select 'b 0.0.9', 'b', until from jobs");
  expect(await versions()).toMatchObject({ verdict: "warn", text: expect.stringContaining("runs 0.0.9, this one is") });
});

test("the doctor names a database whose locale knows no letters beyond ASCII", async () => {
  const server = process.env.TEST_DATABASE_URL ?? "";
  const name = `ascii_${process.pid}`;
  const from = "template template0 encoding 'UTF8' locale_provider libc locale 'C'";
  await administer(server, `create database ${name} ${from}`);
  try {
    const { config } = await testService();
    const found = await checkDatabase({ config: { ...config, DATABASE_URL: urlOf(server, name) } } as never);
    expect(found.map(({ text }) => text)).toContainEqual(expect.stringContaining("LC_CTYPE C.UTF-8"));
  } finally {
    await administer(server, `drop database ${name}`);
  }
});

test("the doctor names a server that does not answer, and not the password in its URL", async () => {
  const { config } = await testService();
  const shared = { ...config, DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:1/x" };
  const [found] = await checkDatabase({ config: shared, db: undefined } as never);
  expect(found?.text).toContain("Check its address, name and password");
  expect(found?.text).not.toContain("hunter2");
});

test("the doctor knows the storage nodes of a shared database, and what was set in the dashboard", async () => {
  const { config, db, now } = await testService();
  const by = { actor: "test" };
  const endpoint = "http://127.0.0.1:1";
  const at = { endpoint, publicEndpoint: endpoint, region: "us-east-1", bucket: "postroom", accessKey: "k" };
  const row = { ...at, name: "attic", secret: seal(config, "s"), capacityBytes: 1, maxPutBytes: 1 };
  await addNode(db, row, by, now());
  await setVariable(db, { name: "MAILER_API_KEY", sealed: sealVariable(config, "smtp://127.0.0.1:1") }, by, now());
  const [{ name } = { name: "" }] = await look<{ name: string }>(db, "select current_database() as name");
  const DATABASE_URL = urlOf(process.env.TEST_DATABASE_URL ?? "", name);
  using folder = temporaryFolder(); // a process of its own, because here the tests open a new database
  const { out } = await postroom(folder.path, ["doctor"], { DATABASE_URL, APP_SECRET: config.APP_SECRET });
  expect(out).toMatch(/^wrong\tstorage\tattic/m);
  expect(out).toMatch(/\tmail\t.*127\.0\.0\.1/);
});

import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../../../db/engine/sqlite/lock";
import * as state from "../../../db/ops/backup-state";
import { checkAlerts } from "../../../src/alerts/watch";
import { openStore } from "../../../src/backups/copies";
import { startBackups } from "../../../src/backups/schedule";
import { compose } from "../../../src/emails/compose";
import { backupUrl } from "../../../src/platform/config-fields";
import { createLog } from "../../../src/platform/log";
import { startEmbeddedNode } from "../../../src/storage/embedded/node";
import { postroom, postroomUntil, startService, temporaryFolder } from "../../support/processes";
import { look } from "../../support/look";
import { testService } from "../../support/service";
import { s3Proxy } from "../../support/storage/s3-proxy";
import { api, rows } from "../cli/service";
import { testTimeoutMs, within } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

/** An S3 server, and a machine that copies to it. The machine can be lost. */
async function setUp(proxied?: { damaged: RegExp }) {
  const folder = temporaryFolder();
  const node = await startEmbeddedNode({
    folder: join(folder.path, "s3"),
    port: 0,
    origins: new Set(),
    log: createLog("silent"),
  });
  const proxy = proxied && s3Proxy(node.endpoint, {}, proxied.damaged);
  const { host } = new URL(proxy?.endpoint ?? node.endpoint);
  const BACKUP_URL = `s3+http://${node.accessKey}:${encodeURIComponent(node.secretKey)}@${host}/${node.bucket}/copies`;
  const machine = (name: string) => {
    const dataDir = join(folder.path, name);
    const run = (args: string[], stdin = "") => postroom(dataDir, args, { BACKUP_URL }, stdin);
    return { dataDir, run, start: () => startService(dataDir, { BACKUP_URL }) };
  };
  const place = backupUrl.parse(BACKUP_URL);
  if ("node" in place) throw new Error("This is the URL of a server.");
  return {
    ...{ machine, BACKUP_URL, folder: folder.path },
    store: openStore(place),
    async [Symbol.asyncDispose]() {
      await proxy?.close();
      await node.close();
      folder[Symbol.dispose]();
    },
  };
}

const subscribe = async (url: string, email: string) => {
  const body = JSON.stringify({ email });
  await fetch(`${url}/api/newsletter/subscribe`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
};

test("a machine that was lost comes back with one command: all that was copied, and no one who was erased since", async () => {
  await using at = await setUp();
  const lost = at.machine("lost");
  const key = (await lost.run(["backup", "init"])).out.trim();
  expect(key).toMatch(/^AGE-SECRET-KEY-1\w+$/);
  const service = await lost.start();
  const apiKey = (await lost.run(["keys", "create", "site"])).out.trim();
  for (const name of ["ada", "grace"]) await subscribe(service.url, `${name}@example.com`);
  while (!(await at.store.installations()).length) await Bun.sleep(50); // the service makes the first copy by itself
  const made = await lost.run(["backup", "now"]);
  expect(made.code).toBe(0);
  expect((await lost.run(["people", "erase", "grace@example.com", "--yes"])).code).toBe(0);
  const [installation = ""] = await at.store.installations();
  while (!(await at.store.list(at.store.foldersOf(installation).erasures)).length) await Bun.sleep(50);
  await subscribe(service.url, "late@example.com");
  const secret = readFileSync(join(lost.dataDir, "secret"), "utf8");
  await service.end("SIGKILL");
  rmSync(lost.dataDir, { recursive: true });

  const other = at.machine("other");
  const restored = await other.run(["restore", "s3:latest"], `# the key\n${key}\n`);
  expect([restored.code, restored.err]).toEqual([0, ""]);
  const [name] = rows(made.out)[0] ?? [];
  expect(rows(restored.out)).toEqual([
    ["restored", name],
    ["erased people again", "1"],
    ["as it was at", expect.stringMatching(/^\d{4}-.*Z$/)],
  ]);
  expect(readFileSync(join(other.dataDir, "secret"), "utf8")).toBe(secret);
  const again = await other.start();
  expect(await api(again.url, "/api/v1/settings", apiKey)).toMatchObject({ success: true });
  expect(await again.end()).toMatchObject({ code: 0 });
  expect((await other.run(["doctor"])).out).toContain("The last copy is good."); // and someone has the key
  const csv = join(at.folder, "list.csv");
  await other.run(["subscribers", "export", csv]);
  expect(readFileSync(csv, "utf8").match(/\w+@example\.com/g)).toEqual(["ada@example.com"]);
  expect((await other.run(["backup", "verify"], key)).code).toBe(0); // it goes on where the lost one stopped
});

test("a copy that cannot be read back as it was sent does not count, and nothing is left of it", async () => {
  await using at = await setUp({ damaged: /\.tar\.zst\.age$/ });
  const { run } = at.machine("data");
  await run(["backup", "init"]);
  const made = await run(["backup", "now"]);
  expect([made.code, made.out, made.err]).toEqual([1, "", expect.stringContaining("No copy was made")]);
  expect(await run(["backup", "list"])).toEqual({ code: 0, out: "", err: "" });
  expect(await at.store.list("copies/")).toEqual([]);
});

test("a copy that could not be restored does not count, and the owner hears of it as of any failure", async () => {
  await using at = await setUp();
  const dataDir = join(at.folder, "data");
  mkdirSync(dataDir);
  const env = { BACKUP_URL: at.BACKUP_URL, DATA_DIR: dataDir, BACKUP_EVERY: "1h" };
  const service = await testService(env, join(dataDir, "postroom.sqlite"));
  const { db, deps, clock } = service;
  const copyNow = async () => {
    const backups = startBackups(deps);
    await backups.settled();
    await backups.close();
  };
  await service.post("/api/newsletter/subscribe", { email: "ada@example.com" }); // whose email is in doubt after a restore
  const sqlite = new Database(join(dataDir, "postroom.sqlite"));
  sqlite.run("create trigger theirs before update on outbox begin select raise(abort, 'not allowed by theirs'); end");
  sqlite.close();
  const key = await generateX25519Identity();
  await state.setBackupRecipient(db, await identityToRecipient(key));
  await copyNow();
  const failed = "The test restore of the copy failed: not allowed by theirs";
  expect((await state.backupState(db)).problem?.text).toBe(failed);
  expect(await at.store.list("copies/")).toEqual([]);

  clock.time += 2 * 3_600_000 + 1;
  const machine = { diskSpace: async () => ({ free: 1, total: 1 }), certificateValidity: async () => undefined };
  for (let n = 0; n < 3; n++, clock.time += 60_000) await checkAlerts(deps, machine);
  const [mail] = await look<{ payload: string }>(db, "select * from outbox where kind = 'notice'");
  const notice = { ...mail, payload: JSON.parse(mail?.payload ?? ""), createdAt: service.now() };
  expect((await compose(service, notice as never))?.text).toContain(`The last attempt failed: ${failed}`);
  await db.close();
});

test("a service that starts removes what a killed copy or restore had opened", async () => {
  using folder = temporaryFolder();
  const left = join(folder.path, `copying-${Bun.spawnSync(["true"]).pid}`);
  mkdirSync(join(left, "proof"), { recursive: true });
  await Bun.write(join(left, "proof", "postroom.sqlite"), "someone's address");
  const service = await startService(folder.path);
  const isRemoved = async () => {
    while (existsSync(left)) await Bun.sleep(20);
  };
  await within(isRemoved(), "the removal");
  expect(await service.end()).toMatchObject({ code: 0 });
});

test("no two processes copy at a time: a command begins when the one before it is done", async () => {
  await using at = await setUp();
  const { dataDir, run } = at.machine("data");
  await run(["backup", "init"]);
  const made = await Promise.all([run(["backup", "now"]), run(["backup", "now"])]);
  expect(made.map(({ code }) => code)).toEqual([0, 0]);
  const [installation = ""] = await at.store.installations();
  const [first, second] = await at.store.copies(installation);
  expect(Date.parse(second?.at ?? "")).toBeGreaterThanOrEqual(Date.parse(first?.provedAt ?? ""));

  const other = takeLock(join(dataDir, "copying.lock")); // as a process that copies
  const env = { BACKUP_URL: at.BACKUP_URL };
  const waiting = await postroomUntil("Another copy is being made.", dataDir, ["backup", "now"], env);
  other?.release();
  expect((await waiting.ended()).code).toBe(0);
});

test("a time chooses the newest copy until then, and a file is opened without the server", async () => {
  await using at = await setUp();
  const { run, dataDir } = at.machine("data");
  const key = (await run(["backup", "init"])).out.trim();
  const file = join(at.folder, "key.txt");
  await Bun.write(file, key);
  const copies: string[] = [];
  for (const email of ["first", "second"]) {
    await run(["keys", "create", email]);
    copies.push(rows((await run(["backup", "now"])).out)[0]?.[0] ?? "");
  }
  const [, [, second = ""] = []] = rows((await run(["backup", "list"])).out);
  const before = new Date(Date.parse(second) - 1).toISOString();
  const names = async () => rows((await run(["keys", "list"])).out).map(([, name]) => name);
  expect(await run(["restore", `s3:${before}`, `--identity=${file}`])).toMatchObject({ code: 0 });
  expect(await names()).toEqual(["first"]);
  const early = await run(["restore", "s3:2020-01-01", `--identity=${file}`]);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining("There is none until 2020-01-01")]);

  const [installation = ""] = await at.store.installations();
  const path = at.store.keyOf(installation, copies[1] ?? "");
  const { size } = (await at.store.list(path))[0] ?? { size: 0 };
  const local = join(at.folder, "copy.age");
  await Bun.write(local, Buffer.concat(await Array.fromAsync(at.store.read(path, size))));
  const wrong = await run(["restore", local], await generateX25519Identity());
  expect([wrong.code, wrong.out, wrong.err]).toEqual([1, "", expect.stringContaining("does not open the copy")]);
  expect(await names()).toEqual(["first"]);

  const record = { ...(await at.store.copies(installation))[1], databaseBytes: 1e18 };
  const text = (async function* () {
    yield Buffer.from(JSON.stringify(record));
  })();
  await at.store.put(at.store.recordKeyOf(installation, copies[1] ?? ""), text, "application/json");
  const tooLarge = await run(["restore", "s3:latest"], key);
  expect([tooLarge.code, tooLarge.err]).toEqual([1, expect.stringMatching(/ 220000000000\d MB are needed/)]);
  expect(await names()).toEqual(["first"]);

  expect(await run(["restore", local], key)).toMatchObject({ code: 0, err: "" });
  expect(await names()).toEqual(["second", "first"]);
  expect(existsSync(join(dataDir, "secret"))).toBe(true);
});

test("a storage node takes the copies, and one command brings a lost machine back from it", async () => {
  await using at = await setUp();
  const { username, password, host, pathname } = new URL(at.BACKUP_URL.replace("s3+http", "http"));
  const env = {
    BACKUP_URL: "node:default",
    MINIO_ENDPOINT: `http://${host}`,
    MINIO_BUCKET: pathname.split("/")[1] ?? "",
    MINIO_ACCESS_KEY: username,
    MINIO_SECRET_KEY: decodeURIComponent(password),
  };
  const [lost, other] = [join(at.folder, "lost"), join(at.folder, "other")];
  const key = (await postroom(lost, ["backup", "init"], env)).out;
  await postroom(lost, ["keys", "create", "site"], env);
  const made = await postroom(lost, ["backup", "now"], env);
  expect([made.code, made.err]).toEqual([0, ""]);
  rmSync(lost, { recursive: true });
  expect(await postroom(other, ["restore", "s3:latest"], env, key)).toMatchObject({ code: 0, err: "" });
  expect(rows((await postroom(other, ["keys", "list"], env)).out).map(([, name]) => name)).toEqual(["site"]);
});

test("without a place or a key for copies, the commands say what is missing", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  expect((await postroom(dataDir, ["backup", "now"])).err).toContain("BACKUP_URL is not set");
  const BACKUP_URL = "s3://key:secret@s3.example.com/bucket";
  const unready = await postroom(dataDir, ["backup", "now"], { BACKUP_URL });
  expect([unready.code, unready.err]).toEqual([1, expect.stringContaining("backup init")]);
  expect(await postroom(dataDir, ["backup", "init"], { BACKUP_URL })).toMatchObject({ code: 0 });
  expect(await postroom(dataDir, ["backup", "init"], { BACKUP_URL })).toMatchObject({ code: 1, out: "" });
});

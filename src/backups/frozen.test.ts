import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../db/engine/open";
import { ensureAddressKey } from "../../db/installation";
import * as subscribers from "../../db/newsletter/subscribers";
import { openDb } from "../../db/open";
import { addErasures } from "../../db/people/erasures";
import { hashWith } from "../../db/suppressions/suppressions";
import { look, refuse } from "../../test/support/look";
import { holdDeadlines } from "../../test/support/storage/deadlines";
import { freezingProxy } from "../../test/support/storage/freezing-proxy";
import { temporaryFolder } from "../../test/support/processes";
import { within } from "../../test/support/within";
import { createLog } from "../platform/log";
import { startEmbeddedNode } from "../storage/embedded/node";
import { openS3 } from "../storage/s3/s3";
import { openStore } from "./copies";
import type { BackupJob, BackupResult } from "./job";
import { fetchCopy } from "./fetch-copy";

// A server of copies that freezes in the middle of one, and thaws later

let at: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => void (at = await setUp()));
afterAll(() => at.close());

async function setUp() {
  const folder = temporaryFolder();
  const [data, s3] = ["data", "s3"].map((name) => join(folder.path, name)) as [string, string];
  mkdirSync(data);
  const node = await startEmbeddedNode({ folder: s3, port: 0, origins: new Set(), log: createLog("silent") });
  const proxy = await freezingProxy(node.endpoint);
  const database = join(data, "postroom.sqlite");
  await (await openDb(database)).close();
  const key = await generateX25519Identity();
  const place = { ...node, endpoint: proxy.endpoint, prefix: "" };
  const job: BackupJob = {
    ...{
      what: "copy",
      place,
      installation: "abcdefabcdef",
      recipient: await identityToRecipient(key),
      database,
      share: 1,
    },
    ...{ erasureLog: join(data, "erasures.log"), secretFile: undefined },
  };
  return {
    ...{ data, folder: folder.path, job, key, place, proxy, store: openStore({ ...place, endpoint: node.endpoint }) },
    async close() {
      proxy.close();
      await node.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Makes a copy in a process of its own, whose deadlines pass when the test says so. */
function copy(job: BackupJob) {
  const preload = join(import.meta.dir, "../../test/support/storage/held-deadlines.ts");
  const child = Bun.spawn([process.execPath, "--preload", preload, join(import.meta.dir, "run.ts")], {
    stdin: new Blob([JSON.stringify(job)]),
    stdout: "pipe",
  });
  const result = (async (): Promise<BackupResult> => JSON.parse(await child.stdout.text()))();
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return { passDeadlines: () => child.kill("SIGUSR2"), kill, result };
}

const temporaryFolders = (data: string) =>
  readdirSync(data)
    .filter((name) => name.startsWith("copying-"))
    .map((name) => join(data, name));

test.each([
  ["taking a copy", { request: /^PUT .*partNumber/, sent: 5_000 }],
  ["giving it back for the comparison", { request: /^GET .*age/, received: 5_000 }],
  ["taking its record", { request: /^PUT .*json.*partNumber/, sent: 100 }],
])(
  "a server that freezes while %s: no copy is made, which is said; the next one is, once it thaws",
  async (_, point) => {
    const before = await at.store.copies(at.job.installation);
    const frozen = at.proxy.freezeAt(point);
    const { passDeadlines, result } = copy(at.job);
    await within(Promise.race([frozen, result]), "the freeze");
    passDeadlines();
    expect(await within(result, "the end")).toEqual({ problem: "The storage server did not answer in time." });
    expect(await at.store.copies(at.job.installation)).toEqual(before);
    expect(temporaryFolders(at.data)).toEqual([]);
    at.proxy.thaw();
    expect(await copy(at.job).result).toHaveProperty("copy");
  },
);

test("a server that freezes while older copies are removed: the copy is good, that is said apart, and the next one removes them", async () => {
  const { installation } = at.job;
  const names = async () => (await at.store.copies(installation)).map(({ name }) => name);
  const old = ["00", "01", "02", "03"].map((hour) => ({ name: `old-${hour}`, at: `2020-01-01T${hour}:00:00.000Z` }));
  const notNeeded = ["old-00", "old-01"]; // of the same day as newer ones
  for (const record of old)
    await at.store.put(at.store.recordKeyOf(installation, record.name), bytesOf(record), "application/json");
  const frozen = at.proxy.freezeAt({ request: /^DELETE .*json/, sent: 20 });
  const { passDeadlines, result } = copy(at.job);
  await within(Promise.race([frozen, result]), "the freeze");
  passDeadlines();
  const { copy: made, ...more } = await within(result, "the end");
  expect(more).toEqual({ leftover: "The storage server did not answer in time." });
  expect(await names()).toEqual(expect.arrayContaining([...notNeeded, made?.name ?? "none"]));
  at.proxy.thaw();
  expect(Object.keys(await copy(at.job).result)).toEqual(["copy"]);
  const kept = await names();
  expect([notNeeded.filter((name) => kept.includes(name)), kept.includes(made?.name ?? "none")]).toEqual([[], true]);
});

test("what a killed attempt left is removed after a day, and not before", async () => {
  const { installation } = at.job;
  const s3 = openS3({ ...at.place, publicEndpoint: at.place.endpoint }, 60_000);
  const leftovers = async () => {
    const { copies } = at.store.foldersOf(installation);
    const objects = (await at.store.list(copies)).map(({ key }) => key);
    const uploads = (await Array.fromAsync(s3.openUploads(copies))).map(({ key }) => key);
    return [...objects, ...uploads].filter((key) => key.includes("killed"));
  };
  const [whole, begun] = ["killed-1", "killed-2"].map((name) => at.store.keyOf(installation, name)) as [string, string];
  await at.store.put(whole, bytesOf({}), "application/octet-stream"); // without a record
  await s3.initiate(begun, "application/octet-stream", "backup");
  await copy(at.job).result;
  expect(await leftovers()).toEqual([whole, begun]);
  makeOlder(join(at.folder, "s3", "buckets"), /killed/, 25 * 3_600_000);
  await copy(at.job).result;
  expect(await leftovers()).toEqual([]);
});

/** Dates what the embedded server says of some objects and uploads back. */
function makeOlder(folder: string, what: RegExp, ms: number): void {
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(parentPath, name);
    const facts = name.endsWith(".json") ? JSON.parse(readFileSync(file, "utf8")) : {};
    if (what.test(facts.key))
      writeFileSync(file, JSON.stringify({ ...facts, at: new Date(Date.parse(facts.at) - ms) }));
  }
}

async function* bytesOf(record: object) {
  yield Buffer.from(JSON.stringify(record));
}

test("a server that freezes while it gives a copy back: nothing is restored, and it is, once it thaws", async () => {
  await copy(at.job).result;
  const wanted = { when: "latest", installation: undefined, identities: [at.key] };
  const folder = (name: string) => {
    mkdirSync(join(at.folder, name));
    return join(at.folder, name);
  };
  using deadlines = holdDeadlines();
  const frozen = at.proxy.freezeAt({ request: /^GET .*age/, received: 5_000 });
  const failing = fetchCopy(at.place, { ...wanted, folder: folder("first") }).catch((error: Error) => error.message);
  const { closed } = await within(frozen, "the freeze");
  deadlines.pass();
  expect(await within(failing, "the end")).toBe("The storage server did not answer in time.");
  at.proxy.thaw();
  await within(closed, "the end of the connection");
  deadlines[Symbol.dispose]();
  const fetched = await fetchCopy(at.place, { ...wanted, folder: folder("second") });
  expect(fetched.manifest.rows).toBeDefined();
});

// What the proof of a copy finds out by restoring it

/** Another installation that copies to the same server, whose database is as `fill` left it. */
async function installationWith(name: string, fill: (db: Db, erasureLog: string) => Promise<unknown>) {
  const data = join(at.folder, name);
  mkdirSync(data);
  const erasureLog = join(data, "erasures.log");
  const db = await openDb(join(data, "postroom.sqlite"));
  await fill(db, erasureLog);
  await db.close();
  const installation = name.padEnd(12, "0");
  const job: BackupJob = { ...at.job, installation, database: join(data, "postroom.sqlite"), erasureLog };
  return { data, job };
}

const erasedEmail = "zebulon.quux@example.com";
const eraseScope = ["subscription" as const, "suppression" as const];

/** Someone whose erasure is in the log, and did not reach the database: it came while the copy was being made, say. */
async function addErased(db: Db, erasureLog: string): Promise<void> {
  const now = new Date();
  await subscribers.subscribe(db, { email: erasedEmail }, { via: "form" }, now);
  const key = await db.write(ensureAddressKey);
  const erasure = { id: Bun.randomUUIDv7(), at: now, hash: hashWith(key, erasedEmail), scope: eraseScope };
  addErasures(erasureLog, [{ key, erasures: [erasure] }]);
}

test.each([
  [
    "what it would send cannot be stopped",
    async (db: Db) => {
      await look(
        db,
        `insert into sequences (id, name, folded, trigger, state, created_by, created_at, updated_at)
         values ('q', 'S', 's', 'subscribed', 'on', 'ada@example.com', 0, 0)`,
      );
      await refuse(db, "update", "sequences");
    },
  ],
  [
    "people who were erased since cannot be erased from it",
    async (db: Db, erasureLog: string) => {
      await addErased(db, erasureLog);
      await refuse(db, "insert", "erasures");
    },
  ],
])("a copy that cannot be restored, because %s, does not count, and nothing is left of it", async (why, fill) => {
  const { data, job } = await installationWith(why.startsWith("what") ? "stop" : "erase", fill);
  const result = await copy(job).result;
  expect(result).toEqual({ problem: expect.stringContaining("The test restore of the copy failed: ") });
  expect(await at.store.list(at.store.foldersOf(job.installation).copies)).toEqual([]);
  expect(temporaryFolders(data)).toEqual([]);
});

test("a copy made during an erasure is good, and what was opened to prove it contains nothing of the erased person", async () => {
  const { data, job } = await installationWith("erased", addErased);
  const isIn = (file: string) => readFileSync(file).includes(erasedEmail);
  expect(isIn(job.database)).toBe(true);
  const frozen = at.proxy.freezeAt({ request: /^PUT .*json.*partNumber/, sent: 100 }); // it is proved, and not recorded yet
  const { result } = copy(job);
  await within(Promise.race([frozen, result]), "the freeze");
  const opened = temporaryFolders(data).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    ),
  );
  const withPerson = opened.filter(isIn);
  at.proxy.thaw();
  expect(Object.keys(await within(result, "the end"))).toEqual(["copy"]);
  expect(opened.length).toBeGreaterThan(0);
  expect(withPerson).toEqual([]);
  expect(isIn(job.database)).toBe(true); // the proof is not about the service's own database
  expect(temporaryFolders(data)).toEqual([]);
});

test("what the proof of a copy that was killed had opened is removed by the next one", async () => {
  const { data, job } = await installationWith("killed", addErased);
  const frozen = at.proxy.freezeAt({ request: /^PUT .*json.*partNumber/, sent: 100 });
  const { kill, result } = copy(job);
  await within(Promise.race([frozen, result.catch(() => undefined)]), "the freeze");
  await kill();
  const [left = ""] = temporaryFolders(data);
  expect(readdirSync(join(left, "proof"))).toContain("postroom.sqlite");
  at.proxy.thaw();
  expect(Object.keys(await copy(job).result)).toEqual(["copy"]);
  expect([existsSync(left), temporaryFolders(data)]).toEqual([false, []]);
});

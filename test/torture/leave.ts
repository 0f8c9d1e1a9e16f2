/**
 * `npm run torture leave [kills] [megabytes]` (figure R20): everything leaves an installation on SQLite for one on
 * PostgreSQL with another storage server, and comes back to an empty one on SQLite. `export all`, to a folder or one
 * file, at first beside a service to which people subscribe, and `import all` are killed again and again, and tried
 * again. In the end every GET answers the same, no one who subscribed is missing, and no killed export was imported.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDb } from "../../db/open";
import { createLog } from "../../src/platform/log";
import { startEmbeddedNode } from "../../src/storage/embedded/node";
import { fillWithMessages } from "../load/messages";
import { subscribe, visitors } from "../load/visitors";
import { conclude, exactly } from "../support/figures";
import { answersOf, exportedFiles, furnish, type Installation, twoInstallations, upload } from "../support/leaving";
import { look } from "../support/look";
import { rounded } from "../support/measures";
import { administer, urlOf } from "../support/postgres/databases";
import { startPostgres } from "../support/postgres/server";
import { temporaryFolder } from "../support/processes";

const [kills = 20, megabytes = 20] = Bun.argv.slice(2).map(Number);
const perSecond = 20;
const manyFiles = 60;
const fileBytes = 100_000;

using folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const installation = twoInstallations();
const server = await startPostgres();
await administer(server.url, "create database there");

await using nodes = new AsyncDisposableStack();
type Place = Installation & { database: string };
/** An installation with a storage server of its own. */
async function place(name: string, database = join(at(name), "postroom.sqlite"), env = {}): Promise<Place> {
  const origins = new Set<string>();
  const node = await startEmbeddedNode({ folder: at(`${name}-s3`), port: 0, origins, log: createLog("silent") });
  nodes.defer(() => node.close());
  const keys = { MINIO_ACCESS_KEY: node.accessKey, MINIO_SECRET_KEY: node.secretKey };
  const where = { MINIO_ENDPOINT: node.endpoint, MINIO_REGION: node.region, MINIO_BUCKET: node.bucket };
  return { ...installation(at(name), { ...where, ...keys, ...env }), database };
}
const there = urlOf(server.url, "there");
const [old, shared, home] = [
  await place("old"),
  await place("shared", there, { DATABASE_URL: there }),
  await place("home"),
];
const [trial, empty] = [await place("trial"), await place("empty")];
const seen = { exportKills: 0, importKills: 0, importable: 0, torn: 0, failed: 0 };

await furnish(old, () => openDb(old.database), folder.path);
await fillWithMessages(at("old"), megabytes);
const acknowledged = new Set<string>();
await beside(async (url) => {
  const key = (await old.run("keys", "create", "many")).out.trim();
  for (let n = 0; n < manyFiles; n++) {
    const body = `${n}`.padEnd(fileBytes, ".");
    await upload(url, key, { filename: `${n}.txt`, folderPath: "many", body, mimeType: "text/plain" });
  }
  await leave(old, "beside", await secondsOf(() => must(old.run("export", "all", at("plain")))));
});
const before = await answersOf(old);

const exportSeconds = await secondsOf(() => must(old.run("export", "all", at("first"))));
const importSeconds = await secondsOf(() => must(trial.run("import", "all", at("first"))));
await leave(old, "alone", exportSeconds);
const total = await rowsOf(old);
await arrive(shared, "first");
await leave(shared, "again", exportSeconds);
for (const name of ["second", "second.tar"]) await must(shared.run("export", "all", at(name)));
const answersThere = await answersOf(shared); // creates a key, which counts as a version of its own
await arrive(home, "second.tar");
await must(home.run("export", "all", at("third")));
const answersHome = await answersOf(home);
const lost = await missing(home);
const counts = [await wronglyCounted(shared), await wronglyCounted(home)];
const left = await rowsOf(empty);
await server.stop();

console.table({
  "kills of export all": seen.exportKills,
  "kills of import all": seen.importKills,
  "rows of people, messages and files": total,
  "subscribed during the exports": acknowledged.size,
  "export all, s": rounded(exportSeconds),
  "import all, s": rounded(importSeconds),
});
const paths = Object.keys(before).length;
conclude([
  exactly("R20", `differing answers of ${paths} on PostgreSQL`, 0, differing(before, answersThere)),
  exactly("R20", `differing answers of ${paths} back on SQLite`, 0, differing(before, answersHome)),
  exactly(
    "R20",
    "differing files of the second and third export",
    0,
    differingFiles("second") + differingFiles("third"),
  ),
  exactly("R20", "subscribed, and missing in the end", 0, lost),
  exactly("R20", `imported after ${seen.exportKills} kills of export all`, 0, seen.importable + left),
  exactly("R20", `half there after ${seen.importKills} kills of import all`, 0, seen.torn),
  exactly("R20", "refused when tried again", 0, seen.failed),
  exactly("R20", "storage nodes with a wrong count", 0, counts.filter(Boolean).length),
]);

/** Runs the old service, to which people subscribe, until the work is done. */
async function beside(work: (url: string) => Promise<void>): Promise<void> {
  const service = await old.start();
  let isOver = false;
  const done = work(service.url).finally(() => (isOver = true));
  async function visit(): Promise<Response> {
    const email = `${crypto.randomUUID()}@example.com`;
    const answer = await subscribe(service.url, email);
    if (answer.status === 201) acknowledged.add(email);
    return answer;
  }
  while (!isOver) await visitors(visit, perSecond, 0.5);
  await done;
  await service.end();
}

/** Kills exports at moments spread over the time that one takes. What was killed cannot be imported. */
async function leave(from: Place, name: string, seconds: number): Promise<void> {
  for (let n = 0; n < kills; n++) {
    const isOneFile = n % 2 === 1;
    const to = at(`${name}-${n}${isOneFile ? ".tar" : ""}`);
    if (await from.killed(momentOf(n, seconds), "export", "all", to)) continue;
    seen.exportKills++;
    const isThere = existsSync(isOneFile ? to : join(to, "manifest.json"));
    if (!isThere && (await empty.run("import", "all", to)).code === 0) seen.importable++;
  }
}

/** Kills imports in the same way, until one has ended; then everything is there, and before that nothing. */
async function arrive(to: Place, name: string): Promise<void> {
  for (let n = 0; n < kills && !(await rowsOf(to)); n++) {
    if (!(await to.killed(momentOf(n, importSeconds), "import", "all", at(name)))) seen.importKills++;
    const rows = await rowsOf(to);
    if (rows && rows !== total) seen.torn++;
  }
  const isThere = (await rowsOf(to)) > 0;
  if (!isThere && (await to.run("import", "all", at(name))).code) seen.failed++;
}

/** In milliseconds: a little later each time, and in the end longer than the whole takes. */
function momentOf(n: number, seconds: number): number {
  return (1.1 * seconds * 1_000 * (n + Math.random())) / kills;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

async function must(command: ReturnType<Installation["run"]>): Promise<void> {
  const { code, err } = await command;
  if (code) throw new Error(err);
}

async function lookedAt<Row>({ database }: Place, statement: string): Promise<Row[]> {
  const db = await openDb(database);
  try {
    return await look<Row>(db, statement);
  } finally {
    await db.close();
  }
}

async function rowsOf(place: Place): Promise<number> {
  if (place.database.startsWith("/") && !existsSync(place.database)) return 0;
  const counted = ["subscribers", "messages", "uploads"].map((table) => `(select count(*) from ${table})`);
  const [{ n } = { n: 0 }] = await lookedAt<{ n: number }>(place, `select ${counted.join(" + ")} n`);
  return Number(n);
}

async function missing(place: Place): Promise<number> {
  const rows = await lookedAt<{ email: string }>(place, "select email_key email from subscribers");
  const there = new Set(rows.map(({ email }) => email));
  return [...acknowledged].filter((email) => !there.has(email)).length;
}

/** By how many bytes the nodes’ use differs from their files. */
async function wronglyCounted(place: Place): Promise<number> {
  const used = "select coalesce(sum(used_bytes), 0) from storage_nodes";
  const files = "select coalesce(sum(size), 0) from uploads where state = 'completed'";
  const [{ n } = { n: Number.NaN }] = await lookedAt<{ n: number }>(place, `select (${used}) - (${files}) n`);
  return Number(n);
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): number {
  const all = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const different = all.filter((path) => !Bun.deepEquals(one[path], other[path]));
  for (const path of different) console.log(path, one[path], other[path]);
  return different.length;
}

function differingFiles(name: string): number {
  return differing(exportedFiles(at("first")), exportedFiles(at(name)));
}

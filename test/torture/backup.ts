/**
 * `npm run torture backup [times]` (figure R8): the command `backup` during 500 subscribes a second. The copy is intact
 * and contains everything acknowledged before the command began, and visitors wait at most twice as long. `p99Plain` is
 * what they wait while another program writes as much to the same disk: a backup cannot do better. Then the restore
 * drill: a database of 100 MB, from the copy to the first response.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { atMost, conclude, exactly } from "../support/figures";
import { fillWithMessages } from "../load/messages";
import { subscribe, visitors } from "../load/visitors";
import { percentile, rounded } from "../support/measures";
import { postroom, startService, temporaryFolder } from "../support/processes";

const perSecond = 500;
const megabytes = 100;

using folder = temporaryFolder();
await fillWithMessages(folder.path, megabytes);
const service = await startService(folder.path, { LOG_LEVEL: "error" });
const acknowledged: string[] = [];

/** A new person subscribes, and is remembered if that was acknowledged. */
async function visit(): Promise<Response> {
  const email = `${crypto.randomUUID()}@example.com`;
  const answer = await subscribe(service.url, email);
  if (answer.status === 201) acknowledged.push(email);
  return answer;
}

const rows = [];
await visitors(visit, perSecond, 2); // warms up
for (let n = 0; n < Number(Bun.argv[2] ?? 5); n++) {
  const before = await visitors(visit, perSecond, 3);
  const until = acknowledged.length;
  const file = join(folder.path, `copy-${n}.sqlite`);
  const startedAt = performance.now();
  let isOver = false;
  const made = postroom(folder.path, ["backup", file]).finally(() => (isOver = true));
  const during = { times: [] as number[] };
  while (!isOver) during.times.push(...(await visitors(visit, perSecond, 0.5)).times);
  const seconds = (await made).code ? Number.NaN : (performance.now() - startedAt) / 1_000;
  const [beside] = await Promise.all([visitors(visit, perSecond, 3), writePlainly(join(folder.path, "plain"))]);
  const [p99Before = 0, p99During = 0, p99Plain = 0] = [before, during, beside].map(({ times }) =>
    percentile(times, 0.99),
  );
  const known = acknowledged.slice(0, until);
  const ratio = p99During / p99Before;
  rows.push({ seconds, p99Before, p99During, p99Plain, ratio, known: until, ...inspect(file, known) });
}
await service.end();
const restoreSeconds = await drill(join(folder.path, "copy-0.sqlite"));

console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, n]) => [name, rounded(n)]))));
const ratio = percentile(
  rows.map((row) => row.ratio),
  0.5,
);
const damage = rows.reduce((sum, { integrityErrors, missing }) => sum + integrityErrors + missing, 0);
conclude([
  exactly("R8", `integrity errors and missing rows in ${rows.length} copies`, 0, damage),
  atMost("R8", "p99 during a backup, to what it is otherwise (median)", 2, ratio),
  atMost("R8", `restore drill of ${megabytes} MB, s`, 60, restoreSeconds),
]);

function inspect(file: string, known: string[]) {
  const sqlite = new Database(file, { readonly: true });
  const found = sqlite.query("select 1 from subscribers where email_key = ?");
  const missing = known.filter((email) => !found.get(email)).length;
  const lines = sqlite.query<{ integrity_check: string }, []>("pragma integrity_check").all();
  sqlite.close();
  return { missing, integrityErrors: lines.filter(({ integrity_check: line }) => line !== "ok").length };
}

/** The effect of the disk alone: another program writes a file of that size and syncs it. */
function writePlainly(file: string): Promise<number> {
  const command = ["dd", "if=/dev/zero", `of=${file}`, "bs=1M", `count=${megabytes}`, "conv=fsync"];
  return Bun.spawn(command, { stdout: "ignore", stderr: "ignore" }).exited;
}

/** @returns seconds from `restore` to the first answer of a service on the copy */
async function drill(copy: string): Promise<number> {
  using elsewhere = temporaryFolder();
  const startedAt = performance.now();
  const { code, err } = await postroom(elsewhere.path, ["restore", copy]);
  if (code) throw new Error(err);
  await (await startService(elsewhere.path, { LOG_LEVEL: "error" })).end();
  return (performance.now() - startedAt) / 1_000;
}

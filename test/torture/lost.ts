/**
 * `npm run torture lost [megabytes]` (figure R19): a machine is lost while visitors subscribe, and comes back on an empty
 * one from the copy at BACKUP_URL. All that was acknowledged before the copy began is there; nobody who was erased since
 * comes back, though the copy has them; and what is lost is what came after the copy.
 */
import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fillWithMessages } from "../load/messages";
import { subscribe, visitors } from "../load/visitors";
import { atMost, conclude, exactly } from "../support/figures";
import { rounded } from "../support/measures";
import { postroom, startService, temporaryFolder } from "../support/processes";
import { startNodeProcess } from "../support/storage/node-process";
import { backupUrl } from "../../src/platform/config-fields";
import { openStore } from "../../src/backups/copies";

const perSecond = 100;
const megabytes = Number(Bun.argv[2] ?? 50);
const erased = "grace@example.com";

using folder = temporaryFolder();
const [lost, other] = [join(folder.path, "lost"), join(folder.path, "other")];
await Bun.write(join(lost, ".keep"), "");
await fillWithMessages(lost, megabytes);
const node = await startNodeProcess(join(folder.path, "s3"));
const env = { BACKUP_URL: node.url, LOG_LEVEL: "error" };

/** Resolves with what a command printed. @throws if it fails */
async function run(dataDir: string, args: string[], stdin = ""): Promise<string> {
  const { code, out, err } = await postroom(dataDir, args, env, stdin);
  if (code) throw new Error(`${args.join(" ")}: ${err}`);
  return out;
}

const key = await run(lost, ["backup", "init"]);
const service = await startService(lost, env);
/** When each person's subscription was acknowledged. */
const acknowledged = new Map<string, number>();
async function visit(): Promise<Response> {
  const email = `${crypto.randomUUID()}@example.com`;
  const answer = await subscribe(service.url, email);
  if (answer.status === 201) acknowledged.set(email, Date.now());
  return answer;
}

await subscribe(service.url, erased);
await visitors(visit, perSecond, 2);
const startedAt = Date.now();
let isMade = false;
const made = run(lost, ["backup", "now"]).finally(() => (isMade = true));
while (!isMade) await visitors(visit, perSecond, 0.5);
await made;
const copySeconds = (Date.now() - startedAt) / 1_000;
await run(lost, ["people", "erase", erased, "--yes"]);
await erasureIsCopied();
await visitors(visit, perSecond, 5);
await service.end("SIGKILL");
rmSync(lost, { recursive: true });
const lostAt = Date.now();

const began = performance.now();
await run(other, ["restore", "s3:latest"], key);
const again = await startService(other, env);
const restoreSeconds = (performance.now() - began) / 1_000;
await again.end();
node.child.kill();

const sqlite = new Database(join(other, "postroom.sqlite"), { readonly: true });
const person = sqlite.query("select 1 from subscribers where email_key = ?");
const missing = [...acknowledged].filter(([email]) => !person.get(email));
const early = missing.filter(([, at]) => at < startedAt);
const oldestLost = Math.min(lostAt, ...missing.map(([, at]) => at));
const damage = sqlite.query<{ integrity_check: string }, []>("pragma integrity_check").all();
const row = {
  megabytes,
  acknowledged: acknowledged.size,
  "copied in s": copySeconds,
  "from the copy's beginning to the loss, s": (lostAt - startedAt) / 1_000,
  "people lost": missing.length,
  "the oldest of them, s before the loss": (lostAt - oldestLost) / 1_000,
  "restored and answering after s": restoreSeconds,
};
console.table(Object.fromEntries(Object.entries(row).map(([name, n]) => [name, rounded(n)])));
conclude([
  exactly("R19", "acknowledged before the copy began, and missing", 0, early.length),
  exactly("R19", "erased people who came back", 0, person.get(erased) ? 1 : 0),
  exactly("R19", "integrity errors", 0, damage.filter(({ integrity_check: line }) => line !== "ok").length),
  atMost("R19", "age of what is lost, s, to that of the copy", 1, (lostAt - oldestLost) / (lostAt - startedAt)),
  atMost("R19", `restore of ${megabytes} MB on an empty machine, s`, 60, restoreSeconds),
]);

/** The log of erasures travels by itself, within seconds. */
async function erasureIsCopied(): Promise<void> {
  const place = backupUrl.parse(node.url);
  if ("node" in place) throw new Error("This is the URL of a server.");
  const store = openStore(place);
  const [installation = ""] = await store.installations();
  while (!(await store.list(store.foldersOf(installation).erasures)).length) await Bun.sleep(50);
}

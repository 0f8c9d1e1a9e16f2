/**
 * `npm run torture kill [cycles]` (figure R1): the service is killed with SIGKILL during a mixed load, and started
 * again. Everything it acknowledged must be in the database, and the database must be intact.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openDb } from "../../db/open";
import * as apiKeys from "../../db/access/keys/api-keys";
import { unsubscribeLink } from "../../src/security/links";
import { postroom, startService, temporaryFolder } from "../support/processes";
import { atMost, conclude, exactly } from "../support/figures";

const secret = "a-secret-for-this-torture-only-0123";
const clients = 16;
const env = { APP_SECRET: secret, LOG_LEVEL: "error" };

/** What was acknowledged and has to be found again. An address maps to the state that was acknowledged last. */
type Ledger = { states: Map<string, "active" | "unsubscribed">; messages: Set<string>; inactiveKeys: Set<string> };
type Key = { id: string; key: string };

/** Kills the service `cycles` times. Figures, not opinions. */
export async function tortureKill(cycles: number) {
  using folder = temporaryFolder();
  const keys = await makeKeys(folder.path, cycles);
  const ledger: Ledger = { states: new Map(), messages: new Set(), inactiveKeys: new Set() };
  const figures = { cycles, acknowledged: 0, lost: 0, withoutMail: 0, integrityErrors: 0, stillAccepted: 0 };
  const restarts: number[] = [];

  let service = await startService(folder.path, env);
  for (const key of keys) {
    const { port, url } = service;
    await underLoad(folder.path, url, key, ledger, () => service.end("SIGKILL"));
    service = await startService(folder.path, env, port);
    restarts.push(service.milliseconds);
    if (ledger.inactiveKeys.has(key.id) && (await isAccepted(url, key))) figures.stillAccepted++;
    add(figures, compare(folder.path, ledger));
  }
  await service.end();
  return { ...figures, ...spread(restarts) };
}

async function makeKeys(dataDir: string, count: number): Promise<Key[]> {
  const db = await openDb(join(dataDir, "postroom.sqlite"));
  const made = [];
  for (let i = 0; i < count; i++) {
    const { key, row } = await apiKeys.generate(db, { prefix: "site", name: `key ${i}` }, new Date());
    made.push({ id: row.id, key });
  }
  await db.close();
  return made;
}

/** Sixteen clients write as fast as they are answered, someone deactivates a key, and then everything is killed. */
async function underLoad(dataDir: string, url: string, key: Key, ledger: Ledger, kill: () => Promise<unknown>) {
  let isOver = false;
  const work = Array.from({ length: clients }, async () => {
    while (!isOver) await visit(url, ledger).catch(() => undefined); // without a response, nothing is promised
  });
  const deactivation = postroom(dataDir, ["keys", "deactivate", key.id], env).then(({ code }) => {
    if (code === 0) ledger.inactiveKeys.add(key.id);
  });
  while (!ledger.states.size) await Bun.sleep(5);
  await Bun.sleep(200 + Math.random() * 400); // any moment will do
  await kill();
  isOver = true;
  await Promise.all([...work, deactivation]);
}

/** One visitor: subscribes, perhaps leaves again, perhaps writes. Each comes from an address of its own. */
async function visit(url: string, { states, messages }: Ledger): Promise<void> {
  const email = `${crypto.randomUUID()}@example.com`;
  const headers = { "content-type": "application/json", "x-forwarded-for": randomAddress() };
  const post = (path: string, body: object) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });

  if ((await post("/api/newsletter/subscribe", { email })).status === 201) states.set(email, "active");
  if (states.has(email) && Math.random() < 0.3) {
    states.delete(email); // until it is answered either state is right
    const link = unsubscribeLink({ BASE_URL: url, APP_SECRET: secret, APP_SECRET_PREVIOUS: [] }, email);
    if ((await fetch(link)).status === 200) states.set(email, "unsubscribed");
  }
  if (Math.random() < 0.4) {
    const answer = await post("/api/contact", { name: "Ada", email, message: `A message of ${email}` });
    if (answer.status === 201) messages.add(((await answer.json()) as { data: { id: string } }).data.id);
  }
}

const randomAddress = () => Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 222)).join(".");

const isAccepted = async (url: string, { key }: Key) =>
  (await fetch(`${url}/api/v1/settings`, { headers: { "x-api-key": key } })).status !== 401;

/** What is missing of what was acknowledged since the last comparison, which is then forgotten. */
function compare(dataDir: string, { states, messages }: Ledger) {
  const sqlite = new Database(join(dataDir, "postroom.sqlite"), { readonly: true });
  const subscriber = sqlite.query<{ id: string; state: string }, [string]>(
    "select id, state from subscribers where email_key = ?",
  );
  const mail = sqlite.query("select 1 from outbox where subject_id = ?");
  const message = sqlite.query("select 1 from messages where id = ?");
  const found = { acknowledged: states.size + messages.size, lost: 0, withoutMail: 0, integrityErrors: 0 };
  for (const [email, state] of states) {
    const row = subscriber.get(email);
    if (row?.state !== state) found.lost++;
    else if (!mail.get(row.id)) found.withoutMail++;
  }
  for (const id of messages) if (!message.get(id)) found.lost++;
  const checked = sqlite.query<{ integrity_check: string }, []>("pragma integrity_check").all();
  found.integrityErrors = checked.filter(({ integrity_check: line }) => line !== "ok").length;
  sqlite.close();
  states.clear();
  messages.clear();
  return found;
}

function add(sum: Record<string, number>, more: Record<string, number>): void {
  for (const [name, n] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + n;
}

function spread(milliseconds: number[]) {
  const sorted = milliseconds.map(Math.round).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { readyMsP50: at(0.5), readyMsP99: at(0.99), readyMsMax: sorted.at(-1) ?? 0 };
}

if (import.meta.main) {
  const figures = await tortureKill(Number(Bun.argv[2] ?? 100));
  console.log(figures);
  conclude([
    exactly("R1", `acknowledged and lost, in ${figures.cycles} kills`, 0, figures.lost),
    exactly("R1", "subscribes without their mail", 0, figures.withoutMail),
    exactly("R1", "integrity errors", 0, figures.integrityErrors),
    exactly("R1", "deactivated keys still accepted", 0, figures.stillAccepted),
    atMost("R1", "restart to ready, p99 ms", 500, figures.readyMsP99),
  ]);
}

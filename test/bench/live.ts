/**
 * `npm run bench live [seconds]` (benchmark D1): what fifty open pages of the dashboard cost a service that is told to
 * follow for them, beside the same service with none, in turns: while nothing changes, and while someone subscribes each
 * second, of which the pages are not told.
 */
import { join } from "node:path";
import * as managers from "../../db/access/managers";
import { openDb } from "../../db/open";
import { randomToken, sha256 } from "../../src/security/secrets";
import { processorTime } from "../load/generator";
import { atMost, conclude } from "../support/figures";
import { median } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const seconds = Number(Bun.argv[2] ?? 10);
const [pages, turns] = [50, 3];

using folder = temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: "warn" });

/** The cookie of an owner who has just signed in. */
async function signIn(): Promise<string> {
  const db = await openDb(join(folder.path, "postroom.sqlite"));
  const token = randomToken();
  const device = { hash: sha256(token), address: "127.0.0.1", userAgent: "bench", isKnown: true };
  await db.write(async (orm) => {
    const owner = { email: "bench@example.com", name: "Bench", role: "owner" as const, passwordHash: "none" };
    const manager = await managers.create(orm, owner, new Date());
    return manager && managers.begin(orm, manager, { device, method: "bench" }, new Date());
  });
  await db.close();
  return `__Host-postroom=${token}`;
}

const headers = { cookie: await signIn(), accept: "text/event-stream" };

/** Opens the connections of the pages. Returns how to close them. */
async function openPages(): Promise<() => void> {
  const closing = new AbortController();
  const streams = Array.from({ length: pages }, async () => {
    const response = await fetch(`${service.url}/dashboard/live`, { headers, signal: closing.signal });
    if (response.status !== 200) throw new Error(`A page was answered ${response.status}`);
    const reader = response.body?.getReader();
    await reader?.read(); // what it did not know
    void (async () => {
      while (reader && !(await reader.read()).done);
    })().catch(() => undefined);
  });
  await Promise.all(streams);
  return () => closing.abort();
}

async function subscribe() {
  const body = JSON.stringify({ email: `${Bun.randomUUIDv7()}@example.com` });
  await fetch(`${service.url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

/** The share of a core that the service takes, in per cent. */
async function share(isBusy: boolean): Promise<number> {
  const before = await processorTime(service.pid);
  for (let second = 0; second < seconds; second++) {
    if (isBusy) await subscribe();
    await Bun.sleep(1_000);
  }
  return ((await processorTime(service.pid)) - before) / seconds / 10_000;
}

/** How much more the pages take than none, in per cent of a core: the middle of the turns. */
async function more(isBusy: boolean): Promise<number> {
  const differences: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const without = await share(isBusy);
    const close = await openPages();
    const withPages = await share(isBusy);
    close();
    console.log(
      `${isBusy ? "a commit a second" : "quiet"}: ${without.toFixed(2)} % without, ${withPages.toFixed(2)} % with`,
    );
    differences.push(withPages - without);
  }
  return median(differences);
}

await share(false); // what starting left to do
const [quiet, busy] = [await more(false), await more(true)];
await service.end();
conclude([
  atMost("D1", "fifty open pages, nothing changes: more per cent of a core", 1, quiet),
  atMost("D1", "fifty open pages, a commit a second: more per cent of a core", 1, busy),
]);

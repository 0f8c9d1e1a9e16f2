/**
 * `npm run torture cluster [kills]` (figure G4): three processes on one PostgreSQL. Twelve clients subscribe through a
 * proxy that tries another process once. One process after the other is killed with -9; then the database itself
 * crashes and is started again. Nothing acknowledged may be lost, and each subscriber gets one welcome email.
 */
import * as settings from "../support/settings";
import { openDb } from "../../db/open";
import { conclude, exactly } from "../support/figures";
import { startCluster } from "../support/postgres/cluster";
import { startPostgres } from "../support/postgres/server";
import { startProvider } from "../support/providers/resend-process";

const kills = Number(Bun.argv[2] ?? 25);
const clients = 12;

const postgres = await startPostgres(true);
const provider = await startProvider();
const cluster = await startCluster(postgres.url, 3, provider.env);
try {
  await withoutHourlyLimit(cluster.url);
  const load = subscribing(cluster.proxy.url);
  for (let n = 0; n < kills; n++) {
    await load.more(100);
    await cluster.replace(n % 3);
  }
  const whileKilled = { ...load.count() };
  await load.more(500);
  const crashed = postgres.crash();
  await crashed;
  await load.more(500); // none of the processes was restarted
  const acknowledged = await load.end();
  await mailsSent(cluster.url);

  const { counts } = await provider.report();
  const stored = new Set(await subscribersIn(cluster.url));
  conclude([
    exactly("G4", `kills of one of three processes under load, ${whileKilled.answers} answers`, kills, kills),
    exactly("G4", "errors that a client saw meanwhile", 0, whileKilled.errors),
    exactly(
      "G4",
      `lost of ${acknowledged.length} acknowledged, a crash of the database included`,
      0,
      acknowledged.filter((email) => !stored.has(email)).length,
    ),
    exactly("G4", "subscribers without their welcome email", 0, [...stored].filter((email) => !counts[email]).length),
    exactly("G4", "subscribers with more than one", 0, Object.values(counts).filter((count) => count > 1).length),
  ]);
  const { errors, failures } = load.count();
  const byStatus = [...Map.groupBy(failures, (status) => status)].map(([status, all]) => `${all.length} × ${status}`);
  console.log(`Errors while the database was away: ${errors - whileKilled.errors}; all: ${byStatus.join(", ")}`);
} finally {
  await cluster.stop();
  await provider.stop();
  await postgres.stop();
}

function subscribing(url: string) {
  const acknowledged: string[] = [];
  const failures: number[] = [];
  let [answers, errors, isOver] = [0, 0, false];
  const client = async (n: number) => {
    for (let i = 0; !isOver; i++) {
      const email = `c${n}-${i}@example.com`;
      const headers = { "content-type": "application/json", "x-forwarded-for": `10.${n}.${i >> 8}.${i & 255}` };
      const request = { method: "POST", headers, body: JSON.stringify({ email }) };
      const status = await fetch(`${url}/api/newsletter/subscribe`, request).then(
        (response) => response.status,
        () => 0,
      );
      answers++;
      if (status === 201 || status === 200) acknowledged.push(email);
      else {
        errors++;
        failures.push(status);
      }
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return {
    count: () => ({ answers, errors, failures }),
    /** Waits for so many more acknowledgements. */
    async more(count: number) {
      for (const until = acknowledged.length + count; acknowledged.length < until;) await Bun.sleep(20);
    },
    async end() {
      isOver = true;
      await all;
      return acknowledged;
    },
  };
}

async function withoutHourlyLimit(url: string) {
  const db = await openDb(url);
  await settings.set(db, "emailsToStrangersPerHour", "0", { by: "torture" }, new Date());
  await db.close();
}

async function subscribersIn(url: string): Promise<string[]> {
  await using sql = new Bun.SQL(url, { max: 1 });
  const rows: [string][] = await sql.unsafe("select email from subscribers", []).values();
  return rows.map(([email]) => email);
}

/** The remaining processes send what is queued; what a dead one had claimed waits for a minute. */
async function mailsSent(url: string) {
  await using sql = new Bun.SQL(url, { max: 1 });
  const waiting = async () => {
    const rows: [bigint][] = await sql.unsafe("select count(*) from outbox where state = 'queued'", []).values();
    return Number(rows[0]?.[0]);
  };
  while (await waiting()) await Bun.sleep(500);
}

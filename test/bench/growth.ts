/**
 * `npm run bench growth [rounds] [changes] [people]`: the same service on PostgreSQL and on SQLite, in turns on one
 * machine, with the database on the same processors (figures G2, G3, G6 and G8 of docs/performance.md). The server is
 * the one from npm; it syncs every commit.
 */
import * as settings from "../support/settings";
import * as subscribers from "../../db/newsletter/subscribers";
import { openDb } from "../../db/open";
import { inTurns } from "../load/beside";
import { fillWithPosts } from "../load/content";
import { load, type Target } from "../load/generator";
import { subscription } from "../load/visitors";
import { atLeast, atMost, conclude, exactly, type Figure } from "../support/figures";
import { startCluster } from "../support/postgres/cluster";
import { administer, urlOf } from "../support/postgres/databases";
import { startPostgres } from "../support/postgres/server";
import { postroom, startService, temporaryFolder } from "../support/processes";

const [rounds = 5, changes = 10_000, people = 1_000_000] = Bun.argv.slice(2).map(Number);

const keysPerRound = 400;

using folder = temporaryFolder();
const postgres = await startPostgres(true);
try {
  const figures = [...(await speed()), await staleness(), ...(await copying())];
  conclude(figures);
} finally {
  await postgres.stop();
}

async function speed(): Promise<Figure[]> {
  const keys = await fillWithPosts(folder.path, 500, rounds * keysPerRound);
  const own = await startService(folder.path, { LOG_LEVEL: "warn" });
  const cluster = await startCluster(postgres.url, 3);
  const first = cluster.services[0] as Target;
  const turns = { own: 0, shared: 0 };
  /**
   * Like a real site: few keys, each used often. Each round has its own, so that none reaches its limit of 600 a
   * minute.
   */
  const requests = (whose: "own" | "shared", all: string[]) =>
    all
      .slice(turns[whose] * keysPerRound, ++turns[whose] * keysPerRound)
      .map((key) => ({ method: "GET", path: "/api/v1/posts", headers: { "x-api-key": key } }));
  const shared = await fillWithPosts(cluster.url, 500, keys.length);
  const subscribes = async (target: Target) =>
    (await load(target, Array.from({ length: 30_000 }, subscription), 32, 1)).perSecond;
  const all = async (targets: Target[]) =>
    (await Promise.all(targets.map(subscribes))).reduce((sum, perSecond) => sum + perSecond, 0);
  try {
    const seen = await inTurns(rounds, {
      "lists, SQLite": async () => (await load(own, requests("own", keys), 32, 1)).perSecond,
      "lists, PostgreSQL": async () => (await load(first, requests("shared", shared), 32, 1)).perSecond,
      "subscribes, SQLite": () => subscribes(own),
      "subscribes, PostgreSQL": () => subscribes(first),
      "subscribes, three processes": () => all(cluster.services),
    });
    return [
      atLeast("G2", "lists on PostgreSQL to SQLite", 0.5, seen["lists, PostgreSQL"] / seen["lists, SQLite"]),
      atLeast("G3", "subscribes a second of one process on PostgreSQL", 500, seen["subscribes, PostgreSQL"]),
      atLeast(
        "G3",
        "three processes to one",
        1.5,
        seen["subscribes, three processes"] / seen["subscribes, PostgreSQL"],
      ),
    ];
  } finally {
    await own.end();
    await cluster.stop();
  }
}

/** One process changes a setting, and the next request goes to the other one. */
async function staleness(): Promise<Figure> {
  const cluster = await startCluster(postgres.url, 1);
  const db = await openDb(cluster.url);
  const keys = await fillWithPosts(cluster.url, 1, Math.ceil(changes / 500) + 1);
  let stale = 0;
  for (let n = 0; n < changes; n++) {
    await settings.set(db, "siteTitle", `Title ${n}`, { by: "bench" }, new Date());
    const headers = { "x-api-key": keys[Math.floor(n / 500)] ?? "" };
    const answer = await (await fetch(`${cluster.services[0]?.url}/api/v1/settings`, { headers })).text();
    if (!answer.includes(`"Title ${n}"`)) stale++;
  }
  await db.close();
  await cluster.stop();
  return exactly("G6", `stale answers of ${changes}, each the next request after a change elsewhere`, 0, stale);
}

/** Copies everything there and back, verified. */
async function copying(): Promise<Figure[]> {
  using from = temporaryFolder();
  using back = temporaryFolder();
  const file = `${from.path}/postroom.sqlite`;
  const db = await openDb(file);
  for (let n = 0; n < people; n += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, people - n) }, (_, i) =>
        subscribers.subscribe(
          db,
          { email: `p${n + i}@example.com`, name: `Person ${n + i}` },
          { via: "import" },
          new Date(),
          { welcome: false },
        ),
      ),
    );
  await db.close();
  await administer(postgres.url, "create database copied");
  const url = urlOf(postgres.url, "copied");
  const minutes = async (...args: string[]) => {
    const startedAt = performance.now();
    const { code, err } = await postroom("/nonexistent", ["db", "copy", ...args]);
    if (code !== 0) throw new Error(err);
    return (performance.now() - startedAt) / 60_000;
  };
  const there = await minutes(from.path, url);
  const home = await minutes(url, back.path);
  return [
    atMost("G8", `minutes to copy ${people} subscribers to PostgreSQL, verified`, 5, there),
    atMost("G8", "minutes to copy them back", 5, home),
  ];
}

/**
 * `npm run bench preview [saves]` (figure W5): three processes on one PostgreSQL. How long after one has saved a draft a
 * page that listens to its preview at another one is told.
 */
import { openDb } from "../../db/open";
import * as posts from "../../db/posts/posts";
import { previewLink } from "../../src/security/links";
import { openStream } from "../support/event-stream";
import { atMost, conclude } from "../support/figures";
import { percentile, rounded } from "../support/measures";
import { startCluster } from "../support/postgres/cluster";
import { startPostgres } from "../support/postgres/server";

const saves = Number(Bun.argv[2] ?? 50);

const postgres = await startPostgres();
const manager = { MANAGER_EMAIL: "bench@example.com", MANAGER_PASSWORD: "correct horse battery" };
const cluster = await startCluster(postgres.url, 2, manager);
const db = await openDb(cluster.url); // the third process
try {
  const save = (n: number) => posts.save(db, { slug: "tides", title: `Version ${n}`, published: false }, new Date());
  const { id } = await save(1);
  await using sql = new Bun.SQL(cluster.url, { max: 1 });
  const [[managerId] = [""]]: [string][] = await sql.unsafe("select id from managers", []).values();
  const { APP_SECRET = "" } = cluster.env;
  const streams = await Promise.all(
    cluster.services.map(({ url }) => {
      const page = `${url}/api/posts/tides/preview-events`;
      return openStream(previewLink({ APP_SECRET }, { id, page }, managerId, 1, new Date()).url);
    }),
  );
  await Promise.all(streams.map(({ until }) => until("id: 1\n")));
  const times: number[] = [];
  for (let version = 2; version < saves + 2; version++) {
    await save(version);
    const saved = performance.now();
    await Promise.all(
      streams.map(async ({ until }) => {
        await until(`id: ${version}\n`);
        times.push(performance.now() - saved);
      }),
    );
    await Bun.sleep(Math.random() * 500); // at any moment between two looks
  }
  await Promise.all(streams.map(({ leave }) => leave()));
  console.log(`told after ${rounded(percentile(times, 0.5))} ms, at worst ${rounded(Math.max(...times))} ms`);
  conclude([
    atMost(
      "W5",
      `a draft saved by another process is told: p95 of ${times.length}, ms`,
      1_000,
      percentile(times, 0.95),
    ),
  ]);
} finally {
  await db.close();
  await cluster.stop();
  await postgres.stop();
}

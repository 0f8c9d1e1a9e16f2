/**
 * `npm run torture frozen [seconds]` (figure G10): one of three processes on PostgreSQL stops responding, without ending
 * (SIGSTOP), behind nginx and HAProxy with the configurations of docs/examples, as far as they are installed. Visitors
 * read a post forty times a second. 99 of 100 wait no longer than a second, and no one gets an error.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, conclude, exactly, type Figure } from "../support/figures";
import { percentile } from "../support/measures";
import { startCluster } from "../support/postgres/cluster";
import { startPostgres } from "../support/postgres/server";
import { freePort, postroom, temporaryFolder } from "../support/processes";

const seconds = Number(Bun.argv[2] ?? 15);
const perSecond = 40;
const path = "/api/posts/sqlite-is-the-boring-choice";

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** The text of an example, with the addresses of these processes and that port. */
function configuration(file: string, cluster: Cluster, port: number): string {
  const names = ["first", "second", "third"];
  return readFileSync(join(import.meta.dir, "../../docs/examples", file), "utf8")
    .replaceAll(/\b(first|second|third):3000/g, (_, name) => `127.0.0.1:${cluster.services[names.indexOf(name)]?.port}`)
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`)
    .replace(/bind :80/, `bind 127.0.0.1:${port}`);
}

const proxies = {
  nginx: (folder: string, cluster: Cluster, port: number) => {
    const third = `server 127.0.0.1:${cluster.services[2]?.port} max_fails=2 fail_timeout=5s;\n    keepalive`;
    const own = configuration("nginx.conf", cluster, port).replace("keepalive", third);
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 2; events {}\nhttp { access_log off;\n${own}\n}\n`,
    );
    return ["nginx", "-c", file, "-e", "stderr"];
  },
  haproxy: (folder: string, cluster: Cluster, port: number) => {
    const file = join(folder, "haproxy.cfg");
    writeFileSync(file, configuration("haproxy.cfg", cluster, port));
    return ["haproxy", "-db", "-f", file];
  },
};

async function measured(name: keyof typeof proxies, cluster: Cluster): Promise<Figure[]> {
  using folder = temporaryFolder();
  const port = freePort();
  const proxy = Bun.spawn(proxies[name](folder.path, cluster, port), { stdio: ["ignore", "ignore", "inherit"] });
  const ask = async () => {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { host: "localhost:3000" } })
      .then(async (answer) => (await answer.text(), answer.status))
      .catch(() => 0);
    return { status: response, ms: performance.now() - startedAt };
  };
  try {
    while ((await ask()).status !== 200) await Bun.sleep(50);
    const frozen = cluster.services[1]?.pid ?? 0;
    process.kill(frozen, "SIGSTOP");
    const asked: ReturnType<typeof ask>[] = [];
    for (let n = 0; n < seconds * perSecond; n++) {
      asked.push(ask());
      await Bun.sleep(1_000 / perSecond);
    }
    const answers = await Promise.all(asked);
    process.kill(frozen, "SIGCONT");
    const times = answers.map(({ ms }) => ms);
    console.log(
      `${name}: slower than a second ${times.filter((ms) => ms > 1_000).length} of ${times.length}, the slowest ${Math.round(Math.max(...times))} ms`,
    );
    return [
      atMost(
        "G10",
        `${name}: p99 of ${times.length} requests while one of three processes hangs, ms`,
        1_000,
        percentile(times, 0.99),
      ),
      exactly("G10", `${name}: other answers than 200`, 0, answers.filter(({ status }) => status !== 200).length),
    ];
  } finally {
    proxy.kill();
    await proxy.exited;
  }
}

const postgres = await startPostgres();
const cluster = await startCluster(postgres.url, 0);
try {
  const filled = await postroom("/nonexistent", ["demo"], cluster.env); // refused where a service runs
  if (filled.code !== 0) throw new Error(filled.err);
  for (let n = 0; n < 3; n++) await cluster.add();
  const installed = (["nginx", "haproxy"] as const).filter((name) => Bun.which(name));
  if (!installed.length) console.log("Neither nginx nor HAProxy is installed.");
  const figures: Figure[] = [];
  for (const name of installed) figures.push(...(await measured(name, cluster)));
  conclude(figures);
} finally {
  await cluster.stop();
  await postgres.stop();
}

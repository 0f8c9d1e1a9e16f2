import { dirname } from "node:path";
import { residentMegabytes } from "../support/measures";
import { freePort } from "../support/processes";
import { administer, urlOf } from "../support/postgres/databases";
import { startPostgres } from "../support/postgres/server";

/** The cost of a campaign: the processor time is listmonk's own, without its database. */
type Campaign = { sent: number; seconds: number; processor: number; maxRss: number };
type To = { port: number; count: () => number };

const dbName = "listmonk";
const user = "postroom"; // of the server for tests

/**
 * Sends a campaign with listmonk, on a PostgreSQL of its own, with as many connections as ours and no rate limit. It is
 * configured through its database, as its own pages would.
 *
 * @param binary a release of listmonk 6, or one built in its source folder
 */
export async function sendWithListmonk(binary: string, html: string, people: number, to: To): Promise<Campaign> {
  const server = await startPostgres(true);
  await administer(server.url, `create database ${dbName}`);
  const sql = new Bun.SQL(urlOf(server.url, dbName), { max: 1 });
  const command = (...args: string[]) => ({
    ...{ cmd: [binary, "--config", "", ...args], cwd: dirname(binary) }, // where one that was built finds its files
    env: {
      LISTMONK_app__address: `127.0.0.1:${freePort()}`,
      ...{ LISTMONK_db__host: "127.0.0.1", LISTMONK_db__port: new URL(server.url).port, LISTMONK_db__user: user },
      ...{ LISTMONK_db__password: "", LISTMONK_db__database: dbName, LISTMONK_db__ssl_mode: "disable" },
      ...{ LISTMONK_db__max_open: "25", LISTMONK_db__max_idle: "25", LISTMONK_db__max_lifetime: "300s" },
    },
  });
  const installed = Bun.spawnSync(command("--install", "--idempotent", "--yes"));
  if (!installed.success) throw new Error(`listmonk: ${installed.stderr.toString()}${installed.stdout.toString()}`);
  await prepare(sql, html, people, to.port);
  const child = Bun.spawn({ ...command(), stdout: "ignore", stderr: "ignore" });
  const startedAt = performance.now();
  let maxRss = 0;
  while (to.count() < people && child.exitCode === null && performance.now() - startedAt < 600_000) {
    maxRss = Math.max(maxRss, await residentMegabytes(child.pid));
    await Bun.sleep(50);
  }
  const cost = { sent: to.count(), seconds: (performance.now() - startedAt) / 1_000, maxRss };
  const processor = await processorSecondsOf(child.pid);
  child.kill();
  await child.exited;
  await sql.close();
  await server.stop();
  return { ...cost, processor };
}

async function prepare(sql: Bun.SQL, html: string, people: number, port: number): Promise<void> {
  const smtp = {
    ...{ enabled: true, host: "127.0.0.1", port, auth_protocol: "none", username: "", password: "" },
    ...{ hello_hostname: "", max_conns: 10, idle_timeout: "15s", wait_timeout: "5s", max_msg_retries: 2 },
    ...{ msg_retry_delay: "10ms", tls_type: "none", tls_skip_verify: true, email_headers: [], from_addresses: [] },
  };
  const settings = { "app.message_rate": 10_000, "app.check_updates": false, smtp: [smtp] };
  for (const [key, value] of Object.entries(settings))
    await sql.unsafe("update settings set value = $1::text::jsonb where key = $2", [JSON.stringify(value), key]);
  await sql.unsafe("delete from subscribers");
  await sql.unsafe(
    `insert into subscribers (uuid, email, name)
     select gen_random_uuid(), 'reader' || i || '@example.com', 'Reader ' || i from generate_series(1, ${people}) i`,
  );
  const list = "(select min(id) from lists)";
  await sql.unsafe(
    `insert into subscriber_lists (subscriber_id, list_id, status) select id, ${list}, 'confirmed' from subscribers`,
  );
  await sql.unsafe("delete from campaigns");
  await sql.unsafe("update templates set body = '{{ template \"content\" . }}'");
  await sql.unsafe(
    `insert into campaigns (uuid, name, subject, from_email, body, content_type, status, messenger, template_id)
     values (gen_random_uuid(), 'Rain', 'Rain', 'Site <site@x.example>', $1, 'html', 'running', 'email',
       (select min(id) from templates))`,
    [html],
  );
  await sql.unsafe(
    `insert into campaign_lists (campaign_id, list_id, list_name) select id, ${list}, '' from campaigns`,
  );
}

/** Linux only, like the peer's figures. */
async function processorSecondsOf(pid: number): Promise<number> {
  const [, fields = ""] = (await Bun.file(`/proc/${pid}/stat`).text()).split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) / 100;
}

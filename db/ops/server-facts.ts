import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Compatibility, compare } from "./migrate";

/** What a PostgreSQL server is, and allows. */
type ServerFacts = {
  version: number;
  connections: number;
  isReadOnly: boolean;
  hasTrigrams: boolean;
  /** Letters beyond ASCII are letters, as search needs them (LC_CTYPE). */
  knowsLetters: boolean;
  isEncrypted: boolean;
  /** How many processes of Postroom use it, and the versions of those that say it. */
  processes: number;
  versions: string[];
  compatibility: Compatibility;
  /** Of the APP_SECRET of its processes; undefined before the first. */
  secretFingerprint: string | undefined;
};

const facts = `select current_setting('server_version_num')::int4 / 10000, current_setting('max_connections')::int4,
  pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool,
  exists (select 1 from pg_available_extensions where name = 'pg_trgm'),
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false),
  'ö' ~ '[[:alpha:]]', to_regclass('jobs') is not null, to_regclass('migrations') is not null,
  to_regclass('installation') is not null`;

/** Asks a server about itself, and changes nothing. */
export async function serverFacts(url: string): Promise<ServerFacts> {
  const pool = new Bun.SQL(url, { max: 1, connectionTimeout: 5 });
  try {
    const [row = []] = await pool.unsafe(facts).values();
    const [version, connections, isReadOnly, hasTrigrams, isEncrypted, knowsLetters, ...has] = row;
    const [hasJobs, hasMigrations, hasInstallation] = has;
    const column = async (text: string) => (await pool.unsafe(text).values()).map(([value]: string[]) => value ?? "");
    const running = `from jobs where until > ${Date.now()}`;
    const processes = hasJobs ? (await column(`select distinct holder ${running}`)).length : 0;
    const named = `select distinct substr(name, length(holder) + 2) ${running} and starts_with(name, holder || ' ')`;
    const versions = hasJobs ? await column(named) : [];
    const done = hasMigrations ? await column("select name from migrations") : [];
    const [secretFingerprint] = hasInstallation
      ? await column("select value from installation where name = 'secretFingerprint'")
      : [];
    const files = (await readdir(join(import.meta.dir, "../migrations/postgres"))).filter((name) =>
      name.endsWith(".sql"),
    );
    return {
      version,
      connections,
      isReadOnly,
      hasTrigrams,
      knowsLetters,
      isEncrypted,
      processes,
      versions,
      compatibility: compare(done, files),
      secretFingerprint,
    };
  } finally {
    await pool.close({ timeout: 0 });
  }
}

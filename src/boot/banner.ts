import { resolve } from "node:path";
import { isMarked } from "../../db/ops/demo";
import type { Deps } from "./deps";
import { providerName } from "../mail/open";
import { createSetupLink } from "../security/sign-in-links";

/**
 * The start-up banner for the person at the console: the only text on stdout that is not a line of JSON. The setup link
 * in it is never logged (D36).
 */
export async function banner(
  { config, db, now, storage }: Pick<Deps, "config" | "db" | "now" | "storage">,
  address: string,
): Promise<string> {
  const { BASE_URL, DATA_DIR, DATABASE_URL, warnings } = config;
  const provider = providerName(config);
  const setup = await createSetupLink({ config, db }, now());
  const remedy = (await isMarked(db)) ? ", because the database has sample content" : "; set MAILER_API_KEY to send";
  const rows: [name: string, value: string][] = [
    ["Site", BASE_URL],
    ["Listening", address],
    ["Dashboard", `${BASE_URL}/dashboard`],
    ["API", `${BASE_URL}/docs`],
    ["Data", DATABASE_URL ? "PostgreSQL, by DATABASE_URL" : resolve(DATA_DIR)],
    ["Email", provider ? `live, through ${provider}` : `simulated (logged, not sent)${remedy}`],
    ["Storage", nodes(await storage.nodes.list())],
    ...warnings.map((warning): [string, string] => ["Check", warning]),
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`);
  const first = setup
    ? `  No manager yet. Open this one-time link within 60 minutes to set up Postroom:\n  ${setup.url}\n\n`
    : "";
  return `\nPostroom is running.\n\n${lines.join("\n")}\n\n${first}`;
}

function nodes(all: { name: string; endpoint: string; state: string }[]): string {
  const usable = all.filter(({ state }) => state === "active");
  if (!usable.length) return "none; uploads fail with 507. Set MINIO_ENDPOINT or run `postroom nodes add`";
  return usable
    .map(
      ({ name, endpoint }) => `${name}, ${endpoint}${name === "embedded" ? " (development storage, in DATA_DIR)" : ""}`,
    )
    .join("; ");
}

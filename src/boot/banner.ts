import { resolve } from "node:path";
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
  const { BASE_URL, DATA_DIR, MAILER_API_KEY } = config;
  const setup = await createSetupLink({ config, db }, now());
  const rows: [name: string, value: string][] = [
    ["Site", BASE_URL],
    ["Listening", address],
    ["Dashboard", `${BASE_URL}/dashboard`],
    ["API", `${BASE_URL}/docs`],
    ["Data", resolve(DATA_DIR)],
    [
      "Mail",
      MAILER_API_KEY
        ? `live, through ${providerName(MAILER_API_KEY)}`
        : "simulated: written to this log; set MAILER_API_KEY to send",
    ],
    ["Storage", nodes(await storage.nodes.list())],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`);
  const first = setup
    ? `  There is no manager yet. Open this link within 60 minutes; it works once:\n  ${setup.url}\n\n`
    : "";
  return `\nPostroom is open.\n\n${lines.join("\n")}\n\n${first}`;
}

function nodes(all: { name: string; endpoint: string; state: string }[]): string {
  const usable = all.filter(({ state }) => state === "active");
  if (!usable.length) return "none: uploads answer 507; set MINIO_ENDPOINT or run `postroom nodes add`";
  return usable
    .map(
      ({ name, endpoint }) => `${name}, ${endpoint}${name === "embedded" ? " (development storage, in DATA_DIR)" : ""}`,
    )
    .join("; ");
}

import { resolve } from "node:path";
import type { Deps } from "./deps";

/** What a person wants to know when the service has started. The only text on stdout that is not a line of JSON. */
export async function banner({ config }: Deps): Promise<string> {
  const rows: [string, string][] = [
    ["Listening", `http://${config.HOST}:${config.PORT}`],
    ["Address", config.BASE_URL],
    ["Data", resolve(config.DATA_DIR)],
    ["Mail", config.MAILER_API_KEY ? "live, through Resend" : "simulated: written to this log (set MAILER_API_KEY)"],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`);
  return `\nPostroom is open.\n\n${lines.join("\n")}\n\n`;
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { latestMigration } from "../../db/ops/migrate";
import { listenAddress } from "../platform/config";
import { type Command, complain, print } from "./command";

const waitLimitMs = 2_500;

/** The state of the sources in git. In a folder, git knows it better. */
const revisionFile = join(import.meta.dir, "../../revision");

export const commands: Command[] = [
  {
    usage: "health",
    about:
      "Ask the service on HOST and PORT whether it works, for container health checks; exits with 1 if it does not",
    async run() {
      const url = `${listenAddress()}/healthz`;
      const problem = await fetch(url, { signal: AbortSignal.timeout(waitLimitMs) }).then(
        (response) => !response.ok && `${url} responded with ${response.status}.`,
        () => `${url} does not respond.`,
      );
      if (problem) complain(`postroom: ${problem}`);
      return problem ? 1 : 0;
    },
  },
  {
    usage: "version",
    about: "Show what this program is (version, revision of an executable, latest migration, version of Bun)",
    async run() {
      const revision = existsSync(revisionFile) ? readFileSync(revisionFile, "utf8") : "–";
      print(version, revision, latestMigration(), Bun.version);
    },
  },
];

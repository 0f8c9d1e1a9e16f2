import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/processes";
import { visitEverything } from "./visit-everything";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

/** The secret as it is, and as someone may have encoded it. */
const spellings = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1), // the last letter depends on what follows
  Buffer.from(secret).toString("hex"),
  JSON.stringify(secret).slice(1, -1),
];

test("after a day's work no secret is in the database, its log, a backup or the service's output (S7)", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const backup = join(folder.path, "backup.sqlite");
  const { secrets, out, err } = await visitEverything(dataDir, backup);

  expect(Object.entries(secrets).filter(([, secret]) => secret.length < 10)).toEqual([]); // each was really issued
  expect(Object.keys(secrets).length).toBeGreaterThan(32);
  const state = happened(backup);
  expect(state).toEqual({ subscribers: 1, messages: 1, keys: 2, uploads: 1, secondSteps: 1, sessions: 1, settings: 1 });

  const setUp = secrets["token of the set-up link"] ?? "";
  const leaving = secrets["token of the unsubscribe link"] ?? "";
  const places = {
    database: readFileSync(join(dataDir, "postroom.sqlite"), "latin1"),
    log: readFileSync(join(dataDir, "postroom.sqlite-wal"), "latin1"),
    backup: readFileSync(backup, "latin1"),
    // the two exceptions of D32 and D36, each on a line of its own
    stdout: out
      .replace(`/dashboard/setup?token=${setUp}`, "")
      .replace(new RegExp(`^.*"mail simulated".*${leaving}.*$`, "m"), ""),
    stderr: err,
  };
  expect(out.length - places.stdout.length).toBeGreaterThan(setUp.length + leaving.length);
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
      .map(([name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
  expect(places.backup).toContain("ada@example.com"); // what is not secret can be found, so the search works
  expect(places.log.length).toBeGreaterThan(100_000);
});

/** What happened by then, so that the search is not in vain. */
function happened(file: string) {
  using sqlite = new Database(file, { readonly: true });
  const count = (sql: string) => sqlite.query<{ n: number }, []>(`select count(*) n from ${sql}`).get()?.n;
  return {
    subscribers: count("subscribers where state = 'unsubscribed'"),
    messages: count("messages"),
    keys: count("api_keys"),
    uploads: count("uploads where state = 'completed'"),
    secondSteps: count("managers where totp_secret is not null"),
    sessions: count("sessions"),
    settings: count("settings where key = 'siteTitle'"),
  };
}

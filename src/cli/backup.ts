import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Db } from "../../db/engine/open";
import { inspect, recordOpened } from "../../db/ops/backup-file";
import * as state from "../../db/ops/backup-state";
import { backup } from "../../db/ops/backup";
import { databaseName, erasuresName, openStore, secretName } from "../backups/copies";
import { isBeingCopied, runBackup } from "../backups/job";
import { temporaryFolder } from "../backups/open-copy";
import { placeOf } from "../backups/place";
import { fetchCopy, type Fetched, identitiesIn, openFile } from "../backups/fetch-copy";
import { type Place, putBack, putSecretBack, tryToRestore } from "../backups/restore";
import { jobFor, recordAttempt } from "../backups/schedule";
import { lockData, needsOwnDatabase } from "../boot/data";
import type { BackupPlace } from "../platform/config-fields";
import { type Config, loadConfig } from "../platform/config";
import { databaseFile, erasureLog, prepareDataDir } from "../platform/data-dir";
import { type Command, complain, figure, type Flags, needsFile, print, withData } from "./command";

const ownTools = "copy it with pg_dump, or use the copies of its provider.";
const text = { type: "string" } as const;

export const commands: Command[] = [
  {
    usage: "backup init [--recipient=age1…] [--replace]",
    about:
      "Make the key for the copies at BACKUP_URL and print it (shown only once). With --recipient, use the public half of a key that you have. --replace is for a second key: earlier copies still need the first",
    options: { recipient: text, replace: { type: "boolean" } },
    run: (_, { recipient, replace }) =>
      withData(async ({ config, db }) => {
        needsOwnDatabase(config, ownTools);
        if (!replace && (await state.backupRecipient(db)))
          throw new Error("There is a key already. With --replace, copies from now on are made for a new one.");
        const identity = recipient === undefined ? await generateX25519Identity() : undefined;
        const own = identity ? await identityToRecipient(identity) : String(recipient);
        if (!/^age1[a-z0-9]{58}$/.test(own)) throw new Error("--recipient must be the public half of a key, age1….");
        await state.setBackupRecipient(db, own);
        if (identity) print(identity);
        complain(
          `Copies are encrypted for ${own}. Keep the key away from this machine: without it, no copy can be opened.`,
        );
      }),
  },
  {
    usage: "backup now",
    about: "Make a copy at BACKUP_URL, read it back, compare it and try to restore it (name, bytes)",
    run: () =>
      withData(async ({ config, db }) => {
        await placeFor(config, db); // says what is wrong before the key is asked for
        const job = await jobFor({ config, db }, 1);
        if (!job) throw new Error("There is no key yet: run “backup init”.");
        if (isBeingCopied(job)) complain("Another copy is being made. This one begins when it is done.");
        const result = await runBackup(job);
        await recordAttempt(db, result, new Date());
        if (!result.copy) throw new Error(`No copy was made: ${result.problem}`);
        print(result.copy.name, result.copy.bytes);
        if (result.leftover)
          complain(`Older copies were not removed, which the next copy tries again: ${result.leftover}`);
      }),
  },
  {
    usage: "backup list",
    about: "List the copies at BACKUP_URL that were read back and compared, oldest first (name, time, bytes)",
    run: () =>
      withData(async ({ config, db }) => {
        const store = openStore(await placeFor(config, db));
        for (const { name, at, bytes } of await store.copies(await state.backupId(db))) print(name, at, bytes);
      }),
  },
  {
    usage: "backup verify [--identity=FILE]",
    about: "Open the newest copy at BACKUP_URL with the key, which is read from FILE or stdin, and try to restore it",
    options: { identity: text },
    run: (_, { identity }) =>
      withData(async ({ config, db, now }) => {
        const place = await placeFor(config, db); // says what is wrong before the key is asked for
        using folder = temporaryFolder(config.DATA_DIR);
        const wanted = {
          when: "latest",
          installation: await state.backupId(db),
          identities: identitiesFrom(identity),
          folder: folder.path,
        };
        const { manifest, erasures } = await fetchCopy(place, wanted);
        await tryToRestore(folder.path, [erasureLog(config), ...erasures]);
        await state.recordBackup(db, { verifiedAt: now.getTime() });
        print(manifest.name, "can be restored");
      }),
  },
  {
    usage: "backup <file>",
    about: "Back up the database to a new file; safe while the service is running",
    async run([name = ""]) {
      const config = loadConfig();
      needsOwnDatabase(config, ownTools);
      const file = resolve(name);
      prepareDataDir(config.DATA_DIR);
      if (!existsSync(databaseFile(config))) throw new Error("No database found in DATA_DIR.");
      if (existsSync(file)) throw new Error(`${file} already exists. Choose a new file name.`);
      if (!existsSync(dirname(file))) throw new Error(`Folder not found: ${dirname(file)}.`);
      await backup(databaseFile(config), file);
      print(file, `${figure(statSync(file).size)} bytes`);
      complain(
        "Also keep a copy of the secret (DATA_DIR/secret or APP_SECRET) in a different place. Without it, unsubscribe links in sent emails, stored node credentials and two-step verification stop working.",
      );
    },
  },
  {
    usage: "restore <file> [--identity=FILE] [--installation=ID]",
    about:
      "Replace the database with a backup; stop the service first. The file may be s3:latest or s3:2026-11-20T12:00 (UTC), the newest copy at BACKUP_URL until then, or a file .age. For these, the key is read from FILE or stdin",
    options: { identity: text, installation: text },
    async run([name = ""], flags) {
      const config = loadConfig();
      needsOwnDatabase(config, "restore it with pg_restore, or from the copies of its provider.");
      const isEncrypted = name.startsWith("s3:") || name.endsWith(".age");
      if (!isEncrypted) needsUsable(resolve(name));
      const lock = lockData(config);
      try {
        const file = resolve(name);
        if (!isEncrypted) return await restoreFile(config, { place: copyFileSync, file, name: file, erasures: [] });
        using folder = temporaryFolder(config.DATA_DIR);
        const identities = identitiesFrom(flags.identity);
        const wanted = {
          when: name.slice(3),
          installation: flags.installation?.toString(),
          identities,
          folder: folder.path,
        };
        if (!name.startsWith("s3:")) needsFile(resolve(name));
        const fetched = await (name.startsWith("s3:")
          ? fetchCopy(await placeFor(config), wanted)
          : openFile(resolve(name), wanted));
        await restoreFetched(config, fetched, folder.path);
      } finally {
        lock.release();
      }
    },
  },
];

/** @throws if it cannot take the database's place */
function needsUsable(file: string): void {
  needsFile(file);
  const problem = inspect(file);
  if (problem) throw new Error(`${file} cannot be restored: ${problem}.`);
}

/** @param what `place` puts the file where the draft is, and `name` is printed as its name */
async function restoreFile(
  config: Config,
  { place, file, name, erasures }: { place: Place; file: string; name: string; erasures: string[] },
): Promise<void> {
  const { aside, paused, erased } = await putBack(config, place, file, erasures);
  print("restored", name);
  if (aside) print("previous database", aside);
  if (paused) print("paused broadcasts", paused);
  if (erased) print("erased people again", erased);
}

/** Puts back what a copy contains. Who was erased is erased before it replaces the database, so that no crash leaves them in it. */
async function restoreFetched(config: Config, { manifest, erasures }: Fetched, folder: string): Promise<void> {
  const hadDatabase = existsSync(databaseFile(config));
  await restoreFile(config, {
    place: renameSync, // on the same disk
    file: join(folder, databaseName),
    name: manifest.name,
    erasures: [join(folder, erasuresName), ...erasures],
  });
  recordOpened(databaseFile(config), new Date());
  print("as it was at", manifest.at);
  const secret = putSecretBack(config, join(folder, secretName), hadDatabase);
  if (secret) print("previous secret", secret);
}

/** @throws if BACKUP_URL is not set, or names a storage node that cannot be used */
async function placeFor(config: Config, db?: Db): Promise<BackupPlace> {
  needsOwnDatabase(config, ownTools);
  const place = await placeOf(config, db);
  if (!place) throw new Error("BACKUP_URL is not set: where the copies are.");
  return place;
}

/** Reads keys from a file, or from stdin. */
function identitiesFrom(file: Flags[string]): string[] {
  if (typeof file === "string") {
    needsFile(file);
    return identitiesIn(readFileSync(file, "utf8"));
  }
  if (process.stdin.isTTY) complain("Paste the key that “backup init” printed, then press Enter and Ctrl-D:");
  return identitiesIn(readFileSync(0, "utf8"));
}

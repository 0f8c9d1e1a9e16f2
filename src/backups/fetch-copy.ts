import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BackupPlace } from "../platform/config-fields";
import { atOnce } from "../platform/tar";
import { isKey, unpack } from "./archive";
import { type Copy, erasuresName, type Manifest, newestUntil, openStore, type Store } from "./copies";
import { needsSpace, openArchive, openCopy } from "./open-copy";

const neededFactor = 2.2; // the copy, and once more while it is rewritten without the people who were erased since

type Wanted = {
  /** "latest", or the time until which a copy is accepted. */
  when: string;
  /** The name of the installation; may be left out if there is only one. */
  installation: string | undefined;
  identities: string[];
  folder: string;
};

/** What was fetched: the copy's files are in the folder. */
export type Fetched = {
  manifest: Manifest;
  /** The logs of erasures that were copied alone, the newest last. Those of the copy itself are in its folder. */
  erasures: string[];
};

/** Fetches a copy from BACKUP_URL, and the logs of erasures copied since. @throws a message for the operator */
export async function fetchCopy(place: BackupPlace, wanted: Wanted): Promise<Fetched> {
  const store = openStore(place);
  const installation = await installationOf(store, wanted.installation);
  const copy = chosen(await store.copies(installation), wanted.when);
  await needsSpace(wanted.folder, neededFactor * copy.databaseBytes);
  const { identities, folder } = wanted;
  const key = store.keyOf(installation, copy.name);
  const manifest = await openCopy(store, { key, copy, identities, folder }).catch(explain);
  return { manifest, erasures: await erasuresOf(store, installation, wanted) };
}

/** The same for a copy in a file. */
export async function openFile(file: string, opening: Pick<Wanted, "identities" | "folder">): Promise<Fetched> {
  await needsSpace(opening.folder, neededFactor * Bun.file(file).size);
  return { manifest: await openArchive(Bun.file(file).stream(), opening).catch(explain), erasures: [] };
}

async function installationOf(store: Store, named: string | undefined): Promise<string> {
  const all = await store.installations();
  const [only] = all;
  if (!only) throw new Error("There are no copies at BACKUP_URL.");
  if (named === undefined && all.length > 1)
    throw new Error(
      `There are copies of several installations at BACKUP_URL. Name one with --installation: ${all.join(", ")}.`,
    );
  if (named !== undefined && !all.includes(named))
    throw new Error(`There are no copies of ${named}, only of ${all.join(", ")}.`);
  return named ?? only;
}

function chosen(copies: Copy[], when: string): Copy {
  const until = when === "latest" ? new Date(8.64e15) : new Date(/T\d\d:\d\d(:\d\d)?$/.test(when) ? `${when}Z` : when);
  if (Number.isNaN(until.getTime())) throw new Error("Write s3:latest, or a time in UTC such as s3:2026-11-20T12:00.");
  const copy = newestUntil(copies, until);
  if (!copy) throw new Error(`The oldest copy is of ${copies[0]?.at}. There is none until ${until.toISOString()}.`);
  return copy;
}

/** The newest contains all erasures. Older ones help if it was written on a machine whose log was incomplete. */
async function erasuresOf(store: Store, installation: string, { identities, folder }: Wanted): Promise<string[]> {
  const stored = (await store.list(store.foldersOf(installation).erasures)).sort((a, b) => a.key.localeCompare(b.key));
  const logs: string[] = [];
  for (const { key, size } of stored) {
    const own = join(folder, `erasures-${logs.length}`);
    mkdirSync(own, { recursive: true });
    try {
      await unpack(store.read(key, size), { identities, folder: own, names: [erasuresName] }, atOnce);
      logs.push(join(own, erasuresName));
    } catch (error) {
      if (!isOtherKey(error)) throw error;
      if (key === stored.at(-1)?.key)
        throw new Error(
          "The newest log of erasures was encrypted for another key. Put both keys into the file of --identity.",
        );
    }
  }
  return logs;
}

const isOtherKey = (error: unknown) => error instanceof Error && error.message.includes("no identity matched");

/** @throws the error, in words of ours if the key is another one */
function explain(error: unknown): never {
  if (isOtherKey(error))
    throw new Error("This key does not open the copy. Use the one that `backup init` printed when the copy was made.");
  throw error;
}

/** Returns the keys in the text of a key file. @throws if there is none */
export function identitiesIn(text: string): string[] {
  const keys = text.toUpperCase().match(/AGE-SECRET-KEY-1[A-Z0-9]+/g);
  if (!keys) throw new Error("This is not a key of a backup: those begin with AGE-SECRET-KEY-1.");
  if (!keys.every(isKey)) throw new Error("This key is not complete, or has another letter somewhere. Copy it again.");
  return keys;
}

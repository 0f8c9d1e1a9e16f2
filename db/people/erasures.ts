import { Database } from "bun:sqlite";
import { and, desc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { appendFileSync, chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import type { Db, Orm } from "../engine/open";
import { ensureAddressKey, installationValue } from "../installation";
import { windowsOf } from "../lib/rows";
import { openDb } from "../open";
import { removeLogs, sync } from "../ops/backup-file";
import { savedViews } from "../schema/access";
import { segments } from "../schema/audience";
import { auditEvents } from "../schema/audit";
import { broadcastBatches, broadcastRecipients } from "../schema/broadcasts";
import { messageEntries, messages, snippets } from "../schema/contact";
import { outbox } from "../schema/mail";
import { audienceTags, subscribers } from "../schema/newsletter";
import { sequences } from "../schema/sequences";
import { erasures, type ErasureScope, suppressions } from "../schema/suppressions";
import { hashWith, suppressErased } from "../suppressions/suppressions";
import { erase, type Eraser, type Erasing, type Erasure, nothing } from "./erase";

/**
 * Erases a person, after recording outside the database that it was begun.
 *
 * @param logFile the log of erasures next to the database
 */
export async function erasePerson(
  db: Db,
  logFile: string,
  what: Omit<Erasing, "id" | "at">,
  by: Eraser,
  now: Date,
): Promise<Erasure> {
  const id = Bun.randomUUIDv7();
  const key = await db.write(ensureAddressKey);
  append(logFile, [{ key, erasures: [{ id, at: now, hash: hashWith(key, what.email), scope: what.scope }] }]);
  return erase(db, { ...what, id }, by, now);
}

/** Returns the latest erasures, newest first; at most `limit`. */
export const latest = (db: Db, limit: number) =>
  db.read((orm) => orm.select().from(erasures).orderBy(desc(erasures.id)).limit(limit).all());

/** Returns an erasure; `isWaiting` while an email with an unknown outcome may have to be repeated unchanged. */
export const byId = (db: Db, id: string) =>
  db.read(async (orm) => {
    const erasure = await orm.select().from(erasures).where(eq(erasures.id, id)).get();
    return erasure && { ...erasure, isWaiting: (await stillFrozen(orm, erasure)) > 0 };
  });

/** Records how often the address was found in the database file after the erasure. */
export const checked = (db: Db, id: string, remnants: number | undefined, now: Date) =>
  db.write((orm) =>
    orm
      .update(erasures)
      .set({ checkedAt: now, remnants: remnants ?? null })
      .where(eq(erasures.id, id))
      .run(),
  );

/** Returns the finished erasures after which the database file was not searched, the oldest first. */
export const unchecked = (db: Db) =>
  db.read((orm) =>
    orm
      .select({ id: erasures.id, scope: erasures.scope })
      .from(erasures)
      .where(and(isNotNull(erasures.finishedAt), isNull(erasures.checkedAt)))
      .orderBy(erasures.id)
      .all(),
  );

async function stillFrozen(orm: Orm, { waitsFor }: Erasure): Promise<number> {
  if (!waitsFor) return 0;
  const where = and(inArray(broadcastBatches.row, waitsFor), isNotNull(broadcastBatches.frozen));
  return (await orm.select({ row: broadcastBatches.row }).from(broadcastBatches).where(where).all()).length;
}

/**
 * Ends the erasures whose last emails are settled, and deletes the errors of these emails, which may name the person.
 * The number of remnants that was found included these emails, and the search cannot be repeated.
 */
export const endWaiting = (db: Db) =>
  db.write(async (orm) => {
    for (const erasure of await orm.select().from(erasures).where(isNotNull(erasures.waitsFor)).limit(100).all()) {
      if ((await stillFrozen(orm, erasure)) > 0) continue;
      const batches = erasure.waitsFor ?? [];
      const { batchRow, subscriberRow } = broadcastRecipients;
      const unknown = and(inArray(batchRow, batches), isNull(subscriberRow));
      await orm.update(broadcastRecipients).set({ error: null, providerId: null }).where(unknown).run();
      await orm.update(broadcastBatches).set({ lastError: null }).where(inArray(broadcastBatches.row, batches)).run();
      await orm.update(erasures).set({ waitsFor: null, remnants: null }).where(eq(erasures.id, erasure.id)).run();
    }
  });

const system = { actor: "system", via: "cli" } as const;

/**
 * Carries out the erasures that the log contains and the database does not know, because an earlier backup was
 * restored, or the service crashed in between. Returns how many there were. Cheap if there are none.
 */
export async function eraseAgain(db: Db, logFile: string, now: Date, pause?: Limits["pause"]): Promise<number> {
  let count = 0;
  for (const { key, erasures: logged } of readErasures(logFile)) {
    const due = await missing(db, logged);
    if (!due.length) continue;
    const isOurs = (await db.write((orm) => installationValue(orm, "addressKey", key))) === key;
    const emails = await addressesWith(db, key, new Set(due.map(({ hash }) => hash)), pause);
    for (const { id, hash, scope, at } of due) {
      const email = emails.get(hash);
      if (email !== undefined) await erase(db, { id, email, scope, at }, system, now);
      else await remember(db, { id, hash, scope, at }, isOurs, now);
      count++;
      await pause?.();
    }
  }
  return count;
}

/** Returns those that the database has not finished. */
async function missing(db: Db, logged: LoggedErasure[]): Promise<LoggedErasure[]> {
  const done = new Set<string>();
  for (let at = 0; at < logged.length; at += 500) {
    const ids = logged.slice(at, at + 500).map(({ id }) => id);
    const isDone = and(inArray(erasures.id, ids), isNotNull(erasures.finishedAt));
    const rows = await db.read((orm) => orm.select({ id: erasures.id }).from(erasures).where(isDone).all());
    for (const { id } of rows) done.add(id);
  }
  return logged.filter(({ id }) => !done.has(id));
}

/**
 * For an address under which nothing is stored: only suppresses it. @param isOurs whether the database hashes with the
 * same key
 */
const remember = (db: Db, { id, hash, scope, at }: LoggedErasure, isOurs: boolean, now: Date) =>
  db.write(async (orm) => {
    const row = { id, hash, at, by: system.actor, scope, counts: nothing, finishedAt: now };
    await orm
      .insert(erasures)
      .values(row)
      .onConflictDoUpdate({ target: erasures.id, set: { finishedAt: now } })
      .run();
    if (isOurs && scope.includes("suppression")) await suppressErased(orm, hash, at);
  });

const addressInText = /[^\s<>"',;:()[\]]{1,64}@[^\s<>"',;:()[\]]{1,255}/g;

/** Returns every stored address that has one of these hashes. */
async function addressesWith(
  db: Db,
  key: string,
  hashes: Set<string>,
  pause: Limits["pause"] | undefined,
): Promise<Map<string, string>> {
  const emailByHash = new Map<string, string>();
  for await (const email of allAddresses(db, pause)) {
    const hash = hashWith(key, email);
    if (hashes.has(hash)) emailByHash.set(hash, email);
  }
  return emailByHash;
}

async function* allAddresses(db: Db, pause?: Limits["pause"]): AsyncGenerator<string> {
  const columns = [
    { table: subscribers, id: subscribers.row, email: subscribers.email },
    { table: messages, id: messages.id, email: messages.email },
    { table: messageEntries, id: messageEntries.id, email: messageEntries.email },
    { table: outbox, id: outbox.id, email: outbox.recipient },
    { table: suppressions, id: suppressions.hash, email: suppressions.email },
  ];
  for (const { table, id, email } of columns)
    for await (const window of windowsOf(db, table, id)) {
      for (const row of await db.read((orm) => orm.select({ email }).from(table).where(window).all()))
        if (row.email) yield row.email;
      await pause?.();
    }
  for await (const window of windowsOf(db, auditEvents, auditEvents.id)) {
    for (const { target, details } of await db.read((orm) => orm.select().from(auditEvents).where(window).all()))
      yield* addressesIn([target ?? "", ...Object.values(details)]);
    await pause?.();
  }
  for (const texts of await db.read(textsOf)) yield* addressesIn(texts);
}

const addressesIn = (texts: string[]) => [...texts.join(" ").matchAll(addressInText)].map(([address]) => address);

/** What managers named or chose by an address. There is little of it, so all is read. */
async function textsOf(orm: Orm): Promise<string[][]> {
  const all = await Promise.all([
    orm.select({ one: savedViews.name, other: savedViews.query }).from(savedViews).all(),
    orm.select({ one: audienceTags.name, other: audienceTags.name }).from(audienceTags).all(),
    orm.select({ one: snippets.name, other: snippets.text }).from(snippets).all(),
    orm.select({ one: segments.name, other: segments.definition }).from(segments).all(),
    orm.select({ one: sequences.name, other: sequences.segment }).from(sequences).all(),
  ]);
  return all.flat().map(({ one, other }) => [one, other, ...new URLSearchParams(other).values()]);
}

/** What work on a large file keeps to. */
type Limits = {
  /** Called after each piece of work; waits if the process has used more than its share of the processor. */
  pause: () => Promise<void>;
  /** @throws if the disk has fewer bytes free */
  needsSpace: (bytes: number) => Promise<void>;
};

/**
 * Erases from a restored copy the people who were erased after the backup was made. The copy is migrated for this. It is
 * rewritten so that its unused space contains nothing of them, nor of those whose erasure was not checked before the
 * backup. Returns how many erasures there were.
 *
 * @param file the restored copy, which no service uses yet
 */
export async function eraseRestored(
  file: string,
  logFile: string,
  now: Date,
  { pause, needsSpace }: Limits,
): Promise<number> {
  if (!readErasures(logFile).length) return 0;
  const db = await openDb(file);
  let [erased, due]: [number, { id: string }[]] = [0, []];
  try {
    erased = await eraseAgain(db, logFile, now, pause);
    due = await unchecked(db);
    for (const { id } of due) await checked(db, id, undefined, now);
  } finally {
    await db.close();
  }
  // Statements that are not collected yet keep the connection, so the journal mode cannot be changed here
  if (!due.length && !hasLog(file)) removeLogs(file);
  else {
    await needsSpace(statSync(file).size);
    rewrite(file);
  }
  return erased;
}

/** Whether a log has what the file has not. */
const hasLog = (file: string) => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Replaces the file of a database that no one uses by a copy without unused space. */
function rewrite(file: string): void {
  const rewritten = `${file}.rewritten`;
  rmSync(rewritten, { force: true });
  const sqlite = new Database(file, { readwrite: true, create: false });
  sqlite.run("VACUUM INTO ?", [rewritten]);
  sqlite.close();
  removeLogs(file);
  chmodSync(rewritten, 0o600);
  renameSync(rewritten, file);
}

/** A line of the log: an erasure, by the hash of its address. */
type LoggedErasure = { id: string; at: Date; hash: string; scope: ErasureScope };
/** Erasures, with the key that their addresses were hashed with. */
type Keyed = { key: string; erasures: LoggedErasure[] };

/**
 * All erasures that were ever begun, in a file next to the database, so that a restored backup does not bring anyone
 * back. A line is "key" and a key, or the time, ID, hash and scope of an erasure, separated by tabs. The key is
 * included because a backup may be older than it.
 */
function append(file: string, from: Keyed[]): void {
  let lastKey = readErasures(file).at(-1)?.key;
  const lines: string[] = [];
  for (const { key, erasures } of from)
    for (const { id, at, hash, scope } of erasures) {
      if (key !== lastKey) lines.push(`key\t${key}`);
      lastKey = key;
      lines.push([at.toISOString(), id, hash, scope.join(",")].join("\t"));
    }
  if (!lines.length) return;
  const begun = existsSync(file) && !readFileSync(file, "utf8").endsWith("\n") ? "\n" : ""; // a crash cut the last line short
  appendFileSync(file, `${begun}${lines.join("\n")}\n`, { mode: 0o600 });
  sync(file);
}

export const readErasures = (file: string): Keyed[] => (existsSync(file) ? erasuresIn(readFileSync(file, "utf8")) : []);

export function erasuresIn(log: string): Keyed[] {
  const groups: Keyed[] = [];
  for (const line of log.split("\n")) {
    const [first = "", second = "", hash = "", scope = ""] = line.split("\t");
    const at = new Date(first);
    if (first === "key" && second) groups.push({ key: second, erasures: [] });
    else if (hash && !Number.isNaN(at.getTime()))
      groups.at(-1)?.erasures.push({ id: second, at, hash, scope: scope.split(",") as ErasureScope });
  }
  return groups;
}

/** Adds the erasures of another log that this one does not have. */
export function addErasures(file: string, from: Keyed[]): void {
  const own = new Set(readErasures(file).flatMap(({ erasures }) => erasures.map(({ id }) => id)));
  const isNew = ({ id }: LoggedErasure) => !own.has(id) && own.add(id);
  append(
    file,
    from.map(({ key, erasures }) => ({ key, erasures: erasures.filter(isNew) })),
  );
}

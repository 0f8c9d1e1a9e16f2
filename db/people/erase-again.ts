import { and, inArray, isNotNull } from "drizzle-orm";
import type { Db } from "../engine/open";
import { installationValue } from "../installation";
import { windowsOf } from "../lib/rows";
import { auditEvents } from "../schema/audit";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscribers } from "../schema/newsletter";
import { erasures, suppressions } from "../schema/suppressions";
import { hashWith, suppressErased } from "../suppressions/suppressions";
import { erase, nothing } from "./erase";
import { type LoggedErasure, readErasures } from "./erasure-log";
import { Database } from "bun:sqlite";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { openDb } from "../open";

const system = { actor: "system", via: "cli" } as const;

/**
 * Carries out the erasures that the log contains and the database does not know, because an earlier backup was
 * restored, or the service crashed in between. Returns how many there were. Cheap if there are none.
 */
export async function eraseAgain(db: Db, logFile: string, now: Date): Promise<number> {
  let count = 0;
  for (const { key, erasures: logged } of readErasures(logFile)) {
    const due = await missing(db, logged);
    if (!due.length) continue;
    const isOurs = (await db.write((orm) => installationValue(orm, "addressKey", key))) === key;
    const emails = await addressesWith(db, key, new Set(due.map(({ hash }) => hash)));
    for (const { id, hash, scope, at } of due) {
      const email = emails.get(hash);
      if (email !== undefined) await erase(db, { id, email, scope, at }, system, now);
      else await remember(db, { id, hash, scope, at }, isOurs, now);
      count++;
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
async function addressesWith(db: Db, key: string, hashes: Set<string>): Promise<Map<string, string>> {
  const emailByHash = new Map<string, string>();
  for await (const email of allAddresses(db)) {
    const hash = hashWith(key, email);
    if (hashes.has(hash)) emailByHash.set(hash, email);
  }
  return emailByHash;
}

async function* allAddresses(db: Db): AsyncGenerator<string> {
  const columns = [
    { table: subscribers, id: subscribers.row, email: subscribers.email },
    { table: messages, id: messages.id, email: messages.email },
    { table: outbox, id: outbox.id, email: outbox.recipient },
    { table: suppressions, id: suppressions.hash, email: suppressions.email },
  ];
  for (const { table, id, email } of columns)
    for await (const window of windowsOf(db, table, id))
      for (const row of await db.read((orm) => orm.select({ email }).from(table).where(window).all()))
        if (row.email) yield row.email;
  for await (const window of windowsOf(db, auditEvents, auditEvents.id))
    for (const { target, details } of await db.read((orm) => orm.select().from(auditEvents).where(window).all()))
      for (const [address] of [target ?? "", ...Object.values(details)].join(" ").matchAll(addressInText))
        yield address;
}

/**
 * Erases from a restored copy the people who were erased after the backup was made. The copy is migrated for this, and
 * rewritten so that its unused space contains nothing of them. Returns how many erasures there were.
 *
 * @param file the restored copy, which no service uses yet
 */
export async function eraseRestored(file: string, logFile: string, now: Date): Promise<number> {
  if (!readErasures(logFile).length) return 0;
  const db = await openDb(file);
  const erased = await eraseAgain(db, logFile, now).finally(() => db.close());
  const rewritten = `${file}.rewritten`;
  rmSync(rewritten, { force: true });
  const sqlite = new Database(file, { readwrite: true, create: false });
  sqlite.run("VACUUM INTO ?", [rewritten]);
  sqlite.close();
  for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
  chmodSync(rewritten, 0o600);
  renameSync(rewritten, file);
  return erased;
}

import { and, eq, gte, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Orm } from "../engine/open";
import { foldAll } from "../lib/fold";
import { clockSlackMs } from "../lib/time";
import { withKey } from "../newsletter/subscribers";
import { auditEvents } from "../schema/audit";
import { messageEntries, messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { mentions, without } from "./address";
import { entriesIn, isToThem, type Target } from "./traces";

const perCommit = 200;

/** Removes the person from audit log entries, which stay. Returns how many were changed. */
export async function eraseEntries(db: Db, of: Target): Promise<number> {
  let count = 0;
  for (let at = 0; at < of.auditIds.length; at += perCommit) {
    const ids = of.auditIds.slice(at, at + perCommit);
    count += await db.write(async (orm) => {
      let changed = 0;
      for (const id of ids) {
        const entry = await orm.select().from(auditEvents).where(eq(auditEvents.id, id)).get();
        if (!entry || !isMeant(entry.action, of)) continue;
        await orm.update(auditEvents).set(withoutPerson(entry, of)).where(eq(auditEvents.id, id)).run();
        changed++;
      }
      return changed;
    });
  }
  return count;
}

/** Whether an entry is about what is being erased. */
const isMeant = (action: string, { scope }: Pick<Target, "scope">) =>
  scope.includes(action.startsWith("message.") ? "messages" : "subscription");

function withoutPerson(entry: typeof auditEvents.$inferSelect, { address, label }: Target) {
  const target = entry.target && mentions(entry.target, address) ? label : entry.target;
  const facts = Object.entries(entry.details).map(([name, text]) => [name, without(text, address, label)]);
  return { target, details: Object.fromEntries(facts), folded: foldAll(target, entry.targetId) };
}

/**
 * Whether anything was stored under the address since its traces were found. Of emails and audit entries, only the
 * latest are read, by the time they were written, with a margin for processes whose clocks differ.
 */
export async function isAnythingLeft(orm: Orm, { address, scope, isManager, now }: Target): Promise<boolean> {
  const since = new Date(now.getTime() - clockSlackMs);
  const isOfSender = eq(messages.emailKey, address.key);
  if (scope.includes("messages") && (await isAny(orm, messages, isOfSender))) return true;
  const isAnswer = eq(messageEntries.emailKey, address.key);
  if (scope.includes("messages") && (await isAny(orm, messageEntries, isAnswer))) return true;
  const isNew = and(gte(outbox.createdAt, since), isToThem(address));
  if (scope.includes("subscription") && ((await withKey(orm, address.key)) || (await isAny(orm, outbox, isNew))))
    return true;
  const entries = await entriesIn(orm, gte(auditEvents.createdAt, since), address, isManager);
  return entries.some(({ action }) => isMeant(action, { scope }));
}

const isAny = async (orm: Orm, table: SQLiteTable, where: SQL | undefined) =>
  (await orm.select().from(table).where(where).limit(1).get()) !== undefined;

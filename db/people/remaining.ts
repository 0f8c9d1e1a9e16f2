import { and, eq, gte, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Orm } from "../engine/open";
import { clockSlackMs } from "../lib/clock-slack";
import { withKey } from "../newsletter/subscribers";
import { auditEvents } from "../schema/audit";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { isMeant } from "./erase-entries";
import { entriesIn, isToThem, type Target } from "./traces";

/**
 * Whether anything was stored under the address since its traces were found. Of emails and audit entries, only the
 * latest are read, by the time they were written, with a margin for processes whose clocks differ.
 */
export async function isAnythingLeft(orm: Orm, { address, scope, isManager, now }: Target): Promise<boolean> {
  const since = new Date(now.getTime() - clockSlackMs);
  const isOfSender = eq(messages.emailKey, address.key);
  if (scope.includes("messages") && (await isAny(orm, messages, isOfSender))) return true;
  const isNew = and(gte(outbox.createdAt, since), isToThem(address));
  if (scope.includes("subscription") && ((await withKey(orm, address.key)) || (await isAny(orm, outbox, isNew))))
    return true;
  const entries = await entriesIn(orm, gte(auditEvents.createdAt, since), address, isManager);
  return entries.some(({ action }) => isMeant(action, { scope }));
}

const isAny = async (orm: Orm, table: SQLiteTable, where: SQL | undefined) =>
  (await orm.select().from(table).where(where).limit(1).get()) !== undefined;

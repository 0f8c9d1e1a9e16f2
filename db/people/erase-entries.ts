import { eq } from "drizzle-orm";
import type { Db } from "../engine/open";
import { foldAll } from "../lib/fold";
import { auditEvents } from "../schema/audit";
import { mentions, without } from "./address";
import type { Target } from "./traces";

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
export const isMeant = (action: string, { scope }: Pick<Target, "scope">) =>
  scope.includes(action.startsWith("message.") ? "messages" : "subscription");

function withoutPerson(entry: typeof auditEvents.$inferSelect, { address, label }: Target) {
  const target = entry.target && mentions(entry.target, address) ? label : entry.target;
  const facts = Object.entries(entry.details).map(([name, text]) => [name, without(text, address, label)]);
  return { target, details: Object.fromEntries(facts), folded: foldAll(target, entry.targetId) };
}

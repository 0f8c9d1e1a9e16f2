import { and } from "drizzle-orm";
import type { Db } from "../engine/open";
import { windowsOf } from "../lib/windows";
import { broadcastBatches, broadcastRecipients } from "../schema/broadcasts";
import { outbox } from "../schema/mail";
import { providerEvents } from "../schema/suppressions";
import { type Address, mayMention } from "./address";

const kept = [
  {
    table: broadcastRecipients,
    key: broadcastRecipients.row,
    column: broadcastRecipients.error,
    none: { error: null },
  },
  { table: broadcastBatches, key: broadcastBatches.row, column: broadcastBatches.lastError, none: { lastError: null } },
  { table: outbox, key: outbox.id, column: outbox.lastError, none: { lastError: null } },
  { table: providerEvents, key: providerEvents.id, column: providerEvents.detail, none: { detail: null } },
];

/** Mail servers repeat addresses in their replies. Deletes those replies wherever they are stored. */
export async function eraseErrors(db: Db, address: Address): Promise<void> {
  for (const { table, key, column, none } of kept)
    for await (const window of windowsOf(db, table, key)) {
      const where = and(window, mayMention(column, address));
      await db.write((orm) => orm.update(table).set(none).where(where).run());
    }
}

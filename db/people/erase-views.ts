import { eq } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { savedViews } from "../schema/access";
import { type Address, mentions } from "./address";

/** Deletes the saved views that search for the address, whoever saved them. There are few, so all are read. */
export async function eraseViews(orm: Orm, address: Address): Promise<void> {
  for (const { id, name, query } of await orm.select().from(savedViews).all()) {
    const words = [name, ...new URLSearchParams(query).values()];
    if (words.some((text) => mentions(text, address))) await orm.delete(savedViews).where(eq(savedViews.id, id)).run();
  }
}

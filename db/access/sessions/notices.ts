import { eq } from "drizzle-orm";
import type { Db } from "../../engine/open";
import { sessions } from "../../schema/access";
import type { Session } from "./sessions";

const maxNotices = 3; // the newest

/** Leaves a notice for the page that the session opens next. */
export const leaveNotice = (db: Db, { hash }: Session, notice: unknown) =>
  db.write(async (orm) => {
    const session = await orm.select().from(sessions).where(eq(sessions.hash, hash)).get();
    const notices = [...(session?.notices ?? []), notice].slice(-maxNotices);
    await orm.update(sessions).set({ notices }).where(eq(sessions.hash, hash)).run();
  });

/** Removes the notices that were shown. Those left since the session was read are for the next page. */
export const clearNotices = (db: Db, { hash, notices }: Session) =>
  db.write(async (orm) => {
    const now = await orm.select().from(sessions).where(eq(sessions.hash, hash)).get();
    const shown = new Set(notices?.map((notice) => JSON.stringify(notice)));
    const rest = now?.notices?.filter((notice) => !shown.has(JSON.stringify(notice))) ?? [];
    await orm
      .update(sessions)
      .set({ notices: rest.length ? rest : null })
      .where(eq(sessions.hash, hash))
      .run();
  });

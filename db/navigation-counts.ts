import { and, count, eq, gt, isNull, sql } from "drizzle-orm";
import { dayMs } from "./lib/time";
import { type Db, prepared } from "./engine/open";
import { boxConditions } from "./contact/messages";
import { countActive } from "./newsletter/counts";
import { messages } from "./schema/contact";
import { outbox } from "./schema/mail";
import { settingValue } from "./setting-value";

const unread = prepared((orm) =>
  orm
    .select({ n: count() })
    .from(messages)
    .where(and(isNull(messages.readAt), boxConditions.inbox))
    .prepare(),
);
const failed = prepared((orm) =>
  orm
    .select({ n: count() })
    .from(outbox)
    .where(and(eq(outbox.state, "dead"), isNull(outbox.inDoubtSince), gt(outbox.createdAt, sql.placeholder("since"))))
    .prepare(),
);

/** Returns the counts shown beside the navigation on every page. Failed emails are those of the last seven days. */
export const navigationCounts = (db: Db, now: Date) =>
  db.read(async (orm) => ({
    active: await countActive(orm),
    unread: (await unread(orm).get())?.n ?? 0,
    failedMails: (await failed(orm).get({ since: now.getTime() - 7 * dayMs }))?.n ?? 0,
    siteTitle: (await settingValue(orm, "siteTitle"))?.trim() || undefined,
  }));

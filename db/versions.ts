import { eq, sql } from "drizzle-orm";
import { type Db, prepared } from ".";
import { versions } from "./schema";

export type Topic = "posts" | "projects" | "settings";
export type Version = { version: number; changedAt: Date };

const byTopic = prepared((orm) =>
  orm
    .select({ version: versions.version, changedAt: versions.changedAt })
    .from(versions)
    .where(eq(versions.topic, sql.placeholder("topic")))
    .prepare(),
);

/** How often a topic was changed, by whatever process, and when last. Triggers count; nobody has to remember to. */
export const current = (db: Db, topic: Topic) =>
  db.read((orm): Version => byTopic(orm).get({ topic }) ?? { version: 0, changedAt: new Date(0) });

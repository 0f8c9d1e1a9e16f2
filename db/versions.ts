import { eq, sql } from "drizzle-orm";
import { type Db, prepared } from ".";
import { remembered } from "./generation";
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

const find = remembered((orm, topic): Version | undefined => byTopic(orm).get({ topic }));

/** How often a topic was changed, by whatever process, and when last. Triggers count; nobody has to remember to. */
export const current = async (db: Db, topic: Topic): Promise<Version> =>
  (await find(db, topic)) ?? { version: 0, changedAt: new Date(0) };

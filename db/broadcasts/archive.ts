import { and, asc, desc, eq, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { cachedLookup } from "../engine/versions";
import { countRows } from "../lib/rows";
import { composed } from "../lib/text";
import { broadcastLetters, broadcasts } from "../schema/broadcasts";

/*
 * What the public can read of broadcasts. Listed ones are in the archive once they have been sent to everyone. The page
 * of a broadcast exists from the moment sending starts, because its emails link to it.
 */

/** Worded like the partial index `broadcasts_archive`. */
const isListed = sql`${broadcasts.archive} = 'listed' and ${broadcasts.state} = 'sent' and ${broadcasts.deletedAt} is null`;
const isReadable = and(
  ne(broadcasts.archive, "none"),
  isNotNull(broadcasts.startedAt),
  sql`${broadcasts.state} in ('sending', 'paused', 'sent', 'cancelled')`,
  sql`${broadcasts.deletedAt} is null`,
);

/** Returns the ID of the broadcast with this page, for counting its readers. */
export const idOf = (db: Db, slug: string): Promise<string | undefined> =>
  db.read(async (orm) => (await withSlug(orm).get({ slug: composed(slug) }))?.id);
const withSlug = prepared((orm) =>
  orm
    .select({ id: broadcasts.id })
    .from(broadcasts)
    .where(eq(broadcasts.slug, sql.placeholder("slug")))
    .prepare(),
);

/** The position of a broadcast, after which a list continues. */
type Position = { sentAt: Date; id: string };

const sentAt = sql<Date>`${broadcasts.finishedAt}`.mapWith(broadcasts.finishedAt);
/** The text is needed only if there is no preheader to describe the broadcast. */
const page = sql<unknown>`case when ${broadcasts.preheader} = '' then ${broadcastLetters.page} end`.mapWith(
  broadcastLetters.page,
);
const listed = {
  id: broadcasts.id,
  slug: broadcasts.slug,
  subject: broadcasts.subject,
  preheader: broadcasts.preheader,
};

const inArchive = (orm: Orm, where?: SQL) =>
  orm
    .select({ ...listed, sentAt, page })
    .from(broadcasts)
    .innerJoin(broadcastLetters, eq(broadcastLetters.broadcastRow, broadcasts.row))
    .where(and(isListed, where))
    .orderBy(desc(broadcasts.finishedAt), desc(broadcasts.id));

type Part = { limit: number; skip?: number; after?: Position | undefined };

/** Returns the listed broadcasts, the newest first, and their total number. `next` is set if the list continues. */
export const listArchived = (db: Db, { limit, skip = 0, after }: Part) =>
  db.read(async (orm) => {
    const rows = await inArchive(orm, after && isBefore(after))
      .limit(limit + 1)
      .offset(skip)
      .all();
    const items = rows.slice(0, limit);
    const total = await countRows(orm, broadcasts, isListed);
    return { broadcasts: items, total, next: rows.length > limit ? items.at(-1) : undefined };
  });

const counted = cachedLookup("broadcasts", (orm) => countRows(orm, broadcasts, isListed));

/** Returns how many broadcasts are listed. */
export const countListed = async (db: Db): Promise<number> => (await counted(db, "listed")) ?? 0;

const isBefore = ({ sentAt, id }: Position) =>
  sql`(${broadcasts.finishedAt}, ${broadcasts.id}) < (${sentAt.getTime()}, ${id})`;
const isAfter = ({ sentAt, id }: Position) =>
  sql`(${broadcasts.finishedAt}, ${broadcasts.id}) > (${sentAt.getTime()}, ${id})`;

/** Returns a broadcast that may be read on the web, with its text, and whether the archive lists it. */
export const readBySlug = (db: Db, slug: string) =>
  db.read(async (orm) => {
    const isIn = sql<boolean>`case when ${isListed} then 1 else 0 end`.mapWith(Boolean);
    const startedAt = sql<Date>`${broadcasts.startedAt}`.mapWith(broadcasts.startedAt);
    const times = { startedAt, finishedAt: broadcasts.finishedAt };
    return orm
      .select({ ...listed, ...times, archive: broadcasts.archive, isListed: isIn, page: broadcastLetters.page })
      .from(broadcasts)
      .innerJoin(broadcastLetters, eq(broadcastLetters.broadcastRow, broadcasts.row))
      .where(and(eq(broadcasts.slug, composed(slug)), isReadable))
      .get();
  });

/** Returns the listed broadcasts before and after this position. */
export const neighbours = (db: Db, position: Position) =>
  db.read(async (orm) => {
    const next = (where: SQL, direction: typeof asc) =>
      orm
        .select(listed)
        .from(broadcasts)
        .where(and(isListed, where))
        .orderBy(direction(broadcasts.finishedAt), direction(broadcasts.id))
        .limit(1)
        .get();
    return { older: await next(isBefore(position), desc), newer: await next(isAfter(position), asc) };
  });

/** Returns the slugs of the listed broadcasts, the newest first. */
export const listedSlugs = (db: Db, limit: number) =>
  db.read((orm) =>
    orm
      .select({ slug: broadcasts.slug, sentAt })
      .from(broadcasts)
      .where(isListed)
      .orderBy(desc(broadcasts.finishedAt), desc(broadcasts.id))
      .limit(limit)
      .all(),
  );

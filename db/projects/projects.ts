import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { countRows } from "../lib/rows";
import { composed, formerSlugOf } from "../lib/slug";
import { emitAll } from "../events/webhook-events";
import { isPublishedProject, projects } from "../schema/projects";

export type Project = typeof projects.$inferSelect;
/** The position of a project, after which a list continues. */
export type Position = Pick<Project, "featured" | "displayOrder" | "createdAt" | "id">;
type Page = { featured?: boolean | undefined; limit: number; after?: Position | undefined };

/** The columns of a list item (spec part 2), and those it is sorted by. */
const listed = {
  id: projects.id,
  slug: projects.slug,
  title: projects.title,
  description: projects.description,
  imageUrl: projects.imageUrl,
  liveUrl: projects.liveUrl,
  githubUrl: projects.githubUrl,
  featured: projects.featured,
  status: projects.status,
  clicks: projects.clicks,
  tech: projects.tech,
  author: projects.author,
  createdAt: projects.createdAt,
  updatedAt: projects.updatedAt,
  displayOrder: projects.displayOrder,
};

/** Returns published projects, featured ones first, and their total number. `next` is set if the list continues. */
export const listPublished = (db: Db, { featured, limit, after }: Page) =>
  db.read(async (orm) => {
    const where = and(isPublishedProject, featured === undefined ? undefined : eq(projects.featured, featured));
    const items = await orm
      .select(listed)
      .from(projects)
      .where(and(where, after && isAfter(after)))
      .orderBy(desc(projects.featured), asc(projects.displayOrder), desc(projects.createdAt), asc(projects.id))
      .limit(limit + 1)
      .all();
    const page = items.slice(0, limit);
    const total = await countRows(orm, projects, where);
    return { projects: page, total, next: items.length > limit ? page.at(-1) : undefined };
  });

const isAfter = ({ featured, displayOrder, createdAt, id }: Position) =>
  sql`(-${projects.featured}, ${projects.displayOrder}, -${projects.createdAt}, ${projects.id})
    > (${-Number(featured)}, ${displayOrder}, ${-createdAt.getTime()}, ${id})`;

/** In any status, including the trash. */
export const find = (orm: Orm, id: string): Promise<Project | undefined> =>
  orm.select().from(projects).where(eq(projects.id, id)).get();

/** Returns the published project; undefined for any other status and for unknown slugs alike. */
export const bySlug = (db: Db, slug: string) => db.read((orm) => onePublished(orm).get({ slug: composed(slug) }));

const onePublished = prepared((orm) =>
  orm
    .select(listed)
    .from(projects)
    .where(and(eq(projects.slug, sql.placeholder("slug")), isPublishedProject))
    .prepare(),
);

export type NewProject = Pick<Project, "slug" | "title"> &
  Partial<Omit<Project, "id" | "deletedAt" | "updatedAt" | "version">>;

/**
 * Inserts the project, or updates the one with this slug; missing fields keep their values. `clicks` and `createdAt`
 * apply to new projects only. A project in the trash is restored.
 */
export const save = (
  db: Db,
  { clicks = 0, createdAt, ...project }: NewProject,
  now: Date,
  record?: (orm: Orm) => Promise<void>,
) =>
  db.write(async (orm): Promise<Project> => {
    await record?.(orm);
    const slug = (await formerSlugIn(orm, project)) ?? project.slug;
    const saved: Project = await orm
      .insert(projects)
      .values({ ...project, slug, clicks, createdAt: createdAt ?? now, updatedAt: now })
      .onConflictDoUpdate({
        target: projects.slug,
        set: { ...project, slug, deletedAt: null, updatedAt: now, version: sql`${projects.version} + 1` },
      })
      .returning()
      .get();
    await emitUpdated(orm, [saved], now);
    return saved;
  });

/** Returns the slug that an earlier release gave to the project of this title, if that differs and nothing has its own. */
async function formerSlugIn(orm: Orm, { slug, title }: NewProject): Promise<string | undefined> {
  const former = formerSlugOf(slug);
  if (former === slug) return;
  const some = await orm
    .select(slugAndTitle)
    .from(projects)
    .where(inArray(projects.slug, [slug, former]))
    .all();
  return some.length === 1 && some[0]?.title === title ? some[0].slug : undefined;
}
const slugAndTitle = { slug: projects.slug, title: projects.title };

/** Reports changed projects to webhooks, whatever their status. */
export const emitUpdated = (orm: Orm, changed: Project[], now: Date) =>
  emitAll(
    orm,
    changed.map(({ id, slug, title, status }) => ({ type: "project.updated", data: { id, slug, title, status } })),
    now,
  );

/** Adds clicks to projects without changing their `updatedAt`. @param clicks project ID to additional clicks */
export async function addClicks(orm: Orm, clicks: Map<string, number>): Promise<void> {
  for (const [id, n] of clicks) await orm.run(sql`update ${projects} set clicks = clicks + ${n} where id = ${id}`);
}

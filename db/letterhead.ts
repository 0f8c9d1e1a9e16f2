import { and, asc, desc, eq, inArray, isNull, lte } from "drizzle-orm";
import type { Db, Orm } from ".";
import { managers, posts, settings } from "./schema";

/** What a mail says about the site it comes from. */
export type Letterhead = {
  siteTitle?: string | undefined;
  siteDescription?: string | undefined;
  name?: string | undefined;
  postalAddress?: string | undefined;
};
export type LatestPost = Pick<typeof posts.$inferSelect, "slug" | "title" | "excerpt">;

const keys = ["siteTitle", "siteDescription", "name", "postalAddress"] as const;

/** The sender's identity, from the public settings. Blank ones count as absent. */
export const letterhead = (db: Db): Promise<Letterhead> =>
  db.read((orm) => {
    const rows = orm
      .select()
      .from(settings)
      .where(and(inArray(settings.key, [...keys]), eq(settings.isPublic, true)))
      .all();
    return Object.fromEntries(rows.filter(({ value }) => value.trim()).map(({ key, value }) => [key, value.trim()]));
  });

/** The three newest posts that were out at that time (D22), so that a mail sent again says the same. */
export const latestPosts = (db: Db, at: Date): Promise<LatestPost[]> =>
  db.read((orm) =>
    orm
      .select({ slug: posts.slug, title: posts.title, excerpt: posts.excerpt })
      .from(posts)
      .where(and(eq(posts.published, true), lte(posts.publishedAt, at), isNull(posts.deletedAt)))
      .orderBy(desc(posts.publishedAt), desc(posts.id))
      .limit(3)
      .all(),
  );

/**
 * Where messages for the owner go when OWNER_EMAIL is not set: the public setting `email`, else the address of the
 * first owner among the managers. Undefined when there is neither.
 */
export function ownerAddress(orm: Orm): string | undefined {
  const setting = orm
    .select({ email: settings.value })
    .from(settings)
    .where(and(eq(settings.key, "email"), eq(settings.isPublic, true)))
    .get();
  if (setting?.email.includes("@")) return setting.email.trim();
  return orm
    .select({ email: managers.email })
    .from(managers)
    .where(eq(managers.role, "owner"))
    .orderBy(asc(managers.createdAt), asc(managers.id))
    .get()?.email;
}

import type { Db } from ".";
import { bySlugOrEarlier } from "./post-rows";

/**
 * The post with its content as it is saved, a draft or not, by the slug of now or an earlier one; undefined in the
 * trash. Only for whoever has a preview link.
 */
export const bySlug = (db: Db, slug: string) =>
  db.read((orm) => {
    const found = bySlugOrEarlier(orm, slug);
    if (!found || found.deletedAt) return;
    const {
      row: _row,
      version: _version,
      folded: _folded,
      published: _published,
      deletedAt: _deletedAt,
      ...post
    } = found;
    return post;
  });

import type { Db } from "../engine/open";
import { ownerOf } from "./slugs";
import { taggedById } from "./rows";

/**
 * Returns the saved post with its content, draft or not, even if its slug changed since the link was created; undefined
 * if it is in the trash, or if the slug belongs to another post. Only for requests with a valid preview link.
 */
export const previewed = (db: Db, id: string, slug: string) =>
  db.read(async (orm) => {
    const found = await taggedById(orm, id);
    const owner = await ownerOf(orm, slug);
    if (!found || found.deletedAt || (owner && owner.id !== id)) return;
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

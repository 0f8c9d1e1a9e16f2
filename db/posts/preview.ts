import type { Db } from "../engine/open";
import { ownerOf } from "./slugs";
import { taggedById } from "./rows";

/**
 * The post with its content as it is saved, a draft or not, whatever slug it had when its link was made; undefined in
 * the trash, and at the address of another post. Only for whoever has a preview link.
 */
export const previewed = (db: Db, id: string, slug: string) =>
  db.read((orm) => {
    const found = taggedById(orm, id);
    const owner = ownerOf(orm, slug);
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

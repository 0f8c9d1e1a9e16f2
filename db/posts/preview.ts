import { eq } from "drizzle-orm";
import type { Db } from "../engine/open";
import { managers } from "../schema/access";
import { ownerOf } from "./slugs";
import { taggedById } from "./rows";

/**
 * Returns the saved post with its content, draft or not, even if its slug changed since the link was created; undefined
 * if it is in the trash, if the slug belongs to another post, or if the manager who shared it was removed. Only for
 * requests with a valid preview link.
 */
export const previewed = (db: Db, { postId: id, managerId }: { postId: string; managerId?: string }, slug: string) =>
  db.read(async (orm) => {
    const isTheirs = eq(managers.id, managerId ?? "");
    if (managerId && !(await orm.select({ id: managers.id }).from(managers).where(isTheirs).get())) return;
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

import { expect, test } from "bun:test";
import fc from "fast-check";
import { openDb } from "../../open";
import * as postSearch from "./search";
import { posts } from "../../schema/posts";
import * as publishedPosts from "../posts";
import { look } from "../../../test/support/look";

const now = new Date("2026-11-21T12:00:00Z");
/**
 * So few characters that substrings repeat and overlap, of one to four bytes, and some with a meaning in index queries.
 */
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'aab é😀 "*-'), minLength: 1, maxLength });

test("any piece of a text is found where it is, and nowhere else, after every change", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ slug: fc.constantFrom("p", "q", "r", "s"), content: text(60) }), { maxLength: 12 }),
      fc.array(text(9), { minLength: 20, maxLength: 20 }),
      async (saved, pieces) => {
        const db = await openDb(":memory:");
        for (const post of saved) await publishedPosts.save(db, { ...post, title: "", published: true }, now);
        await look(db, "DELETE FROM posts WHERE slug = 's'");
        const all = await db.read((orm) => orm.select({ row: posts.row, folded: posts.folded }).from(posts).all());
        for (const piece of pieces) {
          const found = await db.read((orm) => postSearch.rowsWith(orm, piece));
          const expected = all.filter(({ folded }) => folded.includes(piece)).map(({ row }) => row);
          expect([piece, found.sort()]).toEqual([piece, expected.sort()]);
        }
        await db.close();
      },
    ),
    { numRuns: 60 },
  );
});

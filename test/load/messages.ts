import { join } from "node:path";
import * as submissions from "../../db/contact/submissions";
import { openDb } from "../../db/open";

/** Fills the database of a folder with messages of visitors, until it has about this size. */
export async function fillWithMessages(dataDir: string, megabytes: number): Promise<void> {
  const db = await openDb(join(dataDir, "postroom.sqlite"));
  const size = 2_000;
  const count = (megabytes * 1e6) / (size * 2.2); // the text, and once more folded
  for (let at = 0; at < count; at += 1_000)
    await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => {
        const message = `${at + i} ${"words ".repeat(size / 6)}`.slice(0, size);
        return submissions.submit(
          db,
          { name: "Ada", email: `a${at + i}@example.com`, message, source: "torture" },
          {},
          new Date(),
        );
      }),
    );
  await db.close();
}

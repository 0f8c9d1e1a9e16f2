import type { Db } from "../../db/engine/open";
import { batches } from "../../db/posts/list";
import { fileName } from "./post-file-name";
import { writePost } from "./post-file";

/** `name` is undefined if the post's slug cannot be a file name. */
type PostFile = { slug: string; name: string | undefined; text: string };

/** Yields every post outside the trash as a file that `import posts` reads. */
export async function* exportPosts(db: Db): AsyncGenerator<PostFile> {
  for await (const batch of batches(db))
    for (const post of batch) {
      const tags = post.tags.map(({ name }) => name);
      yield { slug: post.slug, name: fileName(post.slug), text: writePost({ ...post, tags }) };
    }
}

import type { Db } from "../../db/engine/open";
import { batches } from "../../db/posts/export";
import { fileName, writePost } from "./post-file";

/** `name` is undefined for a post whose slug cannot be a file's name. */
type PostFile = { slug: string; name: string | undefined; text: string };

/** Every post outside the trash as the file that `import posts` reads. */
export async function* exportPosts(db: Db): AsyncGenerator<PostFile> {
  for await (const batch of batches(db))
    for (const post of batch) {
      const tags = post.tags.map(({ name }) => name);
      yield { slug: post.slug, name: fileName(post.slug), text: writePost({ ...post, tags }) };
    }
}

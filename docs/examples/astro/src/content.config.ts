import { defineCollection, z } from "astro:content";
import { postroom } from "./lib/postroom";

const schema = z.object({ title: z.string(), excerpt: z.string().nullable(), publishedAt: z.coerce.date() });

/** The published posts, with their Markdown rendered. */
const posts = defineCollection({
  schema,
  loader: {
    name: "postroom",
    async load({ store, parseData, renderMarkdown }) {
      store.clear();
      for await (const { slug } of postroom.posts.all()) {
        const post = await postroom.posts.get(slug);
        if (!post) continue;
        const data = await parseData({ id: slug, data: post });
        store.set({ id: slug, data, rendered: await renderMarkdown(post.content) });
      }
    },
  },
});

export const collections = { posts };

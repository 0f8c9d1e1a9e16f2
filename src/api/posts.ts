import { Elysia } from "elysia";
import { z } from "zod";
import * as posts from "../../db/posts";
import type { Deps } from "../deps";
import { integer, optional, term } from "../input";
import { notModified, success } from "../openapi/answers";
import { FullPost, PostList } from "../openapi/schemas";
import { visitOf } from "../visit";
import { cursor, cursorAfter, pageHeaders } from "./cursor";
import { api, fail } from "./envelope";
import { conditional, prepare, preparedAnswers } from "./prepared-answers";

const ListPosts = z.object({
  limit: integer(1, 100).default(20),
  q: optional(term({ max: 1_000 })).meta({ description: "Text in title, excerpt or content, in whatever case." }),
  tag: optional(term({ max: 1_000 })).meta({ description: "The slug of a tag." }),
  cursor: cursor(z.tuple([z.int().min(0).max(8.64e15), z.string().max(100)])),
});

/** Published posts without their content (spec 4.4). */
export const listPosts = ({ config, db, now }: Deps) => {
  const answer = preparedAnswers({ db, now }, "posts");
  const url = `${config.BLOG_URL}/api/v1/posts`;

  return new Elysia().get(
    "/posts",
    ({ query, request }) =>
      answer(request, JSON.stringify(query), async () => {
        const { cursor: position, ...rest } = query;
        const after = position && { publishedAt: new Date(position[0]), id: position[1] };
        const { posts: items, total, next } = await posts.listPublished(db, { ...rest, after }, now());
        const following = next && { ...rest, cursor: cursorAfter([next.publishedAt.getTime(), next.id]) };
        return {
          data: { count: items.length, posts: items },
          headers: pageHeaders(url, total, following),
          until: await posts.nextScheduled(db, now()),
        };
      }),
    {
      query: ListPosts,
      detail: {
        summary: "List published posts",
        description: "The newest first. A scheduled post appears at its time.",
        responses: { 200: success(PostList, "Posts without their content."), ...notModified },
      },
    },
  );
};

/** One published post with its content, for everybody. Reading it counts as a view (D25, D26). */
export const readPost = ({ counters, db, log, now }: Deps) =>
  api("/api/posts", log).get(
    "/:slug",
    async ({ params, request }) => {
      const post = await posts.bySlug(db, params.slug, now());
      if (!post) return fail(404, "NOT_FOUND", "There is no such post.");
      counters.viewed(post.id, visitOf(request));
      return conditional(request, prepare({ data: post }, { "cache-control": "no-cache" }));
    },
    {
      detail: {
        summary: "Read a post",
        description: "A draft and a scheduled post are not there yet. `content` is the MDX source.",
        responses: { 200: success(FullPost, "The post with its content."), ...notModified },
      },
    },
  );

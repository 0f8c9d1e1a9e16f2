import { Elysia } from "elysia";
import { z } from "zod";
import * as posts from "../../db/posts/posts";
import { mediaPath } from "../../db/storage/files";
import * as pictures from "../../db/storage/pictures";
import { topicCache } from "../../db/engine/versions";
import type { Deps } from "./deps";
import { optional, pageSize } from "../http/request-schemas";
import { term } from "../platform/text/schemas";
import { limited, notModified, parameter, redirect, success, visitorParameters } from "../openapi/responses";
import { needs } from "../openapi/scopes";
import { previewOf } from "../security/links";
import { onBehalfOfVisitors } from "../security/visitors";
import { contextOf } from "../platform/request-context";
import { cursor, cursorAfter, hintFor, pageHeaders } from "./cursor";
import { api, fail, ok } from "./envelope";
import { codedFor, conditional, type Prepared } from "../http/prepared";
import { prepare, type PreparedResponses } from "./prepared-responses";

const ListPosts = z.object({
  limit: pageSize(20),
  q: optional(term({ max: 500 })).meta({ description: "Case-insensitive text in the title, excerpt or content." }),
  tag: optional(term({ max: 500 })).meta({ description: "The slug of a tag." }),
  cursor: cursor(z.tuple([z.int().min(0).max(8.64e15), z.string().max(100)]), 500),
});

/** Published posts without their content (spec 4.4). */
export const listPosts = ({ config, db, now }: Pick<Deps, "config" | "db" | "now">, { respond }: PreparedResponses) => {
  const url = `${config.BLOG_URL}/api/v1/posts`;

  return new Elysia().get(
    "/posts",
    ({ query, request }) =>
      respond("posts", request, async () => {
        const { cursor: position, ...rest } = query;
        const after = position && { publishedAt: new Date(position[0]), id: position[1] };
        const at = now(); // one time for both reads, so that a post becoming due between them is not missed (D22)
        const { posts: items, total, next } = await posts.listPublished(db, { ...rest, after }, at);
        const following = next && { ...rest, cursor: cursorAfter([next.publishedAt.getTime(), next.id]) };
        return {
          data: { count: items.length, posts: items },
          headers: { ...hintFor(request, ListPosts.shape), ...pageHeaders(url, total, following) },
          until: await posts.nextScheduled(db, at),
        };
      }),
    {
      query: ListPosts,
      detail: {
        operationId: "listPosts",
        security: needs("content:read"),
        summary: "List published posts",
        description: "Newest first. Scheduled posts appear once their publish date has passed.",
        responses: { 200: success("PostList", "Posts without their content."), ...notModified },
      },
    },
  );
};

const preview = parameter(
  "query",
  "preview",
  "Token of a preview link; returns the last saved draft. Invalid tokens are ignored.",
  { maxLength: 500 },
);

const maxKept = 200; // posts, with those that are read at the moment
const maxKeptBytes = 128 * 1024; // of one post

const notFound = () => fail(404, "NOT_FOUND", "Post not found.");

/** Adds what is known of the files that a post shows. */
async function withFiles<P extends { content: string; coverImage: string }>(
  { config, db }: Pick<Deps, "config" | "db">,
  post: P,
) {
  const files = await pictures.filesIn(db, `${post.coverImage} ${post.content}`);
  return { ...post, files: files.map((file) => fileJson(config, file)) };
}

type PostFile = Awaited<ReturnType<typeof pictures.filesIn>>[number];

const fileJson = ({ BASE_URL }: Deps["config"], { id, filename, mimeType, width, height, alt, x, y }: PostFile) => ({
  id,
  url: BASE_URL + mediaPath({ id, filename }),
  mimeType,
  width,
  height,
  alt,
  focus: x === null || y === null ? null : { x, y },
});

/** A published post stays so until a write changes it, so its response is made once for each version of the posts. */
function publishedPosts({ config, db, now }: Pick<Deps, "config" | "db" | "now">) {
  const kept = topicCache<Prepared & { id: string }>("posts", maxKept);
  return async (slug: string) => {
    const prepared = kept.get(db, slug);
    if (prepared) return prepared;
    const keep = kept.setter(db);
    const post = await posts.bySlug(db, slug, now());
    if (!post) return;
    const response = {
      ...prepare(
        { data: await withFiles({ config, db }, post) },
        { "cache-control": "no-cache", vary: "Accept-Encoding" },
      ),
      id: post.id,
    };
    if (response.body.length <= maxKeptBytes) keep(slug, response);
    return response;
  };
}

/**
 * One published post with its content. No key is needed; reading it counts as a view (D25, D26). A previous slug
 * redirects to the current one, and a valid preview token returns the draft.
 */
export const readPost = (deps: Deps) => {
  const { config, counters, db, log, now } = deps;
  const published = publishedPosts({ config, db, now });

  /** The draft as readers will see it once it is published. */
  async function previewed(slug: string, token: string) {
    const preview = previewOf(config, token, now());
    const post = preview && (await posts.previewed(db, preview, slug));
    if (!post) return;
    const { publishedAt, ...rest } = post;
    const headers = { "cache-control": "no-store", "x-robots-tag": "noindex" };
    return ok(await withFiles(deps, { ...rest, publishedAt: publishedAt ?? now() }), 200, headers);
  }

  async function movedFrom(slug: string) {
    const to = await posts.currentSlug(db, slug, now());
    if (to === undefined) return notFound();
    const location = `/api/posts/${encodeURIComponent(to)}`;
    return ok({ slug: to }, 301, { location, "cache-control": "no-cache" });
  }

  return api("/api/posts", log, onBehalfOfVisitors(deps, "view")).get(
    "/:slug",
    async ({ params, query, request }) => {
      const draft = typeof query.preview === "string" && (await previewed(params.slug, query.preview));
      if (draft) return draft;
      const post = await published(params.slug);
      if (!post) return movedFrom(params.slug);
      counters.viewed(post.id, contextOf(request));
      return conditional(request, codedFor(request, post));
    },
    {
      detail: {
        parameters: [preview, ...visitorParameters],
        operationId: "getPost",
        summary: "Read a post",
        description:
          "Drafts and scheduled posts return 404 unless a valid preview token is given. `content` is the MDX source.",
        responses: {
          200: success("FullPost", "The post with its content."),
          301: { ...success("Moved", "The post has a new slug."), ...redirect("The post has a new slug.") },
          ...notModified,
          ...limited,
        },
      },
    },
  );
};

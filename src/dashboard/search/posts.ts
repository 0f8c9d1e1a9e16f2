import { byId } from "../../../db/posts/edit";
import * as postList from "../../../db/posts/list";
import { statusOf } from "../../../db/posts/rules";
import type { Frame } from "../../../views/components/frame";
import { path, statusNames } from "../../../views/dashboard/posts/state";
import { asResults, listWith, type Subject } from "./subject";

type Listed = Pick<postList.Row, "id" | "title" | "published" | "publishedAt">;

const resultOf = (post: Listed, { now }: Frame) => ({
  icon: "file-text",
  title: post.title,
  sub: `Post, ${statusNames[statusOf(post, now)].toLowerCase()}`,
  href: `${path}/${post.id}`,
});

export const posts: Subject = {
  id: "posts",
  name: "Posts",
  path,
  listOf: listWith(path),
  find: async ({ db }, frame, q, limit) => {
    const listed = await postList.list(db, { filter: { q }, sort: "-published" }, { page: 1, per: limit }, frame.now);
    return asResults(listed, (post) => resultOf(post, frame));
  },
  one: async ({ db }, frame, id) => {
    const post = await byId(db, id);
    return post && !post.deletedAt ? resultOf(post, frame) : undefined;
  },
};

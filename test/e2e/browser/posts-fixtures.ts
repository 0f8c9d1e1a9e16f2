import * as postEdits from "../../../db/posts/edit";
import * as postBulk from "../../../db/posts/bulk";
import type { Stage } from "./stage";

const day = 86_400_000;
const titles = [
  "Winter cycling",
  "A map of every bakery",
  "Tide tables from 1893",
  "Reading code aloud",
  "The slow clock",
];
const typed = { fields: {}, content: "" };

/** Writes a shelf of posts: drafts, scheduled and published ones, one that was revised, one in the trash. */
export async function addPostFixtures({ db, now, owner }: Stage): Promise<Record<string, string>> {
  const by = { actor: owner.manager.email };
  const ids: string[] = [];
  for (let i = 0; i < 55; i++) {
    const title = `${titles[i % 5]} ${i || ""}`.trim();
    const publishedAt = i % 5 === 3 ? null : new Date(now().getTime() + (i % 5 === 1 ? 3 : -i) * day);
    const tags = [...["Field notes", "Tides", "Small software"].slice(0, i % 4), `Number ${i % 3}`];
    const text = {
      title,
      slug: "",
      excerpt: `What we learned in year ${i}.`,
      content: `# ${title}\n\n${"Words. ".repeat(300)}`,
    };
    const fields = { ...text, coverImage: "", author: "Olive", tags, published: Boolean(publishedAt), publishedAt };
    const created = await postEdits.create(db, fields, by, new Date(now().getTime() - i * day));
    if (created.outcome === "saved") ids.push(created.post.id);
  }
  const [id = "", , , draft = "", trashed = ""] = ids;
  const post = await postEdits.byId(db, id);
  if (!post) throw new Error("The shelf is empty");
  const revised = {
    ...post,
    tags: ["Tides"],
    content: `${post.content}\n\nA line that was added.`,
    excerpt: "Shorter.",
  };
  await postEdits.edit(db, { id, version: 1, typed, fields: revised }, { actor: "bo@example.com" }, now());
  await postBulk.applyAction(db, { action: "trash", selection: { ids: [trashed] } }, by, now());
  const path = "/dashboard/posts";
  return {
    posts: path,
    "posts, no match": `${path}?q=nothing+like+it`,
    "posts in the trash": `${path}?status=trash`,
    "no scheduled posts": `${path}?status=scheduled&tag=none`,
    "new post": `${path}/new`,
    post: `${path}/${id}`,
    "draft post": `${path}/${draft}`,
    "publish a post": `${path}/${draft}/publish`,
    "unpublish a post": `${path}/${id}/unpublish`,
    "post in the trash": `${path}/${trashed}`,
    "delete a post for good": `${path}/${trashed}/delete`,
    revisions: `${path}/${id}/revisions`,
    tags: `${path}/tags`,
    "rename a tag": `${path}/tags/tides/rename`,
    "merge a tag": `${path}/tags/tides/merge`,
    "delete a tag": `${path}/tags/tides/delete`,
  };
}

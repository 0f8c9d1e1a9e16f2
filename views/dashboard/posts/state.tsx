import { statusOf } from "../../../db/posts/rules";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { plural } from "../../components/list";
import { exact, Time } from "../../components/time";
import { paths } from "../../paths";

export const path = paths.posts;

/** What the page knows about an existing post. */
export type PostState = {
  id: string;
  title: string;
  slug: string;
  version: number;
  published: boolean;
  publishedAt: Date | null;
  deletedAt: Date | null;
  updatedAt: Date;
  readingTime: number;
  views: number;
};

export const statusNames = { draft: "Draft", scheduled: "Scheduled", published: "Published" };

const badges = {
  draft: <Badge tone="off">{statusNames.draft}</Badge>,
  scheduled: <Badge tone="plan">{statusNames.scheduled}</Badge>,
  published: <Badge tone="good">{statusNames.published}</Badge>,
};

/** The status of a post as a badge. */
export const PostBadge = ({ post, now }: { post: Pick<PostState, "published" | "publishedAt">; now: Date }) =>
  badges[statusOf(post, now)];

/** The status of the post, below the title. Updated when the post is saved. */
export const PostLine = ({ post, frame }: { post: PostState | undefined; frame: Frame }) => (
  <span id="post-line" class="post-line">
    {post ? <PostBadge post={post} now={frame.now} /> : <Badge tone="off">Not saved yet</Badge>}
    {post && <When post={post} frame={frame} />}
    {post && (post.views > 0 || statusOf(post, frame.now) === "published") && (
      <a href={paths.viewsOf(post.id)}>{plural(post.views, "view")}</a>
    )}
  </span>
);

function When({ post, frame }: { post: PostState; frame: Frame }) {
  const status = statusOf(post, frame.now);
  if (status === "draft" || !post.publishedAt)
    return (
      <span>
        Saved <Time at={post.updatedAt} clock={frame} />
      </span>
    );
  if (status === "published") return <Time at={post.publishedAt} clock={frame} />;
  return <span>Publishes automatically on {exact(post.publishedAt, frame.preferences)}</span>;
}

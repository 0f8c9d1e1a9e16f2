import type { PostStatus } from "../../../db/posts/list-conditions";
import { Empty, NoMatch } from "../../components/empty";
import { EmptyList, type ListState, listUrl } from "../../components/list";
import { path } from "./state";

/** Shown instead of the rows if a search, a filter or a status has none. */
export const NoneHere = ({ state, status }: { state: ListState; status: PostStatus | "" }) => {
  if (state.query.q || state.query.tag)
    return <NoMatch what="posts" query={state.query.q} clear={listUrl(state, { q: "", tag: "" })} />;
  const { icon, title, about } = status
    ? nothingIs[status]
    : { ...nothingIs.published, title: "All posts are in the trash" };
  return (
    <Empty icon={icon} title={title}>
      <p>{about}</p>
    </Empty>
  );
};

const nothingIs: Record<PostStatus, { icon: string; title: string; about: string }> = {
  draft: { icon: "file-text", title: "No drafts", about: "New posts are drafts until you publish them." },
  scheduled: {
    icon: "history",
    title: "No scheduled posts",
    about: "Give a post a future date and publish it; it goes live automatically.",
  },
  published: { icon: "file-text", title: "No published posts", about: "Open a draft to publish it." },
  trash: { icon: "trash-2", title: "The trash is empty", about: "Deleted posts are kept here for 30 days." },
};

/** Before the first post. */
export const NothingYet = () => (
  <EmptyList label="Posts" icon="file-text" title="No posts yet">
    <p>Drafts, scheduled and published posts appear here. Write one, or import Markdown files that you have.</p>
    <a class="btn" href={`${path}/new`} id="first-post">
      Write your first post
    </a>
  </EmptyList>
);

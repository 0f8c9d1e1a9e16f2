import type { PostStatus } from "../../../db/posts/list-conditions";
import type { Row } from "../../../db/posts/list";
import type { Tag } from "../../../db/posts/tags/tags";
import type { ListView } from "../../components/list";
import { ActionsHeader, PickAll, SortHeader } from "../../components/lists/table";

export type PostsView = ListView<Row> & {
  status: PostStatus | "";
  counts: Record<PostStatus, number>;
  /** For the filter. */
  tags: Tag[];
  blogUrl: string;
};

const initial = "-published";

export const Headings = ({ state, status }: PostsView) => (
  <>
    <PickAll />
    <SortHeader state={state} by="title" initial={initial}>
      Title
    </SortHeader>
    <th scope="col">Status</th>
    <SortHeader state={state} by="views" initial={initial}>
      Views
    </SortHeader>
    {status === "trash" ? (
      <th scope="col">Deleted</th>
    ) : (
      <SortHeader state={state} by="published" initial={initial}>
        Published
      </SortHeader>
    )}
    <ActionsHeader />
  </>
);

import type { PostStatus, Row } from "../../../db/posts/list";
import type { Tag } from "../../../db/posts/tags";
import { BulkForm, Moves } from "../../components/lists/bulk";
import { Icon } from "../../components/icon";
import type { ListView } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import type { Filter } from "../../components/lists/search";
import { ActionsHeader, PickAll, SortHeader, Table } from "../../components/lists/table";
import { ImportAndExport } from "./import";
import { paths } from "../../paths";
import { path } from "./state";
import { PostRow } from "./row";
import { Head } from "../shell";
import { NothingYet, NoneHere } from "./empty";

type PostsView = ListView<Row> & {
  status: PostStatus | "";
  counts: Record<PostStatus, number>;
  /** For the filter. */
  tags: Tag[];
  blogUrl: string;
};

export const PostsHead = () => (
  <Head title="Posts" lead="Published, scheduled and draft posts.">
    <ImportAndExport />
    <a class="btn" href={paths.postViews} id="views">
      <Icon name="chart-column" />
      Views
    </a>
    <a class="btn" href={`${path}/tags`}>
      <Icon name="tags" />
      Tags
    </a>
    <a class="btn primary" href={`${path}/new`} id="new-post">
      <Icon name="plus" />
      New post
    </a>
  </Head>
);

export function PostList(view: PostsView) {
  const { state, counts, status } = view;
  const { trash, ...others } = counts;
  const all = Object.values(others).reduce((sum, count) => sum + count);
  if (all + trash === 0) return <NothingYet />;
  return (
    <section class="list posts" id="list" aria-label="Posts">
      <ListHead
        view={view}
        noun="post"
        segments={{
          name: "status",
          label: "Status",
          options: [
            { value: "", label: "All", count: all },
            { value: "draft", label: "Draft", count: counts.draft },
            { value: "scheduled", label: "Scheduled", count: counts.scheduled },
            { value: "published", label: "Published", count: counts.published },
            { value: "trash", label: "Trash", count: trash },
          ],
        }}
        search={{
          label: "Search posts",
          placeholder: "Search title, excerpt and text",
          filters: [tagFilter(view)],
        }}
      />
      {view.rows.length ? <Posts {...view} /> : <NoneHere state={state} status={status} />}
    </section>
  );
}

/** The tags most posts carry, and the one that is chosen. */
function tagFilter({ tags, state }: PostsView): Filter {
  const chosen = state.query.tag ?? "";
  const options = tags.map(({ slug, name }) => [slug, name] as const);
  const isKnown = !chosen || tags.some(({ slug }) => slug === chosen);
  return { name: "tag", label: "Tag", all: "All tags", options: isKnown ? options : [chosen, ...options] };
}

const Posts = (view: PostsView) => (
  <BulkForm
    view={view}
    action={`${path}/moves`}
    label="Posts"
    moves={<Moves of={view.status === "trash" ? inTrash : inList} />}
  >
    <Table caption="Posts" head={<Headings {...view} />}>
      {view.rows.map((row) => (
        <PostRow row={row} {...view} />
      ))}
    </Table>
  </BulkForm>
);

const inList = [
  ["publish", "Publish"],
  ["unpublish", "Unpublish…"],
  ["tag", "Tag…"],
  ["trash", "Delete"],
] as const;
const inTrash = [
  ["restore", "Restore"],
  ["delete", "Delete permanently…"],
] as const;

const initial = "-published";

const Headings = ({ state, status }: PostsView) => (
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

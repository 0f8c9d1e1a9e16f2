import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { Icon } from "../../components/icon";
import { ListHead } from "../../components/lists/head";
import type { Filter } from "../../components/lists/search";
import { Table } from "../../components/lists/table";
import { paths } from "../../paths";
import { Head } from "../shell";
import { ImportAndExport } from "./import";
import { path } from "./state";
import { PostRow } from "./row";
import { NoneHere, NothingYet } from "./empty";
import { Headings, type PostsView } from "./headings";

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

/** The most used tags, and the selected one. */
function tagFilter({ tags, state }: PostsView): Filter {
  const chosen = state.query.tag ?? "";
  const options = tags.map(({ slug, name }) => [slug, name] as const);
  const isKnown = !chosen || tags.some(({ slug }) => slug === chosen);
  return { name: "tag", label: "Tag", all: "All tags", options: isKnown ? options : [chosen, ...options] };
}

const Posts = (view: PostsView) => (
  <BulkForm
    view={view}
    action={`${path}/bulk`}
    label="Posts"
    buttons={<BulkButtons of={view.status === "trash" ? inTrash : inList} />}
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

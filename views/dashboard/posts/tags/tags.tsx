import type { CountedTag } from "../../../../db/posts/tags/tags";
import { NoMatch } from "../../../components/empty";
import { EmptyList, type ListState, type ListView } from "../../../components/list";
import { Pager } from "../../../components/lists/pager";
import { ListHead } from "../../../components/lists/head";
import { ActionsHeader, SortHeader, Table } from "../../../components/lists/table";
import { paths } from "../../../paths";
import { Crumb, Head } from "../../shell";
import { path, TagRow } from "./row";

type TagsView = ListView<CountedTag>;

export const TagsHead = () => (
  <>
    <Crumb href={paths.posts}>Posts</Crumb>
    <Head title="Tags" lead="A tag appears when a post first uses it." />
  </>
);

export const TagList = (view: TagsView) =>
  view.total === 0 && !view.state.query.q ? (
    <EmptyList label="Tags" icon="tags" title="No tags yet">
      <p>Add tags in the Tags field of a post, separated by commas.</p>
      <a class="btn" href={`${paths.posts}/new`}>
        Write a post
      </a>
    </EmptyList>
  ) : (
    <section class="list" id="list" aria-label="Tags">
      <ListHead view={view} noun="tag" search={{ label: "Search tags" }} />
      {view.rows.length ? <Rows {...view} /> : <NoMatch what="tags" query={view.state.query.q} clear={path} />}
    </section>
  );

const Rows = (view: TagsView) => (
  <>
    <Table caption="Tags" head={<Headings state={view.state} />}>
      {view.rows.map((tag) => (
        <TagRow tag={tag} />
      ))}
    </Table>
    <Pager {...view} />
  </>
);

const Headings = ({ state }: { state: ListState }) => (
  <>
    <SortHeader state={state} by="name" initial="name">
      Tag
    </SortHeader>
    <SortHeader state={state} by="posts" initial="name">
      Posts
    </SortHeader>
    <ActionsHeader />
  </>
);

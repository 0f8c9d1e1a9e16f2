import type { PostStatus, Row } from "../../../db/posts/list";
import { isLater, statusOf, postUrlOf } from "../../../db/posts/rules";
import type { Tag } from "../../../db/posts/tags";
import { Empty, EmptyTrash, NoMatch } from "../../components/empty";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Usual } from "../../components/badge";
import { EmptyList, LinkedNames, type ListState, listUrl, type ListView, number, plural } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { shownColumns } from "../../components/lists/choose-columns";
import { ListHead } from "../../components/lists/head";
import { Menu, MenuButton, TrashButton } from "../../components/lists/row-actions";
import type { Filter } from "../../components/lists/search";
import { type Column, ColumnTable, Covered, type Covers, Pick } from "../../components/lists/table";
import { exact, Time } from "../../components/time";
import { paths } from "../../paths";
import { CreateLink, Head } from "../shell";
import { ImportAndExport } from "./import";
import { path, PostBadge, statusNames } from "./state";

type ActionProps = { row: Row; frame: Frame; postUrl: string };

const RestoreButton = ({ id, title }: Pick<Row, "id" | "title">) => (
  <button
    type="submit"
    class="btn quiet sm"
    id={`restore-${id}`}
    formaction={`${path}/${id}/restore`}
    data-plain
    aria-label={`Restore ${title}`}
  >
    Restore
  </button>
);

/** The menu of a row. */
function RowActions({ row, frame, postUrl }: ActionProps) {
  const { id, slug, title, deletedAt } = row;
  const mayBroadcast = frame.may(`${paths.broadcasts}/from-post/${id}`, "POST");
  if (deletedAt) return <RestoreButton id={id} title={title} />;
  return (
    <Menu id={id} label={`Actions for ${title}`}>
      {statusOf(row, frame.now) === "published" && (
        <a class="btn quiet" id={`view-${id}`} href={postUrlOf(postUrl, slug)} target="_blank" rel="noopener">
          <Icon name="external-link" />
          View live
        </a>
      )}
      {mayBroadcast && (
        <MenuButton id={`newsletter-${id}`} action={`${paths.broadcasts}/from-post/${id}`} icon="megaphone" isPlain>
          Send as newsletter
        </MenuButton>
      )}
      <MenuButton id={`duplicate-${id}`} action={`${path}/${id}/duplicate`} icon="copy" isPlain>
        Duplicate
      </MenuButton>
      <TrashButton id={id} path={path} />
    </Menu>
  );
}

/** What names a post: its title, tags and length. */
const Title = ({ row, covers, state }: PostsView & { row: Row }) => (
  <Covered id={row.id} covers={covers}>
    <Name row={row} state={state} />
  </Covered>
);

const Name = ({ row: { id, title, tags, readingTime, hasText }, state }: Pick<PostsView, "state"> & { row: Row }) => (
  <>
    <a class="who" href={`${path}/${id}`} id={`open-${id}`}>
      {title}
    </a>
    <span class="sub">
      <TagNames tags={tags} state={state} />
      {hasText ? `${readingTime} min` : "No text yet"}
    </span>
  </>
);

/** None of a post that no one can have seen. */
const Views = ({ row, now }: { row: Row; now: Date }) => {
  const { id, title, views } = row;
  if (!views && statusOf(row, now) !== "published") return <span class="none" />;
  return (
    <a class="figure" href={paths.viewsOf(id)} aria-label={`${plural(views, "view")} of ${title}`}>
      {number(views)}
    </a>
  );
};

const maxTags = 3; // per row, followed by the number of further ones

/** Tags; each links to the posts that have it. */
function TagNames({ tags, state }: { tags: Tag[]; state: ListState }) {
  const links = tags.map(({ name, slug }) => ({ name, href: listUrl(state, { tag: slug }) }));
  return (
    <>
      <LinkedNames links={links} most={tags.length > maxTags ? maxTags - 1 : maxTags} />
      {tags.length > 0 && " · "}
    </>
  );
}

function When({ row, frame }: { row: Row; frame: Frame }) {
  const { published, publishedAt, deletedAt, updatedAt } = row;
  if (deletedAt) return <Time at={deletedAt} clock={frame} />;
  if (publishedAt && isLater(row, frame.now))
    return (
      <span>
        <time datetime={publishedAt.toISOString()} title={`${exact(publishedAt, "UTC")} UTC`}>
          {exact(publishedAt, frame.preferences)}
        </time>
      </span>
    ); // not “Published” yet, as a time of its own would be called on a phone
  if (published && publishedAt) return <Time at={publishedAt} clock={frame} />;
  return (
    <span class="none">
      Saved <Time at={updatedAt} clock={frame} />
    </span>
  );
}

/** Shown instead of the rows if a search, a filter or a status has none. */
const NoneHere = ({ state, status }: { state: ListState; status: PostStatus | "" }) => {
  if (state.query.q || state.query.tag)
    return <NoMatch what="posts" query={state.query.q} clear={listUrl(state, { q: "", tag: "" })} />;
  if (status === "trash") return <EmptyTrash what="posts" />;
  const { icon, title, about } = status
    ? nothingIs[status]
    : { ...nothingIs.published, title: "All posts are in the trash" };
  return (
    <Empty icon={icon} title={title}>
      <p>{about}</p>
    </Empty>
  );
};

const nothingIs: Record<Exclude<PostStatus, "trash">, { icon: string; title: string; about: string }> = {
  draft: { icon: "file-text", title: "No drafts", about: "New posts are drafts until you publish them." },
  scheduled: {
    icon: "history",
    title: "No scheduled posts",
    about: "Give a post a future date and publish it; it goes live automatically.",
  },
  published: { icon: "file-text", title: "No published posts", about: "Open a draft to publish it." },
};

/** Before the first post. */
const NothingYet = () => (
  <EmptyList label="Posts" drawing="typewriter" title="No posts yet">
    <p>Drafts, scheduled and published posts appear here. </p>
    <a class="btn" href={`${path}/new`} id="first-post">
      Write your first post
    </a>
    <a class="btn" href={`${path}/import`} id="first-import">
      Import Markdown files
    </a>
  </EmptyList>
);

type PostsView = ListView<Row> & {
  status: PostStatus | "";
  counts: Record<PostStatus, number>;
  /** For the filter. */
  tags: Tag[];
  postUrl: string;
  covers: Covers;
};

const columnsOf = (view: PostsView): Column<Row>[] => [
  { title: "Title", sort: "title", kind: "main", cell: (row) => <Title row={row} {...view} /> },
  {
    key: "state",
    title: "Status",
    kind: "state",
    cell: (row) =>
      statusOf(row, view.frame.now) === "published" ? (
        <Usual>{statusNames.published}</Usual>
      ) : (
        <PostBadge post={row} now={view.frame.now} />
      ),
  },
  {
    key: "views",
    title: "Views",
    sort: "views",
    kind: "line num",
    cell: (row) => <Views row={row} now={view.frame.now} />,
  },
  {
    key: "changed",
    title: "Changed",
    kind: "line",
    cell: ({ updatedAt }) => <Time at={updatedAt} clock={view.frame} />,
  },
  {
    key: "published",
    ...(view.status === "trash" ? { title: "Deleted" } : { title: "Published", sort: "published" }),
    kind: "when",
    cell: (row) => <When row={row} frame={view.frame} />,
  },
];

export const PostsHead = () => (
  <Head title="Posts" lead="Published, scheduled and draft posts.">
    <a class="btn quiet" href={paths.postViews} id="views">
      <Icon name="chart-column" />
      Views
    </a>
    <a class="btn quiet" href={`${path}/tags`}>
      <Icon name="tags" />
      Tags
    </a>
    <CreateLink id="new-post" href={`${path}/new`}>
      New post
    </CreateLink>
    <ImportAndExport />
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
        columns="posts"
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
          placeholder: "Title, excerpt or text",
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
    <ColumnTable
      caption="Posts"
      columns={shownColumns(view.frame, "posts", columnsOf(view))}
      rows={view.rows}
      rowKind="post"
      pick={({ id, title }) => <Pick id={id} label={title} />}
      actions={(row) => <RowActions row={row} frame={view.frame} postUrl={view.postUrl} />}
      state={view.state}
    />
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

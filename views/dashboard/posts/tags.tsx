import type { CountedTag } from "../../../db/posts/tags";
import { DialogFooter } from "../dialog";
import { NoMatch } from "../../components/empty";
import { Field, type Input } from "../../components/forms/fields";
import type { FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, listUrl, type ListView, number, plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import { Menu, MenuLink } from "../../components/lists/row-actions";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";

export const path = paths.tags;

const TagActions = ({ tag: { slug, name } }: { tag: CountedTag }) => {
  const at = `${path}/${encodeURIComponent(slug)}`;
  return (
    <Menu id={slug} label={`Actions for ${name}`}>
      <MenuLink id={`rename-${slug}`} href={`${at}/rename`} icon="pencil">
        Rename…
      </MenuLink>
      <MenuLink id={`merge-${slug}`} href={`${at}/merge`} icon="tags">
        Merge…
      </MenuLink>
      <MenuLink id={`delete-${slug}`} href={`${at}/delete`} icon="trash-2" hotkey="#">
        Delete…
      </MenuLink>
    </Menu>
  );
};

const columns: Column<CountedTag>[] = [
  {
    title: "Tag",
    sort: "name",
    kind: "main",
    cell: ({ slug, name }) => (
      <>
        <span class="who">{name}</span>
        <span class="sub mono">{slug}</span>
      </>
    ),
  },
  { title: "Posts", sort: "posts", kind: "when num-start", cell: (tag) => <PostCount tag={tag} /> },
];

const PostCount = ({ tag: { slug, name, posts } }: { tag: CountedTag }) => (
  <>
    <a
      href={listUrl({ path: paths.posts, query: {} }, { tag: slug })}
      aria-label={`${plural(posts, "post")} tagged ${name}`}
    >
      {number(posts)}
    </a>
    <span class="on-card"> {posts === 1 ? "post" : "posts"}</span>
  </>
);

type TagsView = ListView<CountedTag>;

export const TagsHead = () => (
  <>
    <Crumb href={paths.posts}>Posts</Crumb>
    <Head title="Tags" lead="A tag appears when a post first uses it." />
  </>
);

export const TagList = (view: TagsView) =>
  view.total === 0 && !view.state.query.q ? (
    <EmptyList label="Tags" drawing="labels" title="No tags yet">
      <p>Add tags in the Tags field of a post, separated by commas.</p>
      <a class="btn" href={`${paths.posts}/new`}>
        Write a post
      </a>
    </EmptyList>
  ) : (
    <section class="list tags" id="list" aria-label="Tags">
      <ListHead view={view} noun="tag" search={{ label: "Search tags" }} />
      {view.rows.length ? <Rows {...view} /> : <NoMatch what="tags" query={view.state.query.q} clear={path} />}
    </section>
  );

const Rows = (view: TagsView) => (
  <>
    <ColumnTable
      caption="Tags"
      columns={columns}
      rows={view.rows}
      actions={(tag) => <TagActions tag={tag} />}
      state={view.state}
    />
    <Pager {...view} />
  </>
);

type FormProps<Name extends string> = {
  frame: Frame;
  tag: CountedTag;
  inputs: Record<Name, Input>;
  typed?: Record<string, string>;
  errors?: FieldError[];
};

/** @param taken another tag that has the slug, with which this one can be merged */
export const RenameForm = ({
  frame,
  tag,
  inputs,
  typed,
  errors = [],
  taken,
}: FormProps<"name" | "slug"> & { taken?: CountedTag | undefined }) => (
  <Form action={`${path}/${encodeURIComponent(tag.slug)}/rename`} token={frame.token} class="stack" label="Rename">
    <Field {...inputs.name} label="Name" scope="tag" value={typed?.name ?? tag.name} errors={errors} autofocus />
    <Field
      {...inputs.slug}
      label="Slug"
      scope="tag"
      value={typed?.slug ?? tag.slug}
      errors={errors}
      hint="Used in links (?tag=…). Changing it changes those links."
    />
    {taken && (
      <p class="note info">
        <Icon name="tags" />
        <span>
          To combine the two tags,{" "}
          <a href={`${path}/${encodeURIComponent(tag.slug)}/merge?into=${encodeURIComponent(taken.slug)}`}>
            merge them
          </a>
          .
        </span>
      </p>
    )}
    <DialogFooter cancel={path}>Rename tag</DialogFooter>
  </Form>
);

export const MergeForm = ({
  frame,
  tag,
  inputs,
  typed,
  errors = [],
  names,
}: FormProps<"into"> & { names: string[] }) => (
  <Form action={`${path}/${encodeURIComponent(tag.slug)}/merge`} token={frame.token} class="stack" label="Merge">
    <p>
      {tag.posts === 1 ? "The post" : `The ${plural(tag.posts, "post")}`} tagged <strong>{tag.name}</strong> will get
      the other tag, and “{tag.name}” will be deleted. This cannot be undone.
    </p>
    <Field
      {...inputs.into}
      label="Merge into"
      scope="tag"
      value={typed?.into ?? ""}
      errors={errors}
      hint="The name of another tag"
      list="other-tags"
      required
      autofocus
    />
    <datalist id="other-tags">
      {names.map((name) => (
        <option value={name} />
      ))}
    </datalist>
    <DialogFooter cancel={path} tone="danger">
      Merge tags
    </DialogFooter>
  </Form>
);

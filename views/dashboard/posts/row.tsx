import type { Row } from "../../../db/posts/list";
import type { Tag } from "../../../db/posts/tags/tags";
import type { Frame } from "../../components/frame";
import { type ListState, listUrl, number, plural } from "../../components/list";
import { Pick } from "../../components/lists/table";
import { exact, Time } from "../../components/time";
import { paths } from "../../paths";
import { path, PostBadge } from "./state";
import { RowActions } from "./row-actions";

type RowProps = { row: Row; frame: Frame; blogUrl: string; state: ListState };

/** One post in the list. */
export function PostRow({ row, frame, blogUrl, state }: RowProps) {
  const { id, title, tags, views, readingTime } = row;
  return (
    <tr class="post" role="row">
      <Pick id={id} label={title} />
      <td class="main" role="cell">
        <a class="who" href={`${path}/${id}`} id={`open-${id}`}>
          {title}
        </a>
        <span class="sub">
          <TagNames tags={tags} state={state} />
          {readingTime} min
        </span>
      </td>
      <td class="state" role="cell">
        <PostBadge post={row} now={frame.now} />
      </td>
      <td class="extra num" role="cell">
        <a class="figure" href={paths.viewsOf(id)} aria-label={`${plural(views, "view")} of ${title}`}>
          {number(views)}
        </a>
      </td>
      <td class="when" role="cell">
        <When row={row} frame={frame} />
      </td>
      <td class="acts" role="cell">
        <RowActions row={row} frame={frame} blogUrl={blogUrl} />
      </td>
    </tr>
  );
}

const maxTags = 3; // per row, followed by the number of further ones

/** Tags; each links to the posts that have it. */
function TagNames({ tags, state }: { tags: Tag[]; state: ListState }) {
  const shown = tags.slice(0, tags.length > maxTags ? maxTags - 1 : maxTags);
  const others = tags.slice(shown.length).map(({ name }) => name);
  return (
    <>
      {shown.map((tag, i) => (
        <>
          {i > 0 && ", "}
          <a href={listUrl(state, { tag: tag.slug })}>{tag.name}</a>
        </>
      ))}
      {others.length > 0 && (
        <span title={others.join(", ")}>
          {" "}
          +{others.length}
          <span class="sr"> and {others.join(", ")}</span>
        </span>
      )}
      {tags.length > 0 && " · "}
    </>
  );
}

function When({ row: { published, publishedAt, deletedAt, updatedAt }, frame }: { row: Row; frame: Frame }) {
  if (deletedAt) return <Time at={deletedAt} clock={frame} />;
  if (publishedAt && publishedAt > frame.now)
    return (
      <time datetime={publishedAt.toISOString()} title={`${exact(publishedAt, "UTC")} UTC`}>
        {exact(publishedAt, frame.preferences)}
      </time>
    );
  if (published && publishedAt) return <Time at={publishedAt} clock={frame} />;
  return (
    <span class="none">
      Saved <Time at={updatedAt} clock={frame} />
    </span>
  );
}

import type { Row } from "../../../db/posts/list";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { RowButton } from "../../components/lists/row-button";
import { TrashButton } from "../../components/lists/trash-button";
import { paths } from "../../paths";
import { path, statusOf } from "./state";

type ActionProps = { row: Row; frame: Frame; blogUrl: string };

/** The buttons of a row. */
export function RowActions({ row, frame, blogUrl }: ActionProps) {
  const { id, slug, title, deletedAt } = row;
  if (deletedAt)
    return (
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
  return (
    <>
      {statusOf(row, frame.now) === "published" && (
        <a
          class="btn quiet sm icon-only"
          id={`view-${id}`}
          href={`${blogUrl}/posts/${encodeURIComponent(slug)}`}
          target="_blank"
          rel="noopener"
          aria-label={`View ${title} on the blog`}
          title="View live"
        >
          <Icon name="external-link" />
        </a>
      )}
      <RowButton
        id={`newsletter-${id}`}
        action={`${paths.broadcasts}/from-post/${id}`}
        label={`Send ${title} as newsletter`}
        title="Send as newsletter"
        icon="megaphone"
      />
      <RowButton
        id={`duplicate-${id}`}
        action={`${path}/${id}/duplicate`}
        label={`Duplicate ${title}`}
        title="Duplicate"
        icon="copy"
      />
      <TrashButton id={id} title={title} path={path} />
    </>
  );
}

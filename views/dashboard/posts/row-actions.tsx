import type { Row } from "../../../db/posts/list";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Pick } from "../../components/lists/table";
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
          href={`${blogUrl}/posts/${slug}`}
          target="_blank"
          rel="noopener"
          aria-label={`View ${title} on the blog`}
          title="View live"
        >
          <Icon name="external-link" />
        </a>
      )}
      <SendAsNewsletter id={id} title={title} />
      <Duplicate id={id} title={title} />
      <TrashButton id={id} title={title} path={path} />
    </>
  );
}

const SendAsNewsletter = ({ id, title }: Pick<Row, "id" | "title">) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    id={`newsletter-${id}`}
    formaction={`${paths.broadcasts}/from-post/${id}`}
    data-plain
    aria-label={`Send ${title} as newsletter`}
    title="Send as newsletter"
  >
    <Icon name="megaphone" />
  </button>
);

const Duplicate = ({ id, title }: Pick<Row, "id" | "title">) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    id={`duplicate-${id}`}
    formaction={`${path}/${id}/duplicate`}
    data-plain
    aria-label={`Duplicate ${title}`}
    title="Duplicate"
  >
    <Icon name="copy" />
  </button>
);

import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Menu } from "../../../components/menu";
import { paths } from "../../../paths";
import { path, type PostState, statusOf } from "../state";
import { PreviewLink } from "./preview-link";

/** What can be done with a post besides writing it: a link to read it as visitors do, and a menu for the rest. */
export const PostActions = ({ frame, post, blogUrl }: { frame: Frame; post: PostState; blogUrl: string }) => (
  <Form action={`${path}/${post.id}/duplicate`} token={frame.token} class="row" label="This post" plain>
    {statusOf(post, frame.now) === "published" ? (
      <a
        class="btn quiet"
        id="view-live"
        href={`${blogUrl}/posts/${encodeURIComponent(post.slug)}`}
        target="_blank"
        rel="noopener"
      >
        <Icon name="external-link" />
        View live
      </a>
    ) : (
      <PreviewLink post={post} />
    )}
    <Menu id="post" label="More actions for this post">
      <a class="btn quiet" id="revisions" href={`${path}/${post.id}/revisions`}>
        <Icon name="history" />
        Revisions
      </a>
      <button
        type="submit"
        class="btn quiet"
        id="send-as-newsletter"
        formaction={`${paths.broadcasts}/from-post/${post.id}`}
      >
        <Icon name="megaphone" />
        Send as newsletter
      </button>
      <button type="submit" class="btn quiet" id="duplicate">
        <Icon name="copy" />
        Duplicate
      </button>
      <button type="submit" class="btn quiet" id="trash" formaction={`${path}/${post.id}/trash`}>
        <Icon name="trash-2" />
        Delete
      </button>
    </Menu>
  </Form>
);

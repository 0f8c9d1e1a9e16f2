import { DialogFooter } from "../../dialog";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { exact } from "../../../components/time";
import { path } from "../state";
import { Choice } from "../../../components/forms/choices";
import { CopyButton } from "../../../components/copy-button";
import { DialogLink } from "../../../components/dialog-link";

type Post = { id: string; title: string };

const pathOf = ({ id }: Post) => `${path}/${id}/preview-link`;

/** Leads to a link that shows a draft to people who cannot sign in. */
export const PreviewLink = ({ post }: { post: Post }) => (
  <DialogLink class="btn quiet" id="preview-link" href={pathOf(post)} icon="link">
    Preview link
  </DialogLink>
);

const days = [
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;

export const PreviewLinkForm = ({ frame, post }: { frame: Frame; post: Post }) => (
  <Form action={pathOf(post)} token={frame.token} class="stack">
    <p>Anyone with the link can read the latest saved version until the link expires.</p>
    <Choice name="days" scope="preview-link" label="Valid for" value="7" options={days} />
    <DialogFooter cancel={`${path}/${post.id}`}>Create link</DialogFooter>
  </Form>
);

type MadeProps = { frame: Frame; post: Post; link: { url: string; expiresAt: Date } };

export const NewPreviewLink = ({ frame, post, link }: MadeProps) => (
  <div class="stack">
    <div class="field">
      <label for="new-preview-link">Preview link</label>
      <div class="secret">
        <input
          class="input"
          id="new-preview-link"
          value={link.url}
          readonly
          autocomplete="off"
          spellcheck="false"
          data-secret
          data-focus
        />
        <CopyButton from="new-preview-link" class="btn primary" />
      </div>
      <p class="hint">
        Valid until {exact(link.expiresAt, frame.preferences)}. It cannot be revoked earlier, except by moving the post
        to the trash.
      </p>
    </div>
    <footer>
      <a class="btn" href={`${path}/${post.id}`} data-close>
        Close
      </a>
    </footer>
  </div>
);

import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { type PictureRow, Thumbnail } from "./library";
import { dimensionsOf } from "./picture";

type ReplaceProps = {
  frame: Frame;
  file: { id: string; folder: string };
  /** Pictures that nothing uses. */
  others: PictureRow[];
  cancel: string;
};

/** Chooses what takes the place of a picture. Each choice is a button of the form, so it needs no script. */
export const ReplaceForm = ({ frame, file, others, cancel }: ReplaceProps) => (
  <Form action={`${paths.file(file.id)}/replace`} token={frame.token} id="replace" class="stack">
    <p>
      Its URL stays, and everything that uses it shows the new picture. The previous one is kept in the trash for 30
      days. Sites and browsers may show it for up to half an hour.
    </p>
    <label class="btn primary with-script file-button">
      <Icon name="upload" />
      Upload a picture
      <input
        type="file"
        class="sr"
        accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
        data-replace
        data-folder={file.folder}
      />
    </label>
    <progress max="100" value="0" aria-label="Upload" hidden />
    <p class="hint" role="status" data-said />
    {others.length > 0 ? (
      <fieldset class="replacements">
        <legend>Or one that nothing uses</legend>
        <ul class="tiles">
          {others.map((picture) => (
            <li class="tile">
              <button type="submit" class="choice" name="other" value={picture.id}>
                <span class="sr">Use </span>
                <Thumbnail picture={picture} />
                <span class="name">{picture.filename}</span>
                <span class="hint">{dimensionsOf(picture)}</span>
              </button>
            </li>
          ))}
        </ul>
      </fieldset>
    ) : (
      <p class="hint without-script">Upload a picture in Storage first.</p>
    )}
    <footer>
      <a class="btn" href={cancel} data-close>
        Cancel
      </a>
    </footer>
  </Form>
);

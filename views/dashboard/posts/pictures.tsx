import { asset } from "../../assets";
import { bytes } from "../../components/bytes";
import { Icon } from "../../components/icon";
import type { Child } from "../../jsx/jsx-runtime";
import { Head } from "../shell";
import { type PictureRow, Thumbnail } from "../storage/library";
import { dimensionsOf, focalClass } from "../storage/picture";
import { path as posts } from "./state";

type PictureView = Omit<PictureRow, "id"> & { address: string };
type Props = {
  /** The ID of the field for the image. */
  wanted: string;
  q: string;
  pictures: PictureView[];
  isMore: boolean;
  /** Whether it is a page of its own, without a field to insert the image into. */
  isPage?: boolean;
};

export const Pictures = ({ q, pictures, isMore, isPage }: Props) => (
  <div id="pictures">
    {pictures.length === 0 && (
      <p class="hint">{q ? `No images match “${q}”.` : "There are no images in Storage yet."}</p>
    )}
    <ul>
      {pictures.map((picture) => (
        <li>{isPage ? <Listed {...picture} /> : <Choosable {...picture} />}</li>
      ))}
    </ul>
    {isMore && <p class="hint">More images available. Search by name.</p>}
  </div>
);

const Choosable = (picture: PictureView) => (
  <button
    type="button"
    class="picture"
    data-picture={picture.address}
    data-alt={picture.alt ?? ""}
    data-focus-class={focalClass(picture)}
  >
    <span class="sr">Use </span>
    <Face {...picture} />
  </button>
);

const Listed = (picture: PictureView) => (
  <div class="picture">
    <Face {...picture} />
    <code class="wrap">{picture.address}</code>
    {picture.alt && <span class="hint">{picture.alt}</span>}
  </div>
);

const Face = (picture: PictureView) => (
  <>
    <Thumbnail picture={picture} />
    <span class="wrap">{picture.filename}</span>
    <span class="hint">
      {picture.width ? `${dimensionsOf(picture)}, ` : ""}
      {bytes(picture.size)}
    </span>
  </>
);

const path = `${posts}/pictures`;

/** The folders for new images, by purpose. */
const folders: Record<string, string> = { content: "posts", "project-imageUrl": "projects" };

/** Chooses an image from Storage, or uploads a new one directly to a node. */
export const PictureChoice = (props: Props) => (
  <div class="stack pictures" data-for={props.wanted}>
    <form
      method="get"
      action={path}
      role="search"
      class="row"
      hx-get={path}
      hx-target="#pictures"
      hx-trigger="input delay:200ms, submit"
      hx-sync="this:replace"
      hx-swap="outerHTML"
    >
      <input type="hidden" name="for" value={props.wanted} />
      <div class="search">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          name="q"
          id="picture-q"
          value={props.q}
          placeholder="Name or alternative text"
          aria-label="Search images"
          data-focus
        />
      </div>
      {!props.isPage && <Upload folder={folders[props.wanted] ?? "covers"} isForText={props.wanted === "content"} />}
    </form>
    <progress max="100" value="0" aria-label="Upload" hidden />
    <p class="hint" role="status" data-said />
    <Pictures {...props} />
    {!props.isPage && (
      <footer>
        <button type="button" class="btn" data-close>
          Cancel
        </button>
      </footer>
    )}
  </div>
);

/** The same on a page of its own, without JavaScript. */
export const PicturesPage = (props: Props) => (
  <>
    <Head title="Choose an image" lead="Copy its URL into the cover image field or the text." />
    <PictureChoice {...props} isPage />
  </>
);

/** The label looks like a button; the input has the focus. */
const Upload = ({ folder, isForText }: { folder: string; isForText: boolean }) => (
  <label class="btn with-script">
    <Icon name="upload" />
    Upload
    <input
      type="file"
      class="sr"
      accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
      multiple={isForText}
      data-upload
      data-folder={folder}
      data-uploader={asset("storage.js")}
    />
  </label>
);

/**
 * A button next to a URL field that opens the choice of images. pictures.ts inserts the image into the field with the
 * ID `wanted`.
 */
export const ChoosePicture = ({ id, wanted, children }: { id: string; wanted: string; children?: Child }) => (
  <a
    class="btn sm"
    id={id}
    href={`${path}?for=${wanted}`}
    target="_blank"
    hx-get={`${path}?for=${wanted}`}
    hx-target="#dialog"
  >
    <Icon name="image" />
    {children ?? "Choose or upload…"}
  </a>
);

import { asset } from "../../assets";
import { bytes } from "../../components/bytes";
import { Icon } from "../../components/icon";
import type { Child } from "../../jsx/jsx-runtime";
import { Form } from "../../components/forms/form";
import { Head } from "../shell";
import { type PictureRow, Thumbnail } from "../storage/library";
import { dimensionsOf, focalClass } from "../storage/picture";
import { path as posts } from "./state";

type PictureView = PictureRow & { address: string };
type Props = {
  /** The ID of the field for the picture. */
  wanted: string;
  /** Whether that is a text; and the folder for new pictures. */
  isText: boolean;
  folder: string;
  q: string;
  pictures: PictureView[];
  isMore: boolean;
  /** Whether it is a page of its own, without a field to insert the picture into. */
  isPage?: boolean;
  /** Whether it is part of a form that takes the picture, without JavaScript. */
  isForForm?: boolean;
};

export const Pictures = ({ q, pictures, isMore, isPage, isForForm }: Props) => (
  <div id="pictures">
    {pictures.length === 0 && (
      <p class="hint">{q ? `No pictures match “${q}”.` : "There are no pictures in Storage yet."}</p>
    )}
    <ul>
      {pictures.map((picture) => (
        <li>
          {isForForm ? <Submitting {...picture} /> : isPage ? <Listed {...picture} /> : <Choosable {...picture} />}
        </li>
      ))}
    </ul>
    {isMore && <p class="hint">More pictures available. Search by name.</p>}
  </div>
);

const Choosable = (picture: PictureView) => (
  <button
    type="button"
    id={`use-${picture.id}`}
    class="picture"
    data-picture={picture.address}
    data-alt={picture.alt ?? ""}
    data-focus-class={focalClass(picture)}
  >
    <span class="sr">Use </span>
    <Face {...picture} />
  </button>
);

const Submitting = (picture: PictureView) => (
  <button type="submit" class="picture" name="picture" value={picture.id}>
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

type SearchProps = { name: string; id?: string; q: string; hasFocus?: boolean };

const Search = ({ name, id, q, hasFocus = false }: SearchProps) => (
  <div class="search">
    <Icon name="search" />
    <input
      class="input"
      type="search"
      name={name}
      id={id}
      value={q}
      placeholder="Name or alternative text"
      aria-label="Search pictures"
      data-focus={hasFocus}
    />
  </div>
);

const path = `${posts}/pictures`;

/** Chooses a picture from Storage, or uploads a new one directly to a node. */
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
      <Search name="q" id="picture-q" q={props.q} hasFocus />
      {!props.isPage && <Upload {...props} />}
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
    <Head title="Choose a picture" lead="Copy its URL into the cover picture field or the text." />
    <PictureChoice {...props} isPage />
  </>
);

/** A form that waits for a picture: where it is sent, and what was typed in it. */
type WaitingForm = { back: string; token: string; fields: Record<string, string> };

/** The choice without JavaScript, which goes back to the form that led here with all that was typed there. */
export const PictureForForm = ({ form, ...props }: Props & { form: WaitingForm }) => (
  <>
    <Head
      title="Choose a picture"
      lead={props.isText ? "It is put at the end of the text." : "Nothing is saved before you save the form."}
    />
    <Form action={form.back} token={form.token} class="stack pictures" label="Pictures" plain>
      {Object.entries({ ...form.fields, pictureFor: props.wanted }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="row" role="search">
        <Search name="pictureSearch" q={props.q} />
        <button type="submit" class="btn" formaction={chooseFor(props.wanted, form.back)}>
          Search
        </button>
        <button type="submit" class="btn quiet" name="picture" value="">
          Back without a picture
        </button>
      </div>
      <Pictures {...props} isForForm />
    </Form>
  </>
);

const chooseFor = (wanted: string, back: string) => `${path}?${new URLSearchParams({ for: wanted, back })}`;

/** The label looks like a button; the input has the focus. */
const Upload = ({ folder, isText }: Props) => (
  <label class="btn with-script">
    <Icon name="upload" />
    Upload
    <input
      type="file"
      class="sr"
      accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
      multiple={isText}
      data-upload
      data-folder={folder}
      data-uploader={asset("storage.js")}
    />
  </label>
);

type ChooseProps = {
  id: string;
  /** The ID of the field that takes the picture. */
  wanted: string;
  /** Where the form around it is sent, to which the choice without JavaScript comes back. */
  back: string;
  children?: Child;
};

/**
 * Opens the choice of pictures for a field of the form around it: in a dialog, from which pictures.ts inserts the picture,
 * or without JavaScript on a page of its own.
 */
export const ChoosePicture = ({ id, wanted, back, children }: ChooseProps) => (
  <>
    <a
      class="btn sm with-script"
      id={id}
      href={`${path}?for=${wanted}`}
      target="_blank"
      hx-get={`${path}?for=${wanted}`}
      hx-target="#dialog"
      data-picture-for={wanted}
    >
      <Icon name="image" />
      {children ?? "Choose or upload…"}
    </a>
    <ChooseWithoutScript wanted={wanted} back={back} />
  </>
);

export const ChooseWithoutScript = ({ wanted, back }: Pick<ChooseProps, "wanted" | "back">) => (
  <button type="submit" class="btn sm without-script" formaction={chooseFor(wanted, back)} formnovalidate>
    <Icon name="image" />
    Choose a picture…
  </button>
);

import { bytes } from "../../components/bytes";

type PictureView = { address: string; filename: string; size: number };
export type Props = {
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
  <button type="button" class="picture" data-picture={picture.address}>
    <span class="sr">Use </span>
    <Face {...picture} />
  </button>
);

const Listed = (picture: PictureView) => (
  <div class="picture">
    <Face {...picture} />
    <code class="wrap">{picture.address}</code>
  </div>
);

const Face = ({ address, filename, size }: PictureView) => (
  <>
    <img src={address} alt="" loading="lazy" />
    <span class="wrap">{filename}</span>
    <span class="hint">{bytes(size)}</span>
  </>
);

import { bytes } from "../../components/bytes";

type PictureView = { address: string; filename: string; size: number };
export type Props = {
  /** The id of the field that the choice is for. */
  wanted: string;
  q: string;
  pictures: PictureView[];
  isMore: boolean;
  /** A page of its own, where there is nothing to put the choice into. */
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

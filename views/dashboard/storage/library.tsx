import type { PictureFolder } from "../../../db/storage/files-list";
import { Drawing } from "../../components/drawings";
import { NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import { Icon } from "../../components/icon";
import { listUrl, type ListView, number, plural } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { ListHead } from "../../components/lists/head";
import type { Filter } from "../../components/lists/search";
import { paths } from "../../paths";
import type { Frame } from "../../components/frame";
import { Head } from "../shell";
import { NewFolder, useNames } from "./files";
import { allPictures, Crumbs, type StorageCounts, StorageTabs } from "./frame";
import { dimensionsOf, focalClass, type PictureFacts } from "./picture";
import { UploadButton, Uploader } from "./uploads/uploader";

export type PictureRow = PictureFacts & {
  id: string;
  filename: string;
  size: number;
  /** The URLs of two small sizes. */
  thumbnail: { src: string; large: string };
  /** Whether the texts that show it describe it. */
  isDescribed?: boolean;
};

type LibraryView = ListView<PictureRow> & {
  folder: string;
  folders: { folders: PictureFolder[]; total: number };
};

const path = paths.pictures;
const urlOf = (folder: string) => listUrl({ path, query: {} }, { folder });

/** Larger ones that come as they are would take long to load for a thumbnail. */
const maxAsIsBytes = 2_000_000;

/** A small size of a picture, cropped around its focal point; an icon for one that cannot be shown. */
export const Thumbnail = ({ picture }: { picture: Omit<PictureRow, "id"> }) => (
  <span class="thumb">
    {picture.picture === "unreadable" || (picture.picture === "as-is" && picture.size > maxAsIsBytes) ? (
      <Icon name="image" />
    ) : (
      <img
        src={picture.thumbnail.src}
        srcset={`${picture.thumbnail.large} 2x`}
        width="320"
        height="240"
        alt=""
        loading="lazy"
        fetchpriority="low"
        decoding="async"
        draggable="false"
        class={focalClass(picture)}
      />
    )}
    {!picture.alt &&
      (picture.isDescribed ? (
        <span class="described">Described where used</span>
      ) : (
        <span class="no-alt">No alternative text</span>
      ))}
  </span>
);

const Tile = ({ picture }: { picture: PictureRow }) => (
  <li id={`file-${picture.id}`} class="tile" draggable="true">
    <a href={paths.picture(picture.id)} id={`open-${picture.id}`} draggable="false">
      <Thumbnail picture={picture} />
      <span class="name">{picture.filename}</span>
      <span class="hint">{dimensionsOf(picture)}</span>
    </a>
    <label class="pick">
      <input
        type="checkbox"
        name="ids"
        value={picture.id}
        id={`pick-${picture.id}`}
        aria-label={`Select ${picture.filename}`}
      />
    </label>
  </li>
);

/** Pictures can be dropped on them (public/library.ts). */
const Folders = ({ folders, total }: LibraryView["folders"]) =>
  folders.length > 0 ? (
    <nav aria-label="Folders with pictures">
      <ul class="folder-cards">
        {folders.map(({ path, pictures }) => (
          <li>
            <a href={urlOf(path)} data-drop={path}>
              <Icon name="folder" />
              <strong>{path.slice(path.lastIndexOf("/") + 1)}</strong>
              <span class="hint" aria-label={plural(pictures, "picture")}>
                {number(pictures)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {total > folders.length && (
        <p class="hint">
          The first {number(folders.length)} of {number(total)} folders.
        </p>
      )}
    </nav>
  ) : null;

const actions = [
  ["move", "Move…"],
  ["download", "Download…"],
  ["trash", "Delete"],
] as const;

const filters: Filter[] = [
  {
    name: "show",
    label: "Show",
    all: "All pictures",
    options: [...useNames, ["no-alt", "No alternative text in Storage"]],
  },
];

const NoPictures = ({ folder }: { folder: string }) =>
  folder ? (
    <div class="empty">
      <Icon name="folder" />
      <h2>No pictures in this folder</h2>
      <p>Drop pictures here, or move some into it.</p>
    </div>
  ) : (
    <div class="empty">
      <Drawing name="parcels" />
      <h2>No pictures yet</h2>
      <p>Drop pictures on this page, or paste one into a text. Small sizes are made when they are first shown.</p>
    </div>
  );

/** The pictures of Storage as a grid, newest first: those of a folder and everything below it. */
export const Library = (view: LibraryView) => {
  const { state, folder, folders, rows } = view;
  const isFiltered = Boolean(state.query.q || state.query.show);
  return (
    <section class="list files library" id="list" aria-label="Pictures" data-folder={folder}>
      {folder && <Crumbs folder={folder} root={allPictures} />}
      <ListHead
        view={view}
        noun="picture"
        search={
          rows.length || isFiltered
            ? { label: "Search for pictures", placeholder: "Name or alternative text", filters }
            : undefined
        }
      />
      {!isFiltered && <Folders {...folders} />}
      {state.query.show === "no-alt" && rows.some(({ isDescribed }) => isDescribed) && (
        <p class="hint">
          None of these has an alternative text in Storage, which is offered wherever a picture is chosen. Those marked
          “Described where used” have one in every text that shows them.
        </p>
      )}
      {rows.length ? (
        <>
          <Form action={`${path}/bulk`} token={view.frame.token} id="drag-form">
            <input type="hidden" name="do" value="move" />
            <input type="hidden" name="filter" value={new URLSearchParams(state.query).toString()} />
          </Form>
          <BulkForm view={view} action={`${path}/bulk`} label="Pictures" buttons={<BulkButtons of={actions} />}>
            <ul class="tiles">
              {rows.map((picture) => (
                <Tile picture={picture} />
              ))}
            </ul>
          </BulkForm>
        </>
      ) : isFiltered ? (
        <NoMatch what="pictures" query={state.query.q} clear={urlOf(folder)} />
      ) : (
        <NoPictures folder={folder} />
      )}
    </section>
  );
};

type HeadProps = { frame: Frame; folder: string; counts: StorageCounts };

export const LibraryHead = ({ frame, folder, counts }: HeadProps) => (
  <>
    <Head title="Pictures" lead="The pictures in Storage, newest first.">
      <NewFolder folder={folder} />
      <UploadButton />
    </Head>
    <StorageTabs frame={frame} here={path} counts={counts} />
    <Uploader />
  </>
);

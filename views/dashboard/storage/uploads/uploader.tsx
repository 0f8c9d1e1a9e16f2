import { Icon } from "../../../components/icon";
import { Row } from "./uploader-row";
import { Giving, NameConflict } from "./name-conflict";

/** For the head of a page with an `Uploader`. It is hidden without JavaScript, because it would do nothing. */
export const UploadButton = () => (
  <button type="button" class="btn primary with-script" data-choose="files" id="upload-button">
    <Icon name="upload" />
    Upload files
  </button>
);

/**
 * Where to drop files. The script public/storage.ts does the work; it uploads into the folder named in `data-folder`.
 */
export const Uploader = () => (
  <>
    <p class="note info without-script">
      Uploading needs JavaScript: files go directly from your browser to the storage node. Everything else on this page
      works without it.
    </p>
    <section class="drop with-script" aria-label="Upload">
      <p>
        Drop files or folders here, or choose{" "}
        <button type="button" class="link" data-choose="files">
          files
        </button>{" "}
        or a{" "}
        <button type="button" class="link" data-choose="folder">
          folder
        </button>
        .
      </p>
      <p class="hint">Up to 5 TB each. You can close this page and resume later.</p>
    </section>
    <p class="sr" role="status" data-announcer />
    <div class="overlay" data-overlay hidden>
      <p>
        <Icon name="upload" />
        <span data-where />
      </p>
    </div>
    <Row />
    <NameConflict />
    <Giving />
  </>
);

/**
 * The progress of uploads, above the bottom edge of the window. Interrupted ones appear when the scripts and the
 * browser's memory of them are there, so nothing may be below that would move.
 */
export const Uploads = ({ managerId }: { managerId: string }) => (
  <section class="uploads" aria-labelledby="uploads-title" data-uploads={managerId} hidden>
    <header>
      <h2 id="uploads-title" tabindex="-1">
        Uploads
      </h2>
      <div class="total" data-total hidden>
        <p data-line />
        <progress max="100" value="0" aria-label="All uploads" />
      </div>
      <button type="button" class="btn sm quiet" data-clear hidden>
        Clear finished
      </button>
    </header>
    <ul class="table-frame" data-rows />
  </section>
);

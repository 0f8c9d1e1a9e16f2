import { Icon } from "../../../components/icon";

/** The template of the row that the script makes for each file. */
const Row = () => (
  <template data-row>
    <li class="up">
      <p class="file">
        <span class="who" data-name />
        <span class="sub" data-place />
      </p>
      <p data-badge />
      <div class="far">
        <progress max="100" value="0" />
        <p class="sub" data-line />
      </div>
      <p class="acts">
        <button type="button" class="btn sm" data-go />
        <button type="button" class="btn sm icon-only quiet" data-cancel>
          <Icon name="x" />
        </button>
      </p>
    </li>
  </template>
);

/** Asked once for all files whose names are taken. Closing it skips them. */
const NameConflict = () => (
  <dialog class="dialog" data-clash aria-labelledby="clash-title">
    <form method="dialog" class="body">
      <h2 id="clash-title" data-title />
      <ul data-names />
      <p>
        “Keep both” renames the new file. “Replace” moves the old file to the trash. If something uses it, it stays
        beside the new one. Pictures in use are replaced on their own pages.
      </p>
      <footer>
        <button type="submit" class="btn" value="skip">
          Skip
        </button>
        <button type="submit" class="btn" value="replace">
          Replace
        </button>
        <button type="submit" class="btn primary" value="keep">
          Keep both
        </button>
      </footer>
    </form>
  </dialog>
);

/** Asked before an upload is cancelled of which much has been sent. */
const Giving = () => (
  <dialog class="dialog" data-giving aria-labelledby="giving-title">
    <form method="dialog" class="body">
      <h2 id="giving-title" data-title />
      <p data-line />
      <footer>
        <button type="submit" class="btn" value="">
          Keep uploading
        </button>
        <button type="submit" class="btn danger" value="cancel">
          Cancel upload
        </button>
      </footer>
    </form>
  </dialog>
);

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
      <p class="hint">Up to 5.5 TB each. You can close this page and resume later.</p>
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

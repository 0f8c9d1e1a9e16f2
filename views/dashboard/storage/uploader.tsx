import { Icon } from "../../components/icon";

/** For the head of a page with an `Uploader`. It does nothing without JavaScript, so it is not there then. */
export const UploadButton = () => (
  <button type="button" class="btn primary with-script" data-choose="files" id="upload-button">
    <Icon name="upload" />
    Upload files
  </button>
);

/**
 * Uploads from the browser: where to drop files, and how far they are. The script of public/storage.ts brings it to
 * life; it uploads into the folder that the page names in `data-folder`.
 */
export const Uploader = ({ managerId }: { managerId: string }) => (
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

/** What the script makes a row of for each file. */
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
        “Keep both” renames the new file. “Replace” moves the old file to the trash, unless a post or project uses it.
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

/** Before much that was sent is given up. */
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

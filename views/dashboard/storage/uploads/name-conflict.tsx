/** Asked once for all files whose names are taken. Closing it skips them. */
export const NameConflict = () => (
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

/** Asked before an upload is cancelled of which much has been sent. */
export const Giving = () => (
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

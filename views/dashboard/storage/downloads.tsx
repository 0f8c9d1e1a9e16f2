import type { StoredFile } from "../../../db/storage/files";
import { bytes } from "../../components/bytes";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import type { Child } from "../../jsx/jsx-runtime";
import { Place } from "./files";
import { paths } from "../../paths";

type SheetProps = {
  files: StoredFile[];
  /** How many were selected and exist, listed or not. */
  total: number;
  /** How many were selected and no longer exist. */
  missing: number;
  /** The folder in which they were selected. */
  folder: string;
  /** Whether a script can download all of them. */
  canAll: boolean;
  cancel: string;
};

/**
 * The selected files, each with its own link to its node. A script follows all of them (public/storage/downloads.ts).
 */
export const DownloadSheet = ({ files, total, missing, folder, canAll, cancel }: SheetProps) => (
  <div class="stack">
    {missing > 0 && <Note>{plural(missing, "selected file no longer exists", "selected files no longer exist")}.</Note>}
    {total > files.length && (
      <Note>
        Showing the first {files.length} of {number(total)} files. Download the other {number(total - files.length)}{" "}
        afterwards.
      </Note>
    )}
    <ul class="downloads" aria-label="Files">
      {files.map((file) => (
        <li>
          <span>
            <a href={`${paths.file(file.id)}/download`} data-download>
              {file.filename}
            </a>
            {file.folder !== folder && <Place folder={file.folder} />}
          </span>
          <span>
            <strong hidden>Not downloaded</strong> {bytes(file.size)}
          </span>
        </li>
      ))}
    </ul>
    <p>
      {plural(files.length, "file")}, {bytes(files.reduce((sum, { size }) => sum + size, 0))} in total.
    </p>
    {canAll && (
      <p class="hint" aria-live="polite">
        {files.length > 1
          ? "Your browser may ask for permission to download several files."
          : "The file downloads directly from its storage node."}
      </p>
    )}
    <footer>
      <a class="btn" href={cancel} data-close>
        Close
      </a>
      {canAll && (
        <button type="button" class="btn primary" id="download-all" data-focus>
          <Icon name="download" />
          {files.length > 1 ? "Download all" : "Download"}
        </button>
      )}
    </footer>
  </div>
);

const Note = ({ children }: { children?: Child }) => (
  <p class="note">
    <Icon name="triangle-alert" />
    <span>{children}</span>
  </p>
);

import type { StoredFile } from "../../../db/storage/files";
import { bytes } from "../../components/bytes";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Pick } from "../../components/lists/table";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { essence, kindOf } from "./file-kind";
import { RowMenu } from "./file-menu";
import { KindIcon } from "./kind-icon";

export const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const Place = ({ folder }: { folder: string }) => <span class="sub">in {folder || "All files"}</span>;

export const FileRow = ({ file, frame, isFound }: { file: StoredFile; frame: Frame; isFound: boolean }) => (
  <tr id={`file-${file.id}`} role="row">
    <Pick id={file.id} label={file.filename} />
    <td class="main" role="cell">
      <a class="who named" href={paths.file(file.id)} id={`open-${file.id}`}>
        <KindIcon kind={kindOf(file.mimeType)} />
        <span>{file.filename}</span>
      </a>
      {isFound && <Place folder={file.folder} />}
    </td>
    <td class="size" role="cell">
      {bytes(file.size)}
    </td>
    <td class="extra" role="cell">
      <span class="mono" title={essence(file.mimeType)}>
        {essence(file.mimeType)}
      </span>
    </td>
    <td class="extra" role="cell">
      {file.node}
    </td>
    <td class="when" role="cell">
      <Time at={file.storedAt} clock={frame} />
    </td>
    <td class="acts" role="cell">
      <a
        class="btn quiet sm icon-only"
        href={`${paths.file(file.id)}/download`}
        aria-label={`Download ${file.filename}`}
        title="Download"
      >
        <Icon name="download" />
      </a>
      <RowMenu file={file} />
    </td>
  </tr>
);

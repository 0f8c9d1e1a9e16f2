import type { FileKind } from "../../../db/storage/files-list";
import type { StoredFile } from "../../../db/storage/files";
import type { ListedFolder } from "../../../db/storage/folders";
import { bytes } from "../../components/bytes";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { listUrl, plural } from "../../components/list";
import { Pick } from "../../components/lists/table";
import { Time } from "../../components/time";
import { essence, kindOf } from "./file-kind";
import { RowMenu } from "./file-menu";
import { folderUrl } from "./frame";
import { paths } from "../../paths";

const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const FolderRow = ({
  folder: { id, path, files, folders },
  isFound,
}: {
  folder: ListedFolder;
  isFound: boolean;
}) => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const remove = listUrl({ path: `${paths.folders}/remove`, query: {} }, { path });
  return (
    <tr id={`folder-${id}`} role="row">
      <td class="pick" role="cell" />
      <td class="main" role="cell">
        <a class="who named" href={folderUrl(path)} id={`open-${id}`}>
          <Icon name="folder" />
          <span>{name}</span>
        </a>
        {isFound && <Place folder={above(path)} />}
      </td>
      <td class="size" role="cell">
        {contents(files, folders)}
      </td>
      <td class="extra" role="cell">
        Folder
      </td>
      <td class="extra" role="cell" />
      <td class="when" role="cell" />
      <td class="acts" role="cell">
        {files + folders === 0 && (
          <a
            class="btn quiet sm icon-only"
            href={remove}
            hx-get={remove}
            hx-target="#dialog"
            id={`remove-${id}`}
            data-hotkey="#"
            aria-label={`Remove folder ${name}`}
            title="Remove"
          >
            <Icon name="trash-2" />
          </a>
        )}
      </td>
    </tr>
  );
};

const contents = (files: number, folders: number) =>
  [folders && plural(folders, "folder"), files && plural(files, "file")].filter(Boolean).join(", ") || "Empty";

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

const icons: Record<FileKind, { icon: string }> = {
  image: { icon: "image" },
  video: { icon: "film" },
  audio: { icon: "music" },
  pdf: { icon: "file-text" },
  text: { icon: "file-text" },
  other: { icon: "file" },
};
export const KindIcon = ({ kind }: { kind: FileKind }) => <Icon name={icons[kind].icon} />;

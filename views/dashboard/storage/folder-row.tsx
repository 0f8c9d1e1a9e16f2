import type { ListedFolder } from "../../../db/storage/folders";
import { Icon } from "../../components/icon";
import { listUrl, plural } from "../../components/list";
import { paths } from "../../paths";
import { folderUrl } from "./crumbs";
import { above, Place } from "./rows";

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

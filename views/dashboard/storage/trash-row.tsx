import type { StoredFile } from "../../../db/storage/files";
import { Badge } from "../../components/badge";
import { bytes } from "../../components/bytes";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Pick } from "../../components/lists/table";
import { date, Time } from "../../components/time";
import { paths } from "../../paths";
import { kindOf } from "./file-kind";
import { KindIcon } from "./kind-icon";

export const TrashRow = ({ file, frame }: { file: StoredFile; frame: Frame }) => {
  const { id, filename, purgeAt, deletedAt } = file;
  const isDue = purgeAt !== null && purgeAt <= frame.now;
  return (
    <tr id={`file-${id}`} role="row">
      {isDue ? <td class="pick" role="cell" /> : <Pick id={id} label={filename} />}
      <td class="main" role="cell">
        <span class="who named">
          <KindIcon kind={kindOf(file.mimeType)} />
          <span>{filename}</span>
        </span>
        <span class="sub">from {file.folder || "All files"}</span>
      </td>
      <td class="size" role="cell">
        {bytes(file.size)}
      </td>
      <td class="when" role="cell">
        {deletedAt && <Time at={deletedAt} clock={frame} />}
      </td>
      <td class="extra" role="cell">
        {isDue ? (
          <Badge tone="warn">Deleting</Badge>
        ) : (
          purgeAt && <span class="none">{date(purgeAt, frame.preferences)}</span>
        )}
      </td>
      <td class="acts" role="cell">
        {!isDue && (
          <button
            type="submit"
            class="btn quiet sm"
            formaction={`${paths.file(id)}/restore`}
            id={`restore-${id}`}
            aria-label={`Restore ${filename}`}
          >
            <Icon name="archive-restore" />
            Restore
          </button>
        )}
      </td>
    </tr>
  );
};
